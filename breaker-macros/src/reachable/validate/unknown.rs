//! Validation of an error that is marked as no evidence.

use super::{JudgedVariant, Proof, ReasonForTypes, Validator};
use crate::reachable::naming::error_text;
use crate::reachable::naming::{self, FaultKind, NameVerdict, NeedsReason, Refusal};
use crate::reachable::parse::Variant;

/// What a name means under `unknown`.
#[derive(Clone, Copy)]
enum Hidden {
    /// A fault of the remote system, which needs a reason.
    Fault(FaultKind),
    /// Perhaps a fault of the remote system, so that a reason is welcome.
    Perhaps,
    /// Nothing: a definite answer, rejected credentials or a limit of calls.
    Nothing,
}

impl<'a> Validator<'a, '_> {
    /// Validates an error that is marked `unknown`. A fault that is never counted never opens the circuit, so a name or
    /// a text that means one needs a reason, as the type of a field does.
    pub(crate) fn unknown(&mut self, variant: &'a Variant<'a>, judged: &mut JudgedVariant<'a>) -> Proof<'a> {
        let name = variant.ident.to_string();
        let verdict = self.verdict(variant);
        let hidden = hidden_by(verdict);
        let found = variant.text.as_ref().and_then(|text| Some((text, error_text::fault_in(&text.value(), &name)?)));
        judged.because = variant.attrs.because.as_ref();
        judged.may_hold_status = implies_status(verdict, &name);
        // A `RequestTimeout` is a 408, whose text may mention a timeout.
        let found = found.filter(|(_, phrase)| may_be_an_outage(phrase.fault) && !judged.may_hold_status);
        let help = "remove the mark, so that it counts against the circuit; or, if it proves nothing about the remote \
                    system, state how that is known: `because = \"...\"` in the attribute";
        match (hidden, found, judged.because) {
            (Hidden::Fault(fault), _, None) => {
                let fault = fault.explained();
                self.diagnostics.error_with_help(
                    variant.ident,
                    format_args!("`{name}` means {fault}; under `unknown` it would never open the circuit"),
                    help,
                );
            }
            (_, Some((text, phrase)), None) => {
                let (phrase, fault) = (phrase.text, phrase.fault.explained());
                self.diagnostics.error_with_help(
                    text,
                    format_args!(
                        "\"{phrase}\" in this text means {fault}; under `unknown` it would never open the circuit"
                    ),
                    help,
                );
            }
            (Hidden::Nothing, None, Some(because)) if variant.has_types_to_check() => {
                judged.reason_for_types = ReasonForTypes::OnlyForTypes(because);
            }
            (Hidden::Nothing, None, Some(because)) => self.idle_reason(because, "`unknown`"),
            (_, _, Some(_)) => judged.reason_for_types = ReasonForTypes::Given,
            (_, None, None) => {}
        }
        Proof::Unknown
    }
}

/// Words of rejected credentials. Their status is a 401 or a 403.
const CREDENTIALS: &[&str] = &[
    "auth",
    "authentication",
    "unauthorized",
    "unauthenticated",
    "credentials",
    "token",
    "login",
    "password",
    "forbidden",
];

/// Whether the name of an error implies its status, so that a field with the status hides nothing.
fn implies_status(verdict: NameVerdict, name: &str) -> bool {
    match verdict {
        NameVerdict::OnlyWithReason(NeedsReason::Fault(FaultKind::RateLimit) | NeedsReason::Status(_))
        | NameVerdict::Never(Refusal::Status(_)) => true,
        NameVerdict::Freely => naming::words_of(name).iter().any(|word| CREDENTIALS.contains(&word.as_str())),
        _ => false,
    }
}

/// Whether a fault shows that the remote system may be down. A malformed message may be one that was never sent.
const fn may_be_an_outage(fault: FaultKind) -> bool {
    matches!(fault, FaultKind::Timeout | FaultKind::Connection | FaultKind::Server)
}

fn hidden_by(verdict: NameVerdict) -> Hidden {
    match verdict {
        NameVerdict::Never(Refusal::Timeout) => Hidden::Fault(FaultKind::Timeout),
        // The statuses that are failures in a `#[reachable(status)]` field, without the 408 of an idle connection.
        NameVerdict::Never(Refusal::Status(500..=599))
        | NameVerdict::OnlyWithReason(NeedsReason::Status(500..=599)) => Hidden::Fault(FaultKind::Server),
        NameVerdict::Never(Refusal::Status(444 | 460 | 499)) => Hidden::Fault(FaultKind::Connection),
        NameVerdict::OnlyWithReason(NeedsReason::Fault(fault)) if may_be_an_outage(fault) => Hidden::Fault(fault),
        NameVerdict::Freely
        | NameVerdict::Never(Refusal::Status(_))
        | NameVerdict::OnlyWithReason(
            NeedsReason::Fault(FaultKind::RateLimit) | NeedsReason::Status(401 | 408 | 429),
        ) => Hidden::Nothing,
        NameVerdict::OnlyWithReason(_) => Hidden::Perhaps,
    }
}
