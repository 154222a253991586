//! Judgement of `anyhow::Error` and `eyre::Report`.

use super::judgement;
use crate::config::Config;
use crate::evidence::Judgement;
use crate::evidence::error_chain::{Root, registered, walk};
use crate::judge::JudgedByType;

macro_rules! judge_with_contexts {
    ($(#[cfg($feature:meta)] $error:ty, $root:ident;)*) => {$(
        #[cfg($feature)]
        impl JudgedByType for $error {
            #[cold]
            fn judgement(&self, config: &Config) -> Judgement {
                let root = Root::$root(self);
                judgement::<Self>(root, walk(root, registered).as_ref(), config)
            }
        }
    )*};
}

judge_with_contexts! {
    #[cfg(feature = "anyhow")] ::anyhow::Error, Anyhow;
    #[cfg(feature = "eyre")] ::eyre::Report, Eyre;
}
