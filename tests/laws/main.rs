//! The laws of the circuits, and related subjects: abandoned calls, concurrency, settings, thread caches and the test
//! kit.

#[path = "../common/mod.rs"]
mod common;

mod abandonment;
mod crowds;
mod defaults;
mod keys;
mod law_01_eras;
mod law_02_one_probe;
mod law_03_no_slot_leaks;
mod law_04_first_poll;
mod law_05_nesting;
mod law_05_unnested;
mod law_05_withdrawn_answers;
mod law_06_rejections;
mod law_07_opens_once;
mod law_08_reads;
mod law_09_hooks;
mod law_10_time;
mod law_11_settings;
mod law_12_memory_bounds;
mod law_13_reset;
mod law_14_windows;
mod law_15_no_waiting;
mod law_16_no_own_panics;
mod nestings;
mod settings_matter;
mod testing_kit;
mod thread_caches;
