//! Parsing of the attribute and of the item below it.

pub(crate) mod arg_values;
pub(crate) mod args;
pub(crate) mod duration_grammar;
pub(crate) mod function;
pub(crate) mod half_written;
pub(crate) mod impl_items;
pub(crate) mod item;
