//! Validation of each mark. Types and constants, which the macro cannot see, are checked by the compiler.

mod answer;
mod unknown;

use syn::LitStr;

use super::parse::attr::{Kind, VariantMark};
use super::parse::status::Status;
use super::parse::{Field, Input, Variant};
use crate::diagnostics::Diagnostics;
use crate::syntax::types::{is_called_rejection, is_primitive};

/// The validated evidence of a variant.
pub(crate) struct JudgedVariant<'a> {
    pub(crate) variant: &'a Variant<'a>,
    pub(crate) proof: Proof<'a>,
    pub(crate) statuses: &'a [Status],
    pub(crate) because: Option<&'a LitStr>,
    /// Whether only the mark of the whole enum makes it an answer, so that a rejection is exempt.
    pub(crate) by_mark_of_type: bool,
    /// The reason, where only a constant status can need it. The compiler decides whether one does.
    pub(crate) reason_for_constants: Option<&'a LitStr>,
    pub(crate) reason_for_types: ReasonForTypes<'a>,
    /// Whether its name implies which status a field holds.
    pub(crate) may_hold_status: bool,
}

/// The reason that lifts a refusal of the type of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReasonForTypes<'a> {
    Missing,
    Given,
    /// Only the type of a field can need it. The compiler decides whether one does.
    OnlyForTypes(&'a LitStr),
}

pub(crate) enum Proof<'a> {
    Answer,
    Failure,
    Unknown,
    ByStatus(&'a Field<'a>),
    Transparent(&'a Field<'a>),
    /// A rejection under the mark of a whole enum, recognised by the name of its type, which the compiler confirms.
    Rejection(&'a Field<'a>),
}

impl<'a> JudgedVariant<'a> {
    const fn unproven(variant: &'a Variant<'a>) -> Self {
        Self {
            variant,
            proof: Proof::Failure,
            statuses: &[],
            because: None,
            by_mark_of_type: false,
            reason_for_constants: None,
            reason_for_types: ReasonForTypes::Missing,
            may_hold_status: false,
        }
    }
}

/// Validates the whole type and reports every mistake.
pub(crate) fn validate<'a>(input: &'a Input<'a>, diagnostics: &mut Diagnostics) -> Vec<JudgedVariant<'a>> {
    let mut judge = Validator { input, reason_of_type_used: false, diagnostics };
    let judged = input.variants.iter().map(|variant| judge.once(variant)).collect();
    if input.is_enum {
        judge.whole_enum();
    }
    judged
}

struct Validator<'a, 'd> {
    input: &'a Input<'a>,
    reason_of_type_used: bool,
    diagnostics: &'d mut Diagnostics,
}

