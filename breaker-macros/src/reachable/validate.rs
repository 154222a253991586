//! Judges each mark: by the name, the status and the text of the error. Its types are judged by the compiler.

use proc_macro2::Ident;
use syn::LitStr;

use super::attribute::{Kind, Status};
use super::names::{self, Doubt, Lie, Verdict};
use super::parse::{Field, Input, Variant};
use super::statuses::{self, Class};
use super::texts;
use crate::diagnostics::Diagnostics;

/// What a variant proves, as judged.
pub(super) struct Judged<'a> {
    pub(super) variant: &'a Variant<'a>,
    pub(super) proof: Proof<'a>,
    pub(super) statuses: &'a [Status],
    pub(super) because: Option<&'a LitStr>,
    pub(super) excuse: Excuse,
}

pub(super) enum Proof<'a> {
    Answer,
    Failure,
    Unknown,
    ByStatus(&'a Field<'a>),
    Transparent(&'a Field<'a>),
}

/// What the compiler has to know of `because` when it judges a constant status.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Excuse {
    Missing,
    /// There is a reason, and it has its use already.
    Needed,
    /// There is a reason that only the status can need.
    ForStatus,
}

/// Judges the whole type, and reports every mistake.
pub(super) fn validate<'a>(input: &'a Input<'a>, diagnostics: &mut Diagnostics) -> Vec<Judged<'a>> {
    let mut judge = Judge { input, reason_of_type_used: false, diagnostics };
    let judged = input.variants.iter().map(|variant| judge.variant(variant)).collect();
    if input.is_enum {
        judge.whole_enum();
    }
    judged
}

struct Judge<'a, 'd> {
    input: &'a Input<'a>,
    reason_of_type_used: bool,
    diagnostics: &'d mut Diagnostics,
}

