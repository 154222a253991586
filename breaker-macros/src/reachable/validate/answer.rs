//! Validation of an error that is marked as an answer: its name, its statuses and its text.

use proc_macro2::Ident;
use syn::LitStr;

use super::{JudgedVariant, Proof, ReasonForTypes, Validator};
use crate::reachable::http_status::{self, Class};
use crate::reachable::naming::error_text;
use crate::reachable::naming::{self, FaultKind, NameVerdict, NeedsReason, Refusal};
use crate::reachable::parse::Variant;
use crate::reachable::parse::status::Status;

impl<'a> Validator<'a, '_> {
    /// Validates an error that is marked as an answer.
    pub(crate) fn answer(&mut self, variant: &'a Variant<'a>, judged: &mut JudgedVariant<'a>) -> Proof<'a> {
        let own = variant.attrs.because.as_ref();
        let of_type = if self.input.is_enum { self.input.attrs.because.as_ref() } else { None };
        judged.because = own.or(of_type);

        let verdict = self.verdict(variant);
        let is_refused = self.refuse(variant, verdict, judged.statuses);
        let suspicion = self.suspicion(variant, verdict, judged.statuses);
        if is_refused {
            // Either the mark or the status has to be changed first. The reason is judged after that.
            self.reason_of_type_used = true;
            // The other statuses of the list would be reported next otherwise.
            if let (Some(suspicion), None, true) = (suspicion, judged.because, mark_remains(verdict, judged.statuses)) {
                self.report(&suspicion);
            }
            return Proof::Failure;
        }
        let open = judged.statuses.iter().any(|status| matches!(status, Status::Constant(_)));
        let has_types = variant.has_types_to_check();
        if judged.because.is_some() {
            judged.reason_for_types = ReasonForTypes::Given;
        }
        match (suspicion, judged.because, own) {
            (Some(suspicion), None, _) => self.report(&suspicion),
            // The compiler decides whether the reason of the type is needed here, so nothing is reported.
            (Some(_), Some(_), None) => self.reason_of_type_used = true,
            (None, Some(_), None) if open => self.reason_of_type_used = true,
            (None, Some(_), None) if has_types => {
                self.reason_of_type_used = true;
                judged.because = None;
            }
            // The reason of the type belongs to other variants, so the table of marks does not repeat it here.
            (None, Some(_), None) => judged.because = None,
            (None, None, _) | (Some(_), Some(_), Some(_)) => {}
            // A constant or a type may need it, and no check sees both.
            (None, Some(_), Some(_)) if open && has_types => {}
            (None, Some(_), Some(own)) if open => judged.reason_for_constants = Some(own),
            (None, Some(_), Some(own)) if has_types => judged.reason_for_types = ReasonForTypes::OnlyForTypes(own),
            (None, Some(_), Some(own)) => self.unneeded_reason(own),
        }
        Proof::Answer
    }

    pub(super) fn verdict(&self, variant: &Variant<'_>) -> NameVerdict {
        let of_type = self.input.ident.to_string();
        if self.input.is_enum {
            naming::judge(&of_type, Some(&variant.ident.to_string()))
        } else {
            naming::judge(&of_type, None)
        }
    }

    /// Reports the refusals that no reason lifts. Returns whether there were any.
    fn refuse(&mut self, variant: &Variant<'_>, verdict: NameVerdict, statuses: &[Status]) -> bool {
        let mut is_refused = false;
        if let (NameVerdict::Never(refusal), false) = (verdict, yields_to(statuses)) {
            is_refused = true;
            let name = variant.ident;
            let message = match refusal {
                Refusal::Timeout => format!(
                    "`{name}` is a timeout by its name, and after a timeout no answer came: it can never be marked as an answer"
                ),
                Refusal::Status(status) => {
                    format!("`{name}` is a status by its name: {}", http_status::never_because(status))
                }
            };
            let mut help = self.removal_of(status_of(refusal));
            if variant.attrs.because.is_some() && statuses.is_empty() {
                help.push_str(
                    "; a reason needs the status that the remote system answers with, such as `#[reachable(status = 404, because = \"...\")]`",
                );
            }
            self.diagnostics.error_with_help(name, message, help);
        }
        for status in statuses {
            let Status::Literal(code, literal) = status else { continue };
            if http_status::class(*code) == Some(Class::Never) {
                is_refused = true;
                if is_same_status(verdict, *code) {
                    continue;
                }
                let help = if mark_remains(verdict, statuses) {
                    format!("remove it from the list; or {}", self.removal_of(Some(*code)))
                } else {
                    self.removal_of(Some(*code))
                };
                self.diagnostics.error_with_help(literal, http_status::never_because(*code), help);
            }
        }
        is_refused
    }

    fn report(&mut self, suspicion: &Suspicion<'_>) {
        let help = format!(
            "{}; or, if the remote system did answer, state how that is known: `because = \"...\"` in the attribute",
            self.removal_of(suspicion.status)
        );
        match suspicion.at {
            At::Name(name) => self.diagnostics.error_with_help(name, &suspicion.message, help),
            At::Status(literal) => self.diagnostics.error_with_help(literal, &suspicion.message, help),
            At::Text(text) => self.diagnostics.error_with_help(text, &suspicion.message, help),
        }
    }

    const fn removal(&self) -> &'static str {
        if !self.input.is_enum {
            "write `#[reachable(never)]` on the type, so that it counts against the circuit"
        } else if self.input.attrs.mark.is_some() {
            "mark each answer instead of the whole enum"
        } else {
            "remove the mark, so that it counts against the circuit"
        }
    }

    /// The removal of a mark on this status. A status without evidence can be marked as unknown instead.
    fn removal_of(&self, status: Option<u16>) -> String {
        let removal = self.removal();
        match status {
            Some(status) if is_no_evidence(status) => format!(
                "{removal}; or write `#[reachable(unknown)]`, if it proves nothing about the remote system and must not count"
            ),
            _ => removal.to_owned(),
        }
    }

    /// Returns what a reason would lift.
    fn suspicion(
        &self,
        variant: &'a Variant<'a>,
        verdict: NameVerdict,
        statuses: &'a [Status],
    ) -> Option<Suspicion<'a>> {
        let name = variant.ident;
        if let (NameVerdict::Never(refusal), true) = (verdict, yields_to(statuses)) {
            let message = match refusal {
                Refusal::Timeout => format!(
                    "`{name}` is a timeout by its name, and after a timeout no answer came: even with a status of an answer it may be marked only with `because = \"...\"`"
                ),
                Refusal::Status(named) => format!(
                    "`{name}` is the status {named} by its name, which contradicts the status of the mark: it may be marked only with `because = \"...\"`"
                ),
            };
            return Some(Suspicion { at: At::Name(name), message, status: status_of(refusal) });
        }
        if let NameVerdict::OnlyWithReason(suspicion) = verdict {
            let status = match suspicion {
                NeedsReason::Status(status) => Some(status),
                NeedsReason::Fault(fault) => status_of_fault(fault),
                _ => None,
            };
            let message = match suspicion {
                NeedsReason::Fault(fault) => format!("`{name}` means {}", fault.explained()),
                NeedsReason::FaultOfType(fault) => {
                    format!("`{name}` belongs to `{}`, which means {}", self.input.ident, fault.explained())
                }
                NeedsReason::Status(status) => {
                    format!("`{name}` is a status by its name: {}", http_status::reason_needed_because(status))
                }
                NeedsReason::Disguised => format!(
                    "`{name}` has a word with letters of several alphabets, so it may not be the word that it looks like"
                ),
                NeedsReason::Blank => format!("`{name}` does not name an answer of the remote system"),
            };
            return Some(Suspicion { at: At::Name(name), message, status });
        }
        let doubtful = statuses.iter().find_map(|status| match status {
            Status::Literal(code, literal) if http_status::class(*code) == Some(Class::OnlyWithReason) => {
                Some(Suspicion {
                    at: At::Status(literal),
                    message: http_status::reason_needed_because(*code).to_owned(),
                    status: Some(*code),
                })
            }
            _ => None,
        });
        doubtful.or_else(|| {
            let text = variant.text.as_ref()?;
            let phrase = error_text::fault_in(&text.value(), &name.to_string())?;
            let message = format!("\"{}\" in this text means {}", phrase.text, phrase.fault.explained());
            Some(Suspicion { at: At::Text(text), message, status: status_of_fault(phrase.fault) })
        })
    }
}

