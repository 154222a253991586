//! The progress of one call: its ticket and its state.

use super::{CallState, Ticket, nesting};

/// The ticket of a call and its state.
///
/// The ticket of a plain call is the one that it was admitted with. Otherwise it is marked, so that it equals no word of
/// the circuit. So a call ends without a look at its state if the word of the circuit equals its ticket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    ticket: Ticket,
    /// Not in use once the ticket is [`Ticket::SETTLED`], except to show that the call was rejected.
    state: CallState,
}

impl Progress {
    pub(crate) const UNADMITTED: Self = Self { ticket: Ticket::UNADMITTED, state: CallState::UNADMITTED };
    pub(crate) const REJECTED: Self = Self { ticket: Ticket::SETTLED, state: CallState::REJECTED };

    /// The progress of a call that a closed circuit has admitted.
    #[inline]
    pub(crate) fn plain(ticket: Ticket) -> Self {
        Self { ticket, state: CallState::PLAIN }
    }

    pub(crate) fn new(ticket: Ticket, state: CallState) -> Self {
        Self { ticket: if state == CallState::PLAIN { ticket } else { ticket.marked() }, state }
    }

    /// The ticket, with its mark.
    #[inline]
    pub(crate) fn ticket(self) -> Ticket {
        self.ticket
    }

    pub(crate) fn state(self) -> CallState {
        self.state
    }

    #[inline]
    pub(crate) fn is_unadmitted(self) -> bool {
        self.ticket == Ticket::UNADMITTED
    }

    pub(crate) fn is_rejected(self) -> bool {
        self.state == CallState::REJECTED
    }

    /// Whether the call is settled, or was rejected.
    #[inline]
    pub(crate) fn is_settled(self) -> bool {
        self.ticket == Ticket::SETTLED
    }

    /// Whether the call was admitted and is not settled yet.
    pub(crate) fn is_in_progress(self) -> bool {
        !self.is_settled() && self.state.is_in_progress()
    }

    #[inline]
    pub(crate) fn settle(&mut self) {
        self.ticket = Ticket::SETTLED;
    }

    /// Settles the call, and returns its ticket without the mark, and its state.
    #[inline]
    pub(crate) fn take(&mut self) -> (Ticket, CallState) {
        let Self { ticket, state } = *self;
        self.settle();
        (ticket.unmarked(), if ticket == Ticket::SETTLED { CallState::SETTLED } else { state })
    }

    /// Takes the call off the stack of running calls, and keeps what its inner calls have reported there.
    #[inline]
    pub(crate) fn leave_stack(&mut self) {
        if !nesting::pop() {
            self.leave_stack_with_notes();
        }
    }

    /// By its ABI, it does not unwind, so that the function of a call needs no code for that.
    #[cold]
    extern "C" fn leave_stack_with_notes(&mut self) {
        let (reports, ticket) = nesting::pop_with_notes();
        if !self.is_settled() {
            self.state.absorb(reports);
            *self = Self::new(ticket.unmarked(), self.state);
        }
    }

    pub(crate) fn start_dropping(&mut self) {
        self.state.start_dropping();
        *self = Self::new(self.ticket, self.state);
    }
}
