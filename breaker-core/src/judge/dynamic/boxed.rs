//! Judgement of boxed errors.

use std::error::Error;

use super::{judgement, outermost};
use crate::config::Config;
use crate::evidence::Judgement;
use crate::judge::JudgedByType;

macro_rules! judge_boxes {
    ($($error:ty;)*) => {$(
        impl JudgedByType for $error {
            #[cold]
            fn judgement(&self, config: &Config) -> Judgement {
                judgement::<Self>(&**self, None, outermost(&**self).as_ref(), config)
            }
        }
    )*};
}

judge_boxes! {
    Box<dyn Error + Send + Sync>;
    Box<dyn Error + Send>;
    Box<dyn Error>;
}
