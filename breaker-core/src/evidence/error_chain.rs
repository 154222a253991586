//! The chain of an error and the errors inside it.

use std::error::Error;
use std::io;
use std::iter;

use crate::rejection::CircuitOpen;

/// The longest chain that is walked. A longer one is a cycle.
const MAX_LENGTH: usize = 1_000;

/// Returns an iterator over an error and the errors inside it, outermost first.
pub(crate) fn chain<'e>(error: Option<&'e (dyn Error + 'static)>) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    iter::successors(error, |error| inner_error(*error)).take(MAX_LENGTH)
}

/// Returns whether a chain contains a rejection.
pub(crate) fn contains_rejection(error: Option<&(dyn Error + 'static)>) -> bool {
    chain(error).any(<dyn Error>::is::<CircuitOpen>)
}

/// Returns the error that an error wraps: its source, or the payload of an `io::Error`, which its `source()` skips.
fn inner_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;
    use crate::clock::TimeSource;
    use crate::rejection::{Rejection, RejectionReason};

    #[test]
    fn the_error_inside_an_io_error_is_examined() {
        let rejection = CircuitOpen::new(Rejection {
            connection: "shop-7".into(),
            operation: None,
            reason: RejectionReason::InCooldown,
            until: None,
            time: TimeSource::System,
        });
        assert!(contains_rejection(Some(&io::Error::other(io::Error::other(rejection)))));
        assert!(!contains_rejection(Some(&io::Error::other("disk full"))));
    }

    #[test]
    fn a_cyclic_chain_ends() {
        #[derive(Debug)]
        struct Ouroboros;
        impl fmt::Display for Ouroboros {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("again")
            }
        }
        impl Error for Ouroboros {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&Ouroboros)
            }
        }
        assert!(!contains_rejection(Some(&Ouroboros)));
    }
}
