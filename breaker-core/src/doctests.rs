//! Compiles and runs every snippet of the README and the guides.

macro_rules! guides {
    ($($(#[$condition:meta])* $name:ident: $page:literal;)*) => {$(
        $(#[$condition])*
        #[doc = include_str!(concat!("../../", $page))]
        struct $name;
    )*};
}

guides! {
    Readme: "README.md";
    Attribute: "docs/attribute.md";
    Marks: "docs/marks.md";
    Escalation: "docs/escalation.md";
    Operating: "docs/operating.md";
    Teams: "docs/teams.md";
    Transport: "docs/transport.md";
    #[cfg(all(feature = "hyper", feature = "io", feature = "rustls", feature = "serde_json", feature = "tokio"))]
    ErrorsOfOtherCrates: "docs/errors-of-other-crates.md";
    #[cfg(feature = "tonic")]
    Grpc: "docs/grpc.md";
    #[cfg(feature = "reqwest")]
    Reqwest: "docs/reqwest.md";
    #[cfg(feature = "reqwest-middleware")]
    ReqwestMiddleware: "docs/reqwest-middleware.md";
    #[cfg(feature = "serde")]
    Settings: "docs/settings.md";
    #[cfg(feature = "testing")]
    Testing: "docs/testing.md";
    #[cfg(feature = "tower")]
    Tower: "docs/tower.md";
}
