//! Rules that judge a name by the roles of its words.

use super::fault::FaultKind;
use super::role::Role;
use super::{NameVerdict, NeedsReason, Refusal, vocabulary};

/// Goes through the words from the last to the first, until one decides.
pub(super) fn judge_roles(roles: &[Role], of_database: bool) -> NameVerdict {
    // An `UnknownNode` is an answer about a node, an `UnknownNodeError` means nothing.
    if matches!(roles, [.., Role::Unknown, Role::Installation] | [.., Role::Installation, Role::Unknown]) {
        return NameVerdict::Freely;
    }
    if is_without_machine(roles) {
        return NameVerdict::OnlyWithReason(NeedsReason::Fault(FaultKind::Connection));
    }
    let objections = Objections::in_roles(roles);
    let mut blank = true;
    let mut state = None;
    let mut outage = false;
    let mut is_out = false;
    let mut machinery = false;
    let mut limited = false;
    for (at, role) in roles.iter().enumerate().rev() {
        if objections.excuse(*role, roles) || matches!(role, Role::Homonym(FaultKind::Malformed) if of_database) {
            return NameVerdict::Freely;
        }
        if let Some(fault) = fault_of_subject(roles, at) {
            return NameVerdict::OnlyWithReason(NeedsReason::Fault(fault));
        }
        match *role {
            Role::Machinery | Role::Installation if is_out => machinery = true,
            Role::Installation if limited => return NameVerdict::Freely,
            // Acronyms, headers and deadlines have been settled by their neighbors.
            Role::Filler
            | Role::Adjunct
            | Role::Blank
            | Role::Line
            | Role::Acronym
            | Role::Header
            | Role::Deadline
            | Role::Machinery
            | Role::Installation
            | Role::Unknown
            | Role::Request => {}
            Role::Complaint
            | Role::Objection
            | Role::Missing
            | Role::Excess
            | Role::Required
            | Role::Sound(_)
            | Role::InService
            | Role::Not
            | Role::Lack => blank = false,
            Role::Loss => state = state.or(Some(FaultKind::Connection)),
            Role::State(fault) => state = state.or(Some(fault)),
            Role::Limit => {
                state = state.or(Some(FaultKind::RateLimit));
                limited = true;
            }
            // An application that is incomplete was filled in by a person.
            Role::Damage if subject(roles, at) == Some(Role::Installation) => return NameVerdict::Freely,
            Role::Damage => state = state.or(Some(FaultKind::Malformed)),
            Role::Outage(fault) | Role::System(fault) => {
                state = state.or(Some(fault));
                outage = true;
                machinery |= is_out && matches!(role, Role::System(_));
                is_out |= matches!(role, Role::Outage(_));
            }
            // A person, not the remote system.
            Role::Fault(FaultKind::Connection) if subject(roles, at) == Some(Role::Party) => {
                return NameVerdict::Freely;
            }
            Role::Timeout if at > 0 && roles[at - 1] == Role::Lack => return NameVerdict::Freely,
            Role::Timeout if at > 0 && roles[at - 1] == Role::Party => {
                return NameVerdict::OnlyWithReason(NeedsReason::Fault(FaultKind::Timeout));
            }
            Role::Timeout => return NameVerdict::Never(Refusal::Timeout),
            Role::Resource => return NameVerdict::OnlyWithReason(NeedsReason::Fault(FaultKind::Connection)),
            Role::Fault(fault) | Role::Definite(fault) | Role::Homonym(fault) | Role::Final(fault) => {
                return NameVerdict::OnlyWithReason(NeedsReason::Fault(fault));
            }
            Role::Part | Role::Format | Role::Declared => {
                return NameVerdict::OnlyWithReason(NeedsReason::Fault(FaultKind::Malformed));
            }
            // The state decides whatever is out of service.
            Role::Thing if outage => break,
            // In this name the maker of the thing is out of service, not the thing itself.
            Role::Goods | Role::Party if machinery => break,
            Role::Thing | Role::Goods | Role::Party => {
                let fault =
                    unexcused(roles, at).filter(|fault| !objections.of_request || *fault != FaultKind::Malformed);
                return fault
                    .map_or(NameVerdict::Freely, |fault| NameVerdict::OnlyWithReason(NeedsReason::Fault(fault)));
            }
            Role::Answer | Role::Found => return NameVerdict::Freely,
        }
    }
    match state {
        Some(fault) => NameVerdict::OnlyWithReason(NeedsReason::Fault(fault)),
        None if blank => NameVerdict::OnlyWithReason(NeedsReason::Blank),
        None => NameVerdict::Freely,
    }
}

