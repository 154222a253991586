//! The arguments of the attribute.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, LitBool, Path, Token};

use super::arg_values::{self, ArgValue as _, Settles, Timeout, function};
use crate::diagnostics::Diagnostics;
use crate::syntax::suggest::nearest;

/// Every argument with an example of its value.
const KNOWN: &[(&str, &str)] = &[
    ("connection", "connection = self.connection"),
    ("registry", "registry = self.registry"),
    ("is_failure", "is_failure = |error| error.is_timeout()"),
    ("is_success", "is_success = |value| value.is_complete()"),
    ("fallback", "fallback = |open| Ok(cached())"),
    ("probe", "probe = false"),
    ("operation", "operation = \"pull_consent\""),
    ("timeout", "timeout = \"5s\""),
    ("settles", "settles = first_item"),
    ("crate", "crate = some::path"),
];

/// Arguments without a value: for a method of a block, and for a block.
const FLAGS: [&str; 2] = ["skip", "blocking"];

const AN_ARGUMENT: &str = "expected an argument, for example `connection = self.connection`";

/// The arguments of one attribute.
#[derive(Clone, Default)]
pub(crate) struct Args {
    pub(crate) connection: Option<Expr>,
    pub(crate) registry: Option<Expr>,
    pub(crate) is_failure: Option<Expr>,
    pub(crate) is_success: Option<Expr>,
    pub(crate) fallback: Option<Expr>,
    pub(crate) probe: Option<LitBool>,
    pub(crate) operation: Option<Expr>,
    pub(crate) timeout: Option<Timeout>,
    pub(crate) settles: Option<Settles>,
    pub(crate) krate: Option<Path>,
    /// Leaves a method of an annotated block out.
    pub(crate) skip: Option<Ident>,
    /// Guards plain functions of a block too.
    pub(crate) blocking: Option<Ident>,
}

impl Args {
    /// Parses the arguments and reports the ones that it cannot parse.
    pub(crate) fn parse(tokens: TokenStream, diagnostics: &mut Diagnostics) -> Self {
        let mut args = Self::default();
        let parser = |input: ParseStream<'_>| {
            args.read(input, diagnostics);
            Ok(())
        };
        // `read` consumes everything and reports its mistakes itself. After one of them the parser also reports that it
        // has not consumed a group.
        if let Err(error) = parser.parse2(tokens) {
            if diagnostics.is_empty() {
                diagnostics.push(error);
            }
        }
        args
    }

    /// Whether a method that is left out has other arguments.
    pub(crate) fn is_more_than_skip(&self) -> bool {
        let Self {
            connection,
            registry,
            is_failure,
            is_success,
            fallback,
            probe,
            operation,
            timeout,
            settles,
            krate,
            skip: _,
            blocking,
        } = self;
        connection.is_some()
            || registry.is_some()
            || is_failure.is_some()
            || is_success.is_some()
            || fallback.is_some()
            || probe.is_some()
            || operation.is_some()
            || timeout.is_some()
            || settles.is_some()
            || krate.is_some()
            || blocking.is_some()
    }

    /// Returns the arguments of a method, completed by those of its block.
    pub(crate) fn or(self, block: &Self) -> Self {
        Self {
            connection: self.connection.or_else(|| block.connection.clone()),
            registry: self.registry.or_else(|| block.registry.clone()),
            is_failure: self.is_failure.or_else(|| block.is_failure.clone()),
            is_success: self.is_success.or_else(|| block.is_success.clone()),
            fallback: self.fallback.or_else(|| block.fallback.clone()),
            probe: self.probe.or_else(|| block.probe.clone()),
            operation: self.operation.or_else(|| block.operation.clone()),
            timeout: self.timeout.or_else(|| block.timeout.clone()),
            settles: self.settles,
            krate: self.krate.or_else(|| block.krate.clone()),
            skip: self.skip,
            blocking: self.blocking,
        }
    }

    /// The expressions that are evaluated where the arguments of the function are in scope.
    pub(crate) fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let Self {
            connection,
            registry,
            is_failure,
            is_success,
            fallback,
            operation: _, // evaluated in a constant
            probe: _,
            timeout: _,
            settles: _,
            krate: _,
            skip: _,
            blocking: _,
        } = self;
        [connection, registry, is_failure, is_success, fallback].into_iter().flatten()
    }

    fn read(&mut self, input: ParseStream<'_>, diagnostics: &mut Diagnostics) {
        while !input.is_empty() {
            if let Err(error) = self.read_one(input) {
                diagnostics.push(error);
                skip_to_argument(input);
            } else if !input.is_empty() && !input.peek(Token![,]) {
                diagnostics.push(input.error("expected `,` between two arguments"));
                skip_to_argument(input);
            }
            // Parsing stopped at a comma or at the end.
            let _: Option<Token![,]> = input.parse().unwrap_or_default();
        }
    }

    fn read_one(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error(AN_ARGUMENT));
        }
        let name = input.call(Ident::parse_any)?;
        match name.to_string().as_str() {
            "connection" => once(&mut self.connection, &name, input, Expr::parse_value),
            "registry" => once(&mut self.registry, &name, input, Expr::parse_value),
            "is_failure" => once(&mut self.is_failure, &name, input, |input| function(input, "is_failure")),
            "is_success" => once(&mut self.is_success, &name, input, |input| function(input, "is_success")),
            "fallback" => once(&mut self.fallback, &name, input, |input| function(input, "fallback")),
            "probe" => once(&mut self.probe, &name, input, LitBool::parse_value),
            "operation" => once(&mut self.operation, &name, input, arg_values::operation),
            "timeout" => once(&mut self.timeout, &name, input, Timeout::parse_value),
            "settles" => once(&mut self.settles, &name, input, Settles::parse_value),
            "crate" => once(&mut self.krate, &name, input, Path::parse_value),
            "skip" => flag(&mut self.skip, name, input),
            "blocking" => flag(&mut self.blocking, name, input),
            // `#[breaker(self.connection)]`
            "self" => Err(syn::Error::new(name.span(), AN_ARGUMENT)),
            unknown => Err(syn::Error::new(name.span(), unknown_argument(unknown))),
        }
    }
}

