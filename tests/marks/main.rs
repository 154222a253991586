//! The derive `ProvesReachable`: evidence, tables of marks, rejections, and the judgement of names.

mod evidence;
mod figures;
// Public, because this module denies `unreachable_pub` and has a public type.
pub mod lints;
mod near_misses;
mod rejections;
mod table;
