//! `reqwest::Error`: evidence and transport faults of HTTP requests, for each supported version of the crate.

macro_rules! versions {
    ($(#[cfg($feature:meta)] $module:ident: $krate:ident;)*) => {$(
        #[cfg($feature)]
        pub(crate) mod $module {
            use std::error::Error as _;

            use $krate::Error;

            use crate::evidence::{Evidence, Fault, NeverReachable, status};
            use crate::known_errors::Classification;

            /// `error_for_status` makes errors of the same type as transport faults, so this type cannot carry a mark: name
            /// the status instead.
            impl NeverReachable for Error {}

            pub(crate) fn evidence(error: &Error) -> Evidence {
                match error.status() {
                    Some(status) => status::evidence_of(Some(status.as_u16())),
                    None if error.is_builder() => Evidence::Unknown,
                    None => Evidence::Failed,
                }
            }

            /// Never leaves the decision to the words of the message, because the message contains the URL.
            pub(in crate::known_errors) fn classify(error: &Error) -> Classification<'_> {
                if let Some(status) = error.status() {
                    return Classification::Known(Fault::Status(status.as_u16()));
                }
                match (error.is_timeout(), is_connect(error)) {
                    (true, true) => Classification::Known(Fault::ConnectTimeout),
                    (true, false) => Classification::Known(Fault::Timeout),
                    (false, true) => Classification::Known(Fault::Connection),
                    (false, false) => Classification::AskSource {
                        source: error.source(),
                        conclude: |found| found.unwrap_or(Fault::Other),
                    },
                }
            }

            #[cfg(not(target_family = "wasm"))]
            fn is_connect(error: &Error) -> bool {
                error.is_connect()
            }

            /// In a browser, `reqwest` does not report connection errors apart from others.
            #[cfg(target_family = "wasm")]
            fn is_connect(_: &Error) -> bool {
                false
            }
        }
    )*};
}

versions! {
    #[cfg(feature = "reqwest-0-12")] v0_12: reqwest_0_12;
    #[cfg(feature = "reqwest")] v0_13: reqwest;
}