pub(crate) fn example_of(name: &str) -> &'static str {
    KNOWN.iter().find(|(known, _)| name == *known).map_or("", |(_, example)| example)
}

/// Parses `= VALUE` for an argument that must not be set yet.
fn once<T>(
    place: &mut Option<T>,
    name: &Ident,
    input: ParseStream<'_>,
    parse: fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<()> {
    if !input.peek(Token![=]) || input.peek(Token![==]) {
        let example = example_of(&name.to_string());
        return Err(syn::Error::new(name.span(), format!("`{name}` needs a value, for example `{example}`")));
    }
    let _: Token![=] = input.parse()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(name.span(), format!("`{name}` has no value after its `=`")));
    }
    let last = input.fork().parse::<TokenStream>()?.into_iter().last();
    let value = parse(input).map_err(|error| with_name(name, &error, last))?;
    if place.is_some() {
        return Err(syn::Error::new(name.span(), format!("`{name}` is given twice: remove one")));
    }
    *place = Some(value);
    Ok(())
}

/// Completes an error of the parser, which names neither the argument nor, at the end of the arguments, a token.
fn with_name(name: &Ident, error: &syn::Error, last: Option<TokenTree>) -> syn::Error {
    let message = error.to_string();
    if let (Some(rest), Some(last)) = (message.strip_prefix("unexpected end of input"), last) {
        let end = match &last {
            TokenTree::Group(group) => group.span_close(),
            other => other.span(),
        };
        return syn::Error::new(end, format!("the value of `{name}` is incomplete{rest}"));
    }
    // Our own messages name the argument.
    let is_of_parser =
        ["expected ", "unexpected ", "unsupported ", "cannot "].iter().any(|start| message.starts_with(start));
    if is_of_parser {
        syn::Error::new(error.span(), format!("in the value of `{name}`: {message}"))
    } else {
        error.clone()
    }
}

/// Parses an argument without a value.
fn flag(place: &mut Option<Ident>, name: Ident, input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(Token![=]) {
        return Err(syn::Error::new(name.span(), format!("`{name}` takes no value: write `{name}`")));
    }
    if place.is_some() {
        return Err(syn::Error::new(name.span(), format!("`{name}` is given twice: remove one")));
    }
    *place = Some(name);
    Ok(())
}

