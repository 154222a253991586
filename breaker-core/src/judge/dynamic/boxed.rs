//! Judgement of boxed errors.

use std::error::Error;

use super::judgement;
use crate::config::Config;
use crate::evidence::Judgement;
use crate::evidence::error_chain::{Root, registered, walk};
use crate::judge::JudgedByType;

macro_rules! judge_boxes {
    ($($error:ty;)*) => {$(
        impl JudgedByType for $error {
            #[cold]
            fn judgement(&self, config: &Config) -> Judgement {
                let root = Root::Error(&**self);
                judgement::<Self>(root, walk(root, registered).as_ref(), config)
            }
        }
    )*};
}

judge_boxes! {
    Box<dyn Error + Send + Sync>;
    Box<dyn Error + Send>;
    Box<dyn Error>;
}
