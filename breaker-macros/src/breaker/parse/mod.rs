//! Parsing of the attribute and of the item below it.

pub(crate) mod arg_values;
pub(crate) mod args;
pub(crate) mod duration;
pub(crate) mod function;
pub(crate) mod impl_items;
pub(crate) mod item;