fn unknown_argument(name: &str) -> String {
    let names: Vec<&str> = KNOWN.iter().map(|(known, _)| *known).chain(FLAGS).collect();
    if let Some(near) = nearest(name, &names) {
        return format!("`#[breaker]` has no argument `{name}`: did you mean `{near}`?");
    }
    let names: Vec<String> = KNOWN.iter().map(|(known, _)| format!("`{known}`")).collect();
    format!("`#[breaker]` has no argument `{name}`: it takes {}, and on an `impl` block `blocking`", names.join(", "))
}

/// Skips to the comma before the next argument. What follows a mistake and is not an argument most often belongs to it.
fn skip_to_argument(input: ParseStream<'_>) {
    while !input.is_empty() && !is_before_argument(&input.fork()) {
        // Every token is a token tree, so this cannot fail.
        let _ = input.parse::<TokenTree>();
    }
}

/// Whether `, NAME =` follows, or a comma and the last argument that has a known name.
fn is_before_argument(ahead: ParseStream<'_>) -> bool {
    let name = || -> syn::Result<Ident> {
        ahead.parse::<Token![,]>()?;
        ahead.call(Ident::parse_any)
    };
    let Ok(name) = name() else { return false };
    let is_known = || KNOWN.iter().map(|(known, _)| *known).chain(FLAGS).any(|known| name == known);
    ahead.peek(Token![=]) && !ahead.peek(Token![==]) || (ahead.is_empty() || ahead.peek(Token![,])) && is_known()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_argument_or_value_causes_one_error() {
        for (arguments, message) in [
            ("is_failure = true", "`is_failure` takes a function"),
            ("is_success = 4", "`is_success` takes a function"),
            ("fallback = || 4", "the closure of `fallback` must have one parameter"),
            ("fallback = Ok(3)", "`fallback` takes a function, for example `fallback = |open| Ok(cached())`"),
            ("is_failure = matches!(e, E::A)", "`is_failure` takes a function"),
            ("is_success = *n > 3", "`is_success` takes a function"),
            ("is_failure = !e.is_answer()", "`is_failure` takes a function"),
            ("timeout = 5", "a duration needs a unit and quotes"),
            ("timeout = Duration::from_secs(5)", "`timeout` takes a literal"),
            ("timeout = LIMIT", "`timeout` takes a literal"),
            ("settles = first", "write `settles = first_item` or `settles = end`"),
            ("settles = \"end\"", "write `settles = first_item` or `settles = end`"),
            ("settles = first_item()", "expected `,` between two arguments"),
            ("self.circuit", "expected an argument, for example `connection = self.connection`"),
            ("conection = self.circuit", "did you mean `connection`?"),
            ("blockng", "did you mean `blocking`?"),
            ("retry = 3", "it takes `connection`"), // not `registry`
            ("operation = \" \"", "the operation has an empty name: write `operation = "),
            ("crate = \"a::b\"", "write the path without quotes: `crate = a::b`"),
            ("connection = self.", "the value of `connection` is incomplete, expected identifier or integer"),
            ("connection = a, fallback = |open|", "the value of `fallback` is incomplete, expected an expression"),
            ("connection = self., probe = false", "in the value of `connection`: expected identifier or integer"),
            ("connection = pick(conn 1)", "in the value of `connection`: expected `,`"),
            ("connection = (a, [b c])", "in the value of `connection`: expected `,`"),
            ("connection, pick(conn)? = registry", "`connection` needs a value"),
            ("connection = conn., circuit fallback = instead", "in the value of `connection`: expected identifier"),
            ("connection = , .circuit, probe = false", "`connection` has no value after its `=`"),
            ("connection = a,, = instead", "expected an argument"),
            ("registry = { let a = }", "the value of `registry` is incomplete, expected an expression"),
        ] {
            let mut diagnostics = Diagnostics::default();
            Args::parse(arguments.parse().unwrap(), &mut diagnostics);
            let errors = diagnostics.into_compile_errors().to_string();
            assert_eq!(errors.matches("compile_error").count(), 1, "{errors}");
            assert!(errors.contains(message), "{errors}");
        }
    }
}
