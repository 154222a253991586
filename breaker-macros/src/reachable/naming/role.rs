//! Roles of the words of a name.

use super::fault::FaultKind;

/// The role of a word in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The end of waiting, which no reason lifts: `timeout`.
    Timeout,
    /// A timeout, except of a thing before it: an `ExamTimeLimitExceeded` may be an answer.
    Deadline,
    /// A fault, whatever precedes it: `timeout`, `unreachable`, `deserialization`.
    Fault(FaultKind),
    /// A fault that not even a thing after it excuses: `CertNotValidForName`.
    Definite(FaultKind),
    /// A format or a part of a message: a malformed message as the last word, and excused by an objection to a thing
    /// after it. An `InvalidJsonPath` is about a path.
    Format,
    /// A format, and after a thing the header of a request: `MissingTenantHeader`.
    Header,
    /// A fault in a name about nothing else, and a quality of a thing otherwise: `net`, `RefundAmountAboveNet`.
    Homonym(FaultKind),
    /// What a request declares about its body. An objection to it is an answer: `MissingContentLength`.
    Declared,
    /// A fault as the last meaningful word, and not a fault before a thing: `CarrierInternalError`, `InternalAccount`.
    Final(FaultKind),
    /// Damage, which is about a subject of the user's before it and about the message otherwise: `MalformedReply` is a
    /// fault, `OwnerIdMalformed` an answer.
    Damage,
    /// A part of a message, and so a malformed message as the name of a variant. A type with such a name
    /// (`ErrorResponse`) is not one.
    Part,
    /// A state of a thing. It is a fault alone or after a fault, and an answer after anything else: `ConnectionClosed`
    /// and `Closed` are faults, `AccountClosed` is an answer.
    State(FaultKind),
    /// The state of a thing that was there before. Of a machine or of a line it is a connection fault: `BrokerLost`,
    /// `HsmLinkLost`, but `ParcelLost`.
    Loss,
    /// A state that is an answer only after [`Role::Goods`]: `StoreUnavailable` is a fault, `ItemUnavailable` an
    /// answer.
    Outage(FaultKind),
    /// A connection fault that is also a thing of its own: the type `ImageProxyError` is named after a thing.
    Resource,
    /// A person or an event for which the remote system waits: a `CustomerTimeout` may be an answer.
    Party,
    /// A good state, which is a fault where the name denies it: `NotReady`, `NoGreetingInTime`.
    Sound(FaultKind),
    /// A good state that is judged like an outage where the name denies it: `NotAvailable`.
    InService,
    /// A limit, which is one of the server's unless a thing is limited: `LimitExceeded`, `SeatLimitExceeded`.
    Limit,
    /// A part of the remote system. It is judged like an outage, and a thing after it does not decide alone:
    /// `ServerMeltdown`.
    System(FaultKind),
    /// A thing that a business may have or lack.
    Goods,
    /// A thing of the user's: every word outside the vocabulary.
    Thing,
    /// A definite answer, whatever precedes it: `found`, `denied`.
    Answer,
    /// A definite answer about a thing, and a fault of the machine that is not there: `NoUpstreamFound`, `HostGone`.
    Found,
    /// A complaint about the thing beside it, so that the thing decides: `not`, `mismatch`.
    Complaint,
    /// A complaint that denies the word after it. A bad state that is denied is an answer: `NotBusy`.
    Not,
    /// A complaint that something is absent: a name with `NoTimeout` is about a setting.
    Lack,
    /// A complaint that can be about a setting: an `InvalidTimeout` does not mean a timeout.
    Objection,
    /// An objection, and a fault of the machine that is not there: `MissingField`, `UpstreamMissing`.
    Missing,
    /// An objection that only a definite answer makes about data: a `MessageTooLarge` was understood.
    Excess,
    /// An objection of the remote system only: a `MissingRequiredHeader` was missing in the request.
    Required,
    /// A word without a meaning alone, and a complaint about a thing beside it: `UnknownError`, `ProxyProfileUnknown`.
    Unknown,
    /// A word without a meaning: `http`, `request`, `other`.
    Blank,
    /// The request, and a word without a meaning alone. An objection to its parts is an answer: `RequestBodyTooLarge`.
    Request,
    /// A connection by another name, and a word without a meaning alone: `SessionDropped`, `StreamName`.
    Line,
    /// An unknown word without a vowel, as technical abbreviations are: a `GdsOffline` is a fault.
    Acronym,
    /// A word without a meaning that can be out of service: a `PaymentServiceUnavailable` is a fault.
    Machinery,
    /// The same, where users create several: the limit of these is a limit of the account, and an unknown one is not
    /// found. `ClusterLimitExceeded`, `UnknownNode`.
    Installation,
    /// A preposition, before which the head of a name ends: `TooManyConnectionsFromHost`.
    Adjunct,
    /// A filler that is not counted: `error`, `failed`, `the`.
    Filler,
}
