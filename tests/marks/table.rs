//! The table of the marks of a type. With a test of it, each new mark is visible in review.

use breaker_core::{Evidence, ProvesReachable, marks};

const GONE: u16 = 410;

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[expect(dead_code, reason = "only the table is tested")]
enum ContactError {
    #[error("no contact {0}")]
    #[reachable(status = [404, GONE])]
    NotFound(u64),
    #[error("closed")]
    #[reachable(status = 400, because = "the ledger answers a closed account with 400")]
    AccountClosed,
    #[error("no such type")]
    #[reachable]
    r#Type,
    #[error("not sent")]
    #[reachable(unknown)]
    NotSent,
    #[error("answered {0}")]
    Status(#[reachable(status)] u16),
    #[error("http")]
    Http,
}

#[derive(Debug, thiserror::Error, ProvesReachable)]
#[error("gone")]
#[reachable(status = 410)]
struct Gone<'a, T: std::fmt::Debug>(&'a T);

#[test]
fn the_marks_of_an_enum() {
    let expected = "\
NotFound       Answered  404, 410
AccountClosed  Answered  400  the ledger answers a closed account with 400
Type           Answered
NotSent        Unknown
Status         by value
Http           Failed
";
    assert_eq!(marks::<ContactError>().to_string(), expected);
}

#[test]
fn the_mark_of_a_struct() {
    let table = marks::<Gone<'_, u8>>();
    let [mark] = &table[..] else { panic!("a struct has one mark: {table:?}") };
    assert_eq!(mark.name, "Gone");
    assert_eq!(mark.evidence, Some(Evidence::Answered));
    assert_eq!(mark.status, [410]);
    assert_eq!(mark.reason, None);
}

#[test]
fn the_table_is_iterable() {
    let names: Vec<&str> = marks::<ContactError>().into_iter().map(|mark| mark.name).collect();
    assert_eq!(names, ["NotFound", "AccountClosed", "Type", "NotSent", "Status", "Http"]);
}
