//! Numbers of outer calls, whose end may have an effect through their inner calls.

use super::counters::Counters;
use super::inner::Locked;
use super::{Inner, Ticket, nesting};
use crate::machine::{CallNumber, Nesting};

impl Inner {
    /// Ends an outer call that did not fail by itself and whose inner calls have reported.
    pub(crate) fn end_outer_call(&self, ticket: Ticket) {
        let now = self.now();
        let outer = nesting::outer_ticket(self.identity(), ticket.era());
        let mut locked = self.lock();
        let nesting = locked.nesting(ticket, outer);
        locked.machine.end_outer_call(self.settings(), ticket.era(), nesting);
        self.publish(&locked.machine, now);
        self.number_outer_call(&mut locked, outer, nesting);
    }

    /// Gives the outer call its number, if the machine remembers a part of it.
    #[inline]
    pub(super) fn number_outer_call(&self, locked: &mut Locked, outer: Option<Ticket>, nesting: Nesting) {
        if let Some(outer) = outer {
            self.give_number(locked, outer, nesting.outer);
        }
    }

    #[cold]
    fn give_number(&self, locked: &mut Locked, outer: Ticket, number: CallNumber) {
        if outer.number() != number && locked.machine.remembers(number) {
            locked.counters.get_or_insert_default().use_number(number);
            nesting::set_outer_number(self.identity(), outer.era(), number);
        }
    }
}

impl Locked {
    /// The nesting of a call. An outer call without a number gets the next one, which is used up only by
    /// [`number_outer_call`](Inner::number_outer_call).
    #[inline]
    pub(super) fn nesting(&self, call: Ticket, outer: Option<Ticket>) -> Nesting {
        Nesting { own: call.number(), outer: outer.map_or(CallNumber::NONE, |outer| self.number_of(outer)) }
    }

    #[cold]
    fn number_of(&self, outer: Ticket) -> CallNumber {
        match outer.number() {
            CallNumber::NONE => self.counters.as_deref().map_or(CallNumber::NONE.next(), Counters::next_number),
            number => number,
        }
    }
}