impl<'a> Judge<'a, '_> {
    fn whole_enum(&mut self) {
        let said = &self.input.said;
        match (&said.mark, &said.because) {
            (None, _) if !self.input.variants.iter().any(Variant::is_marked) => self.diagnostics.error_with_help(
                self.input.ident,
                format_args!("no variant of `{}` is marked, so the derive proves nothing", self.input.ident),
                "mark the variants that are answers of the remote system with `#[reachable]`; if none is, say so with \
                 `#[reachable(never)]` on the enum",
            ),
            (Some(mark), Some(because)) if matches!(mark.kind, Kind::Never) => self.idle_reason(because, "`never`"),
            (Some(mark), Some(because))
                if matches!(mark.kind, Kind::Answer) && !self.reason_of_type_used && self.diagnostics.is_empty() =>
            {
                self.unneeded_reason(because);
            }
            _ => {}
        }
    }

    fn variant(&mut self, variant: &'a Variant<'a>) -> Judged<'a> {
        let mut judged =
            Judged { variant, proof: Proof::Failure, statuses: &[], because: None, excuse: Excuse::Missing };
        let by_status = self.status_field(variant);
        let of_type = if self.input.is_enum { self.input.said.mark.as_ref() } else { None };
        let of_type_is_never = of_type.is_some_and(|mark| matches!(mark.kind, Kind::Never));
        if of_type_is_never {
            self.under_never(variant);
            return judged;
        }
        let Some(mark) = &variant.said.mark else {
            judged.proof = match by_status {
                Some(field) => Proof::ByStatus(field),
                None if of_type.is_some() || !self.input.is_enum => self.answer(variant, &mut judged),
                None => Proof::Failure,
            };
            return judged;
        };
        if let Some(field) = by_status {
            self.diagnostics.error_with_help(
                field.status.as_ref().map(|mark| &mark.tokens),
                format_args!("the status in this field contradicts the mark on `{}`", variant.ident),
                "keep one of them: the field decides at run time, the mark beforehand",
            );
            return judged;
        }
        let restated = matches!(mark.kind, Kind::Answer) && variant.said.because.is_none() && of_type.is_some();
        if restated {
            self.diagnostics.error(&mark.tokens, "the whole enum is marked already: remove this `#[reachable]`");
            return judged;
        }
        judged.proof = match &mark.kind {
            Kind::Statuses(statuses) => {
                judged.statuses = statuses;
                self.answer(variant, &mut judged)
            }
            Kind::Answer | Kind::StatusHere => self.answer(variant, &mut judged),
            Kind::Never => self.no_answer(variant, "`never`", Proof::Failure),
            Kind::Unknown => self.no_answer(variant, "`unknown`", Proof::Unknown),
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
        let mut marked = variant.fields.iter().filter(|field| field.status.is_some());
        let first = marked.next();
        for other in marked {
            let mark = other.status.as_ref().map(|mark| &mark.tokens);
            self.diagnostics.error(mark, "another field holds the status already: mark one of them");
        }
        first
    }

    fn under_never(&mut self, variant: &Variant<'_>) {
        let of_fields = variant.fields.iter().filter_map(|field| field.status.as_ref());
        for mark in variant.said.mark.iter().chain(of_fields) {
            self.diagnostics.error_with_help(
                &mark.tokens,
                format_args!("this mark contradicts `#[reachable(never)]` on `{}`", self.input.ident),
                "remove one of them",
            );
        }
    }

    /// A mark that claims no answer needs no excuse.
    fn no_answer(&mut self, variant: &Variant<'_>, mark: &str, proof: Proof<'a>) -> Proof<'a> {
        if let Some(because) = &variant.said.because {
            self.idle_reason(because, mark);
        }
        proof
    }

    fn idle_reason(&mut self, because: &LitStr, mark: &str) {
        let message = format!("{mark} claims no answer, so there is nothing to give a reason for: remove `because`");
        self.diagnostics.error(because, message);
    }

    fn unneeded_reason(&mut self, because: &LitStr) {
        self.diagnostics.error(
            because,
            "this may be marked without a reason: remove `because`, so that reasons stand only where one is needed",
        );
    }

    /// Judges an error that is marked as an answer.
    fn answer(&mut self, variant: &'a Variant<'a>, judged: &mut Judged<'a>) -> Proof<'a> {
        let own = variant.said.because.as_ref();
        let of_type = if self.input.is_enum { self.input.said.because.as_ref() } else { None };
        judged.because = own.or(of_type);

        let verdict = self.verdict(variant);
        if self.lies(variant, verdict, judged.statuses) {
            // The mark has to go; what becomes of its reason is seen then.
            self.reason_of_type_used = true;
            return Proof::Failure;
        }
        let doubt = self.doubt(variant, verdict, judged.statuses);
        let open = judged.statuses.iter().any(|status| matches!(status, Status::Constant(_)));
        judged.excuse = match (judged.because, doubt) {
            (None, None) => Excuse::Missing,
            (None, Some(doubt)) => {
                self.report(&doubt);
                Excuse::Missing
            }
            (Some(_), Some(_)) => {
                self.reason_of_type_used |= own.is_none();
                Excuse::Needed
            }
            (Some(_), None) if open => {
                self.reason_of_type_used |= own.is_none();
                if own.is_some() { Excuse::ForStatus } else { Excuse::Needed }
            }
            (Some(_), None) => {
                if let Some(own) = own {
                    self.unneeded_reason(own);
                } else {
                    // The reason of the type is for others, and the table of marks does not repeat it here.
                    judged.because = None;
                }
                Excuse::Needed
            }
        };
        Proof::Answer
    }

    fn verdict(&self, variant: &Variant<'_>) -> Verdict {
        let of_type = self.input.ident.to_string();
        if self.input.is_enum {
            names::judge(&of_type, Some(&variant.ident.to_string()))
        } else {
            names::judge(&of_type, None)
        }
    }

    /// Reports what no reason helps against; whether there was anything.
    fn lies(&mut self, variant: &Variant<'_>, verdict: Verdict, statuses: &[Status]) -> bool {
        let mut lied = false;
        if let Verdict::Never(lie) = verdict {
            lied = true;
            let name = variant.ident;
            let message = match lie {
                Lie::Timeout => format!(
                    "`{name}` is named after a timeout, which says that nobody answered: it can never be marked as an answer"
                ),
                Lie::Status(status) => format!("`{name}` is a status by its name: {}", statuses::never_because(status)),
            };
            self.diagnostics.error_with_help(name, message, self.removal());
        }
        for status in statuses {
            let Status::Literal(code, literal) = status else { continue };
            if statuses::class(*code) == Some(Class::Never) {
                lied = true;
                self.diagnostics.error_with_help(literal, statuses::never_because(*code), self.removal());
            }
        }
        lied
    }

    fn report(&mut self, doubt: &Suspicion<'_>) {
        let help = format!(
            "{}; or, if the remote system did answer, say how that is known: `because = \"...\"` in the attribute",
            self.removal()
        );
        match doubt.at {
            At::Name(name) => self.diagnostics.error_with_help(name, &doubt.says, help),
            At::Status(literal) => self.diagnostics.error_with_help(literal, &doubt.says, help),
            At::Text(text) => self.diagnostics.error_with_help(text, &doubt.says, help),
        }
    }

    const fn removal(&self) -> &'static str {
        if !self.input.is_enum {
            "write `#[reachable(never)]` on the type, so that it counts against the circuit"
        } else if self.input.said.mark.is_some() {
            "mark the answers one by one instead of the whole enum"
        } else {
            "remove the mark, so that it counts against the circuit"
        }
    }

    /// What a reason would excuse.
    fn doubt(&self, variant: &'a Variant<'a>, verdict: Verdict, statuses: &'a [Status]) -> Option<Suspicion<'a>> {
        let name = variant.ident;
        if let Verdict::OnlyWithReason(doubt) = verdict {
            let says = match doubt {
                Doubt::Fault(fault) => format!("`{name}` speaks of {}", fault.explained()),
                Doubt::FaultOfType(fault) => {
                    format!("`{name}` belongs to `{}`, which speaks of {}", self.input.ident, fault.explained())
                }
                Doubt::Status(status) => {
                    format!("`{name}` is a status by its name: {}", statuses::doubt_because(status))
                }
                Doubt::Blank => format!("`{name}` does not tell what the remote system answered"),
            };
            return Some(Suspicion { at: At::Name(name), says });
        }
        let doubtful = statuses.iter().find_map(|status| match status {
            Status::Literal(code, literal) if statuses::class(*code) == Some(Class::OnlyWithReason) => {
                Some(Suspicion { at: At::Status(literal), says: statuses::doubt_because(*code).to_owned() })
            }
            _ => None,
        });
        doubtful.or_else(|| {
            let text = variant.text.as_ref()?;
            let phrase = texts::fault_in(&text.value(), &name.to_string())?;
            let says = format!("\"{}\" in this text speaks of {}", phrase.spoken, phrase.fault.explained());
            Some(Suspicion { at: At::Text(text), says })
        })
    }
}

/// Why a mark needs a reason, and the token that says so.
struct Suspicion<'a> {
    at: At<'a>,
    says: String,
}

enum At<'a> {
    Name(&'a Ident),
    Status(&'a syn::Lit),
    Text(&'a LitStr),
}

impl Variant<'_> {
    fn is_marked(&self) -> bool {
        self.said.mark.is_some() || self.fields.iter().any(|field| field.status.is_some())
    }
}
