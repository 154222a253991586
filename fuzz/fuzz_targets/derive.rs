#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    breaker_fuzz::derive(text);
});
