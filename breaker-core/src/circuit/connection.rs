//! Connections: the identity of one remote system.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use super::Circuit;
use crate::key::Key;

/// The identity of one remote system in your code: one shop, one tenant's CRM, one payment provider.
///
/// Text, integers, pairs and triples of connections, [`Circuit`] itself, and references and smart pointers to these
/// implement it already. Implement it for your own type with the fields that distinguish one remote system from
/// another:
///
/// ```
/// use breaker_core::{Connection, Key};
///
/// struct SystemConnection { id: u64 }
///
/// impl Connection for SystemConnection {
///     fn key(&self) -> Key<'_> {
///         Key::from(("crm", self.id))
///     }
/// }
///
/// assert_eq!(SystemConnection { id: 7 }.key(), "crm:7");
/// ```
///
/// Give one key to everything that fails together: one for each remote system, not one for each user or request.
///
/// A panic in one of the methods reaches the caller before the call is admitted, so it has no effect on a circuit.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not identify a connection",
    label = "not a `Connection`",
    note = "use text, an integer, a pair or triple of these, or a `Circuit`; or implement `breaker_core::Connection` for your own type"
)]
pub trait Connection {
    /// The key of the connection. Connections with equal keys share one circuit of a registry.
    ///
    /// It is called for each guarded call, so it should be cheap. A [`Key`] of borrowed text, of an integer or of a
    /// short pair does not allocate.
    fn key(&self) -> Key<'_>;

    /// The circuit of the connection, if this value stores it. Default `None`: the circuit is looked up in the registry
    /// by its key.
    ///
    /// Guarded calls and [`Registry::circuit`](crate::Registry::circuit) use a stored circuit whatever its registry is.
    /// [`Registry::get`](crate::Registry::get), [`reset`](crate::Registry::reset) and
    /// [`remove`](crate::Registry::remove) act on it only in its own registry.
    ///
    /// A type that stores its [`Circuit`] returns it here, which saves each guarded call the look-up:
    ///
    /// ```
    /// use breaker_core::{Circuit, Config, Connection, Key};
    ///
    /// struct Shop { circuit: Circuit }
    ///
    /// impl Connection for Shop {
    ///     fn key(&self) -> Key<'_> {
    ///         self.circuit.key()
    ///     }
    ///
    ///     fn circuit(&self) -> Option<&Circuit> {
    ///         Some(&self.circuit)
    ///     }
    /// }
    ///
    /// let shop = Shop { circuit: Circuit::new("shop-7", Config::default()) };
    /// assert_eq!(shop.key(), "shop-7");
    /// ```
    #[inline]
    fn circuit(&self) -> Option<&Circuit> {
        None
    }
}

impl Connection for str {
    #[inline]
    fn key(&self) -> Key<'_> {
        self.into()
    }
}

impl Connection for String {
    #[inline]
    fn key(&self) -> Key<'_> {
        self.into()
    }
}

impl Connection for Cow<'_, str> {
    #[inline]
    fn key(&self) -> Key<'_> {
        Key::from(&**self)
    }
}

impl Connection for Key<'_> {
    #[inline]
    fn key(&self) -> Key<'_> {
        self.reborrowed()
    }
}

impl Connection for Circuit {
    #[inline]
    fn key(&self) -> Key<'_> {
        Key::from(self.connection())
    }

    #[inline]
    fn circuit(&self) -> Option<&Circuit> {
        Some(self)
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Connection for $integer {
            #[inline]
            fn key(&self) -> Key<'_> {
                Key::from(*self)
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl<A: Connection, B: Connection> Connection for (A, B) {
    #[inline]
    fn key(&self) -> Key<'_> {
        Key::pair(|| self.0.key(), || self.1.key())
    }
}

impl<A: Connection, B: Connection, C: Connection> Connection for (A, B, C) {
    #[inline]
    fn key(&self) -> Key<'_> {
        Key::triple(|| self.0.key(), || self.1.key(), || self.2.key())
    }
}

macro_rules! pointers {
    ($($pointer:ty)*) => {$(
        impl<T: Connection + ?Sized> Connection for $pointer {
            #[inline]
            fn key(&self) -> Key<'_> {
                (**self).key()
            }

            #[inline]
            fn circuit(&self) -> Option<&Circuit> {
                (**self).circuit()
            }
        }
    )*};
}

pointers!(&T &mut T Box<T> Arc<T> Rc<T>);