/// The fault that the words before a preposition mean: the head of `TooManyConnectionsFromHost`.
pub(super) fn head_fault(roles: &[Role], of_database: bool) -> Option<FaultKind> {
    let (head, _) = roles.split_at(roles.iter().position(|role| *role == Role::Adjunct)?);
    let is_certain = |role: &Role| {
        matches!(
            role,
            Role::Timeout
                | Role::Definite(_)
                | Role::Fault(FaultKind::Timeout | FaultKind::Server | FaultKind::RateLimit)
        )
    };
    match judge_roles(head, of_database) {
        NameVerdict::Never(Refusal::Timeout) => Some(FaultKind::Timeout),
        NameVerdict::OnlyWithReason(NeedsReason::Fault(fault)) if head.iter().any(is_certain) => Some(fault),
        _ => None,
    }
}

/// Whether a name says that a machine is not there, and nothing else: `NoBackendFound`, `UpstreamMissing`, `HostGone`.
/// A `ProxyNotFound` may be an answer of an API for proxies.
fn is_without_machine(roles: &[Role]) -> bool {
    let is_machine = |role: &Role| {
        matches!(role, Role::Fault(FaultKind::Connection) | Role::Resource | Role::System(_) | Role::Machinery)
    };
    let said: Vec<Role> =
        roles.iter().filter(|role| !matches!(role, Role::Filler | Role::Complaint)).copied().collect();
    match said.as_slice() {
        [Role::Lack, machines @ .., Role::Found]
        | [Role::Lack, machines @ ..]
        | [machines @ .., Role::Missing | Role::Found | Role::Not] => {
            !machines.is_empty() && machines.iter().all(is_machine)
        }
        _ => false,
    }
}

/// The objections in a name, which say that the remote system found something wrong.
struct Objections {
    /// A setting or a part of the request may be wrong, which is not a fault.
    any: bool,
    excess: bool,
    of_request: bool,
}

impl Objections {
    fn in_roles(roles: &[Role]) -> Self {
        let of = |role: Role| roles.contains(&role);
        let (excess, required) = (of(Role::Excess), of(Role::Required));
        let any = of(Role::Objection) || of(Role::Missing) || excess || required;
        let of_request = required
            || of(Role::Request) && (any || of(Role::Damage))
            || roles.windows(2).any(|pair| matches!(pair, [Role::Request, Role::Part]))
                && (of(Role::Complaint) || of(Role::Lack));
        Self { any, excess, of_request }
    }

    /// Whether an objection makes a word an answer that would be a fault.
    fn excuse(&self, role: Role, roles: &[Role]) -> bool {
        let of = |role: Role| roles.contains(&role);
        match role {
            Role::State(FaultKind::Malformed) | Role::Damage | Role::Format | Role::Part | Role::Declared
                if self.of_request =>
            {
                true
            }
            Role::System(_) => self.excess || of(Role::Required),
            Role::State(FaultKind::Malformed) => self.excess,
            Role::Declared => self.any && !of(Role::Part) && !of(Role::Definite(FaultKind::Malformed)),
            Role::Homonym(_) => roles.iter().any(|role| matches!(role, Role::Thing | Role::Goods | Role::Party)),
            // A timeout, a back-off, a quota or a capacity may be a setting.
            Role::State(FaultKind::Server)
            | Role::Limit
            | Role::Timeout
            | Role::Fault(FaultKind::Timeout | FaultKind::Server | FaultKind::RateLimit) => self.any,
            _ => false,
        }
    }
}

/// The fault that a state means whatever else the name contains, because the word before it is a machine or a line.
fn fault_of_subject(roles: &[Role], at: usize) -> Option<FaultKind> {
    match (roles[at], subject(roles, at)?) {
        (Role::Loss, Role::Machinery | Role::Installation | Role::System(_) | Role::Line) => {
            Some(FaultKind::Connection)
        }
        (Role::State(fault), Role::Machinery | Role::System(_)) => Some(fault),
        (Role::State(FaultKind::Server), Role::Installation) => Some(FaultKind::Server),
        (Role::Damage, Role::Line | Role::Machinery) => Some(FaultKind::Malformed),
        _ => None,
    }
}

/// The word that the state at `state` is about.
fn subject(roles: &[Role], state: usize) -> Option<Role> {
    let links = |role: &Role| matches!(role, Role::Filler | Role::Complaint | Role::Not | Role::Answer | Role::Found);
    roles[..state].iter().rev().find(|role| !links(role)).copied()
}

