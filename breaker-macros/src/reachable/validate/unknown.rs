//! Validation of an error that is marked as no evidence.

use super::{JudgedVariant, Proof, ReasonForTypes, Validator};
use crate::reachable::naming::{FaultKind, NameVerdict, NeedsReason, Refusal};
use crate::reachable::parse::Variant;

impl<'a> Validator<'a, '_> {
    /// Validates an error that is marked `unknown`. A fault that is never counted never opens the circuit, so a name that
    /// means one needs a reason, as the type of a field does.
    pub(crate) fn unknown(&mut self, variant: &'a Variant<'a>, judged: &mut JudgedVariant<'a>) -> Proof<'a> {
        let fault = hidden_fault(self.verdict(variant));
        judged.because = variant.attrs.because.as_ref();
        match (fault, judged.because) {
            (Some(fault), None) => {
                let name = variant.ident;
                self.diagnostics.error_with_help(
                    name,
                    format_args!("`{name}` means {fault}; under `unknown` it would never open the circuit"),
                    "remove the mark, so that it counts against the circuit; or, if it proves nothing about the remote \
                     system, state how that is known: `because = \"...\"` in the attribute",
                );
            }
            (Some(_), Some(_)) => judged.reason_for_types = ReasonForTypes::Given,
            (None, Some(because)) if variant.has_types_to_check() => {
                judged.reason_for_types = ReasonForTypes::OnlyForTypes(because);
            }
            (None, Some(because)) => self.idle_reason(because, "`unknown`"),
            (None, None) => {}
        }
        Proof::Unknown
    }
}

/// Returns the fault of the remote system that a name means, if it means one for certain.
fn hidden_fault(verdict: NameVerdict) -> Option<&'static str> {
    let fault = match verdict {
        NameVerdict::Never(Refusal::Timeout) | NameVerdict::OnlyWithReason(NeedsReason::Fault(FaultKind::Timeout)) => {
            FaultKind::Timeout
        }
        // The statuses that are failures in a `#[reachable(status)]` field, without the 408 of an idle connection.
        NameVerdict::Never(Refusal::Status(500..=599))
        | NameVerdict::OnlyWithReason(NeedsReason::Status(500..=599)) => FaultKind::Server,
        NameVerdict::Never(Refusal::Status(444 | 460 | 499))
        | NameVerdict::OnlyWithReason(NeedsReason::Fault(FaultKind::Connection)) => FaultKind::Connection,
        NameVerdict::Freely | NameVerdict::OnlyWithReason(_) | NameVerdict::Never(Refusal::Status(_)) => return None,
    };
    Some(fault.explained())
}
