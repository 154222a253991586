//! The check of the names of field types, for types that no trait and no path reveals: an alias, a renamed import or an
//! unusual re-export of an error of another crate whose feature is off.

use std::any::type_name;
use std::marker::PhantomData;

use crate::MarkedPayload;
use crate::evidence::ForeignType;

/// The question which name the type `F` of a field has.
#[derive(Debug)]
pub struct FieldType<F: ?Sized>(AnyType<F>);

/// The answer for a type that is not declared as a payload.
#[derive(Debug)]
pub struct AnyType<F: ?Sized>(PhantomData<F>);

impl<F: ?Sized> FieldType<F> {
    #[must_use]
    pub const fn ask() -> Self {
        Self(AnyType(PhantomData))
    }
}

impl<F: MarkedPayload + ?Sized> FieldType<F> {
    /// A declared payload may have any name.
    #[must_use]
    pub const fn __breaker_name(&self) -> &'static str {
        ""
    }
}

impl<F: ?Sized> AnyType<F> {
    #[must_use]
    pub fn __breaker_name(&self) -> &'static str {
        type_name::<F>()
    }
}

otherwise! {
    [F: ?Sized] FieldType<F> => AnyType<F>, 0;
}

/// Checks the types of the fields of an error that is marked as an answer.
///
/// # Panics
///
/// If one of them, by its name, contradicts the mark.
pub fn check_answer<E: ?Sized>(variant: &str, has_reason: bool, states_status: bool, types: &[&'static str]) {
    for (name, of_crate) in types.iter().flat_map(|name| foreign_types(name)) {
        match of_crate {
            ForeignType::NeverReachable => panic!(
                "`{variant}` of `{}` is marked as an answer but carries `{name}`, which can never prove that the remote \
                 system answered: remove the mark, or move the answer to a variant of its own",
                type_name::<E>(),
            ),
            ForeignType::Status if states_status => {}
            ForeignType::Mixed | ForeignType::Status if !has_reason => panic!(
                "`{variant}` of `{}` is marked as an answer but carries `{name}`, which may be an answer or a fault: let it \
                 decide with `#[reachable(transparent)]` or `#[reachable(status)]`, or state how it proves an answer with \
                 `because = \"...\"`",
                type_name::<E>(),
            ),
            ForeignType::Mixed | ForeignType::Status => {}
        }
    }
}

/// Checks the types of the fields of an error that is marked `unknown` without a reason.
///
/// # Panics
///
/// If one of them, by its name, may be a fault of the remote system.
pub fn check_unknown<E: ?Sized>(variant: &str, types: &[&'static str]) {
    for (name, of_crate) in types.iter().flat_map(|name| foreign_types(name)) {
        assert!(
            of_crate == ForeignType::Status,
            "`{variant}` of `{}` is marked `unknown` but carries `{name}`, which may be a fault of the remote system: \
             remove the mark, or state with `because = \"...\"` how it proves nothing",
            type_name::<E>(),
        );
    }
}

/// Returns the types of known crates in the name of a type, such as `core::option::Option<reqwest::error::Error>`.
fn foreign_types(name: &'static str) -> impl Iterator<Item = (&'static str, ForeignType)> {
    // A function holds no value of the types that it names.
    let held = if name.contains("fn(") || name.contains("::function::Fn") { "" } else { name };
    let paths = held.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')));
    paths.filter_map(|path| {
        let (krate, _) = path.split_once("::")?;
        let (_, last) = path.rsplit_once("::")?;
        Some((path, ForeignType::find(krate, last)?))
    })
}