impl<'a> Validator<'a, '_> {
    fn whole_enum(&mut self) {
        let attrs = &self.input.attrs;
        match (&attrs.mark, &attrs.because) {
            (None, _) if !self.input.variants.iter().any(Variant::is_marked) => self.diagnostics.error_with_help(
                self.input.ident,
                format_args!("no variant of `{}` is marked, so the derive proves nothing", self.input.ident),
                "mark the variants that are answers of the remote system with `#[reachable]`; if none is, say so with \
                 `#[reachable(never)]` on the enum",
            ),
            (Some(mark), Some(because)) if matches!(mark.kind, Kind::Never) => self.idle_reason(because, "`never`"),
            (Some(mark), Some(because)) if matches!(mark.kind, Kind::Answer) && !self.reason_of_type_used => {
                self.unneeded_reason(because);
            }
            _ => {}
        }
    }

    /// The compiler does not check a refused mark further, so that one mistake causes one error.
    fn once(&mut self, variant: &'a Variant<'a>) -> JudgedVariant<'a> {
        let before = self.diagnostics.len();
        let judged = self.variant(variant);
        if self.diagnostics.len() > before { JudgedVariant::unproven(variant) } else { judged }
    }

    fn variant(&mut self, variant: &'a Variant<'a>) -> JudgedVariant<'a> {
        let mut judged = JudgedVariant::unproven(variant);
        let by_status = self.status_field(variant);
        let of_type = if self.input.is_enum { self.input.attrs.mark.as_ref().map(|mark| &mark.kind) } else { None };
        if matches!(of_type, Some(Kind::Never)) {
            self.under_never(variant);
            return judged;
        }
        let all_answer = !self.input.is_enum || matches!(of_type, Some(Kind::Answer));
        let Some(mark) = &variant.attrs.mark else {
            judged.proof = match by_status {
                Some(field) => Proof::ByStatus(field),
                None if variant.is_marked() => self.mistaken(),
                None if all_answer => match variant.rejection() {
                    Some(field) if self.input.is_enum => Proof::Rejection(field),
                    _ => {
                        judged.by_mark_of_type = self.input.is_enum;
                        self.answer(variant, &mut judged)
                    }
                },
                None => Proof::Failure,
            };
            return judged;
        };
        if let Some(field) = by_status {
            self.diagnostics.error_with_help(
                field.status.as_ref().map(|mark| &mark.tokens),
                format_args!("the status in this field contradicts the mark on `{}`", variant.ident),
                "remove one of them: the field decides at run time, the mark at compile time",
            );
            return judged;
        }
        let restated =
            matches!(mark.kind, Kind::Answer) && variant.attrs.because.is_none() && self.input.is_enum && all_answer;
        if restated {
            self.diagnostics.error(&mark.tokens, "the whole enum is marked already: remove this `#[reachable]`");
            return judged;
        }
        judged.proof = match &mark.kind {
            Kind::Statuses(statuses) => {
                judged.statuses = statuses;
                self.answer(variant, &mut judged)
            }
            Kind::Answer => self.answer(variant, &mut judged),
            Kind::StatusHere | Kind::Mistaken => self.mistaken(),
            Kind::Never => self.no_answer(variant, "`never`", Proof::Failure),
            Kind::Unknown => self.unknown(variant, &mut judged),
            Kind::Transparent => {
                let [field] = variant.fields.as_slice() else {
                    self.diagnostics.error_with_help(
                        &mark.tokens,
                        format_args!(
                            "`transparent` needs exactly one field, and `{}` has {}",
                            variant.ident,
                            variant.fields.len(),
                        ),
                        "the one field is the wrapped error, which decides",
                    );
                    return judged;
                };
                self.no_answer(variant, "`transparent`", Proof::Transparent(field))
            }
        };
        judged
    }

    /// The field that decides at run time.
    fn status_field(&mut self, variant: &'a Variant<'a>) -> Option<&'a Field<'a>> {
        let is_status = |mark: &VariantMark| matches!(mark.kind, Kind::StatusHere);
        let mut marked = variant.fields.iter().filter(|field| field.status.as_ref().is_some_and(is_status));
        let first = marked.next();
        for other in marked {
            let mark = other.status.as_ref().map(|mark| &mark.tokens);
            self.diagnostics.error(mark, "another field has the mark `status` already: remove one of them");
        }
        first
    }

    fn under_never(&mut self, variant: &Variant<'_>) {
        let of_fields = variant.fields.iter().filter_map(|field| field.status.as_ref());
        for mark in variant.attrs.mark.iter().chain(of_fields) {
            self.diagnostics.error_with_help(
                &mark.tokens,
                format_args!("this mark contradicts `#[reachable(never)]` on `{}`", self.input.ident),
                "remove one of them",
            );
        }
    }

    /// An attribute that could not be parsed has no evidence, and the reason of the type may belong to it.
    const fn mistaken(&mut self) -> Proof<'a> {
        self.reason_of_type_used = true;
        Proof::Failure
    }

    /// A mark without an answer needs no reason.
    fn no_answer(&mut self, variant: &Variant<'_>, mark: &str, proof: Proof<'a>) -> Proof<'a> {
        if let Some(because) = &variant.attrs.because {
            self.idle_reason(because, mark);
        }
        proof
    }

    fn idle_reason(&mut self, because: &LitStr, mark: &str) {
        let message = format!("{mark} does not declare an answer, so it needs no reason: remove `because`");
        self.diagnostics.error(because, message);
    }

    fn unneeded_reason(&mut self, because: &LitStr) {
        self.diagnostics.error(because, "this mark needs no reason: remove `because`");
    }
}

impl<'a> Variant<'a> {
    /// Returns the single field, if it is a rejection by the name of its type.
    fn rejection(&'a self) -> Option<&'a Field<'a>> {
        match self.fields.as_slice() {
            [field] if is_called_rejection(field.ty) => Some(field),
            _ => None,
        }
    }

    /// Whether the compiler checks the type of a field, which may need a reason.
    fn has_types_to_check(&self) -> bool {
        self.fields.iter().any(|field| field.is_called_status() || !is_primitive(field.ty))
    }

    fn is_marked(&self) -> bool {
        self.attrs.mark.is_some() || self.fields.iter().any(|field| field.status.is_some())
    }
}