/// The fault before the thing at `thing` that the thing does not excuse.
///
/// A `ConnectionNameTooLong` is about a name, but `ConnectInvoice` and `CouldNotConnectToShop` are about connecting:
/// the name must state something about the thing itself.
fn unexcused(roles: &[Role], thing: usize) -> Option<FaultKind> {
    let objected = roles
        .iter()
        .any(|role| matches!(role, Role::Objection | Role::Missing | Role::Excess | Role::Required | Role::Unknown));
    let is_complaint = |role: &Role| matches!(role, Role::Complaint | Role::Not | Role::Lack);
    let is_state = |role: &Role| matches!(role, Role::State(_) | Role::Loss | Role::Outage(_));
    let mut excused = objected
        || roles[thing..].iter().any(is_complaint)
        || roles[thing] != Role::Thing && roles[thing..].iter().any(is_state);
    for role in roles[..thing].iter().rev() {
        match *role {
            Role::Answer | Role::Found => return None,
            Role::Complaint | Role::Not | Role::Lack => excused = true,
            Role::Definite(fault) => return Some(fault),
            Role::Format if objected && roles[thing] == Role::Goods => {}
            Role::Damage if roles[thing] == Role::Thing && !objected => return Some(FaultKind::Malformed),
            Role::Part | Role::Format | Role::Declared => return Some(FaultKind::Malformed),
            Role::Timeout if !excused => return Some(FaultKind::Timeout),
            Role::Fault(fault) if !excused => return Some(fault),
            Role::Resource if !excused => return Some(FaultKind::Connection),
            Role::System(fault) if !excused && roles[thing] == Role::Thing => return Some(fault),
            _ => {}
        }
    }
    None
}

/// The role of each word, or of each row of words that belong together.
pub(super) fn roles(words: &[String]) -> Vec<Role> {
    let mut roles = Vec::with_capacity(words.len());
    let mut rest = words;
    while !rest.is_empty() {
        let (role, taken) = vocabulary::look_up(rest);
        roles.push(role);
        rest = &rest[taken..];
    }
    settle_by_neighbors(&mut roles);
    apply_denials(&mut roles);
    roles
}

/// Replaces each role that depends on the words beside it.
fn settle_by_neighbors(roles: &mut [Role]) {
    for at in 0..roles.len() {
        let before = roles[..at].iter().rev().find(|role| !matches!(role, Role::Filler | Role::Blank)).copied();
        let of_thing = matches!(before, Some(Role::Thing | Role::Goods | Role::Party));
        roles[at] = match (roles[at], roles.get(at + 1)) {
            (Role::Acronym, Some(Role::Loss | Role::Line | Role::State(FaultKind::Server))) => Role::Machinery,
            (Role::Acronym, _) => Role::Thing,
            (Role::Header, _) if of_thing || before == Some(Role::Machinery) => Role::Declared,
            (Role::Header, _) => Role::Format,
            (Role::Deadline, _) if matches!(before, Some(Role::Goods | Role::Party)) => Role::Answer,
            (Role::Deadline, _) if of_thing => Role::Fault(FaultKind::Timeout),
            (Role::Deadline, _) => Role::Timeout,
            (role, _) => role,
        };
    }
}

/// Turns a denied bad state into an answer (`NotBusy`), and a good state into a fault where the name denies anything
/// (`NotReady`).
fn apply_denials(roles: &mut [Role]) {
    let is_negated = roles.iter().any(|role| matches!(role, Role::Not | Role::Lack));
    let is_denied = is_negated || roles.contains(&Role::Complaint);
    let is_thing = |role: &Role| matches!(role, Role::Thing | Role::Goods | Role::Party);
    let of_thing = roles.iter().any(is_thing);
    let mut after_not = false;
    let mut last = Role::Filler;
    for role in roles {
        let before = std::mem::replace(&mut last, *role);
        match *role {
            Role::Not => after_not = true,
            Role::Filler | Role::Blank | Role::Line => {}
            Role::Timeout
            | Role::Fault(FaultKind::Server | FaultKind::RateLimit)
            | Role::Final(_)
            | Role::Outage(_)
            | Role::Limit
                if after_not =>
            {
                *role = Role::Answer;
            }
            Role::Loss if after_not => *role = Role::Answer,
            Role::State(fault) if after_not && fault != FaultKind::Malformed => *role = Role::Answer,
            // What did not happen in time is an act of the user's domain (`NotPaidInTime`), or the answer.
            Role::Sound(FaultKind::Timeout) if is_thing(&before) || before == Role::Complaint && of_thing => {}
            Role::Sound(FaultKind::Timeout) if is_negated => *role = Role::Fault(FaultKind::Timeout),
            Role::Sound(fault) if is_denied && fault != FaultKind::Timeout => *role = Role::State(fault),
            Role::InService if is_denied => *role = Role::Outage(FaultKind::Server),
            _ => after_not = false,
        }
    }
}