/// Whether a status only repeats the refusal of the name, so that one mistake causes one error.
const fn is_same_status(verdict: NameVerdict, code: u16) -> bool {
    match verdict {
        NameVerdict::Never(Refusal::Timeout | Refusal::Status(408)) => {
            matches!(code, 408 | 460 | 499 | 504 | 522 | 524 | 598 | 599)
        }
        // The name may mean any 5xx.
        NameVerdict::Never(Refusal::Status(named)) => named == code || (named >= 500 && code >= 500),
        _ => false,
    }
}

/// The status that a name is.
const fn status_of(refusal: Refusal) -> Option<u16> {
    match refusal {
        Refusal::Timeout => None,
        Refusal::Status(status) => Some(status),
    }
}

/// The status of a fault that has one.
const fn status_of_fault(fault: FaultKind) -> Option<u16> {
    match fault {
        FaultKind::RateLimit => Some(429),
        _ => None,
    }
}

/// Whether a status rejects credentials or is a rate limit, so that it proves neither that the remote system works nor
/// that it is down.
const fn is_no_evidence(status: u16) -> bool {
    matches!(status, 401 | 419 | 420 | 429 | 440 | 498)
}

/// Whether a name that is never an answer yields to the statuses of the mark, with a reason. Each must be a literal of
/// an answer: 402 of a payment service may mean that the customer did not confirm in time.
fn yields_to(statuses: &[Status]) -> bool {
    let is_answer = |status: &Status| matches!(status, Status::Literal(code, _) if http_status::class(*code) == Some(Class::Freely));
    !statuses.is_empty() && statuses.iter().all(is_answer)
}

/// Whether a mark remains without the statuses that can never be answers.
fn mark_remains(verdict: NameVerdict, statuses: &[Status]) -> bool {
    let is_never =
        |status: &Status| matches!(status, Status::Literal(code, _) if http_status::class(*code) == Some(Class::Never));
    !matches!(verdict, NameVerdict::Never(_)) && !statuses.iter().all(is_never)
}

/// Why a mark needs a reason, and the token for the error.
struct Suspicion<'a> {
    at: At<'a>,
    message: String,
    /// The status that caused it, if any.
    status: Option<u16>,
}

enum At<'a> {
    Name(&'a Ident),
    Status(&'a syn::Lit),
    Text(&'a LitStr),
}
