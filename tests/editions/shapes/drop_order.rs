//! Drop order: an annotated function drops its values in the same order as without the annotation, in each edition.

use std::cell::RefCell;

use breaker_core::breaker;

use crate::{ready, CallError};

type Log<'l> = &'l RefCell<Vec<&'static str>>;

struct Noisy<'l>(&'static str, Log<'l>);

impl Noisy<'_> {
    fn number(&self) -> Result<u32, CallError> {
        self.1.borrow_mut().push("used");
        Ok(1)
    }
}

impl Drop for Noisy<'_> {
    fn drop(&mut self) {
        self.1.borrow_mut().push(self.0);
    }
}

struct Pair<'l> {
    used: Noisy<'l>,
    left: Noisy<'l>,
}

/// The same function twice: with and without the annotation.
macro_rules! both {
    ($annotated:ident, $bare:ident, ($($async:tt)?) ($($arguments:tt)*) $body:block) => {
        #[breaker(connection = "shapes-drop-order")]
        $($async)? fn $annotated<'l>($($arguments)*) -> Result<u32, CallError> $body

        $($async)? fn $bare<'l>($($arguments)*) -> Result<u32, CallError> $body
    };
}

both!(arguments, bare_arguments, (async) (log: Log<'l>, a: Noisy<'l>, (b, c): (Noisy<'l>, Noisy<'l>), _d: Noisy<'l>) {
    let _local = Noisy("local", log);
    log.borrow_mut().push(c.0);
    log.borrow_mut().push(a.0);
    log.borrow_mut().push(b.0);
    Ok(1)
});

both!(arguments_at_once, bare_arguments_at_once, () (log: Log<'l>, a: Noisy<'l>, (b, c): (Noisy<'l>, Noisy<'l>), _d: Noisy<'l>) {
    let _local = Noisy("local", log);
    log.borrow_mut().push(c.0);
    log.borrow_mut().push(a.0);
    log.borrow_mut().push(b.0);
    Ok(1)
});

both!(fields, bare_fields, (async) (log: Log<'l>, first: Pair<'l>, second: Noisy<'l>) {
    log.borrow_mut().push(second.0);
    drop(first.used);
    log.borrow_mut().push("body");
    Ok(1)
});

both!(fields_at_once, bare_fields_at_once, () (log: Log<'l>, first: Pair<'l>, second: Noisy<'l>) {
    log.borrow_mut().push(second.0);
    drop(first.used);
    log.borrow_mut().push("body");
    Ok(1)
});

both!(temporaries, bare_temporaries, (async) (log: Log<'l>) {
    let _local = Noisy("local", log);
    Noisy("temporary", log).number()
});

both!(temporaries_at_once, bare_temporaries_at_once, () (log: Log<'l>) {
    let _local = Noisy("local", log);
    Noisy("temporary", log).number()
});

both!(early, bare_early, (async) (log: Log<'l>, a: Noisy<'l>, b: Noisy<'l>) {
    if a.0 == "a" {
        return Noisy("temporary", log).number();
    }
    drop(b);
    Ok(2)
});

/// The same as `both`, with an argument that only the attribute uses.
macro_rules! both_with_connection {
    ($annotated:ident, $bare:ident, ($($async:tt)?)) => {
        #[breaker(connection = conn.0)]
        $($async)? fn $annotated<'l>(log: Log<'l>, lock: Noisy<'l>, conn: Noisy<'l>) -> Result<u32, CallError> {
            log.borrow_mut().push(lock.0);
            Ok(1)
        }

        $($async)? fn $bare<'l>(log: Log<'l>, lock: Noisy<'l>, conn: Noisy<'l>) -> Result<u32, CallError> {
            let _ = conn.0;
            log.borrow_mut().push(lock.0);
            Ok(1)
        }
    };
}

both_with_connection!(connection, bare_connection, (async));
both_with_connection!(connection_at_once, bare_connection_at_once, ());

#[breaker(connection = "shapes-drop-order")]
async fn remainders<'l>(
    log: Log<'l>,
    a: Noisy<'l>,
    (b, _): (Noisy<'l>, Noisy<'l>),
    _: Noisy<'l>,
    d: Noisy<'l>,
) -> Result<u32, CallError> {
    log.borrow_mut().push(d.0);
    log.borrow_mut().push(b.0);
    log.borrow_mut().push(a.0);
    Ok(2)
}

fn logged(call: impl FnOnce(Log<'_>)) -> Vec<&'static str> {
    let log = RefCell::default();
    call(&log);
    log.into_inner()
}

macro_rules! assert_same {
    ($run:ident, $annotated:ident, $bare:ident, |$log:ident| ($($argument:expr),*)) => {
        assert_eq!(
            logged(|$log| drop($run($annotated($log, $($argument),*)))),
            logged(|$log| drop($run($bare($log, $($argument),*)))),
            stringify!($annotated),
        );
    };
}

#[test]
fn plain_functions_drop_in_the_same_order() {
    use std::convert::identity;

    assert_same!(identity, arguments_at_once, bare_arguments_at_once, |log| (
        Noisy("a", log),
        (Noisy("b", log), Noisy("c", log)),
        Noisy("d", log)
    ));
    assert_same!(identity, fields_at_once, bare_fields_at_once, |log| (
        Pair { used: Noisy("used", log), left: Noisy("left", log) },
        Noisy("second", log)
    ));
    assert_same!(identity, temporaries_at_once, bare_temporaries_at_once, |log| ());
    assert_same!(identity, connection_at_once, bare_connection_at_once, |log| (Noisy("lock", log), Noisy("conn", log)));
}

#[test]
fn futures_drop_in_the_same_order() {
    assert_same!(ready, arguments, bare_arguments, |log| (
        Noisy("a", log),
        (Noisy("b", log), Noisy("c", log)),
        Noisy("d", log)
    ));
    assert_same!(ready, fields, bare_fields, |log| (
        Pair { used: Noisy("used", log), left: Noisy("left", log) },
        Noisy("second", log)
    ));
    assert_same!(ready, temporaries, bare_temporaries, |log| ());
    assert_same!(ready, early, bare_early, |log| (Noisy("a", log), Noisy("b", log)));
    assert_same!(ready, connection, bare_connection, |log| (Noisy("lock", log), Noisy("conn", log)));
}

/// The only difference: without the annotation they are dropped together with their argument.
#[test]
fn values_without_a_name_are_dropped_last() {
    let dropped = logged(|log| {
        let rest = (Noisy("b", log), Noisy("rest of b", log));
        drop(ready(remainders(log, Noisy("a", log), rest, Noisy("c", log), Noisy("d", log))));
    });
    assert_eq!(dropped[3..], ["d", "b", "a", "c", "rest of b"]);
}
