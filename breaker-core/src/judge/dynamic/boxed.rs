//! Judgement of boxed errors.

use std::error::Error;

use super::{judgement, outermost};
use crate::config::Config;
use crate::evidence::Judgement;
use crate::judge::JudgedByType;

impl JudgedByType for Box<dyn Error + Send + Sync> {
    #[cold]
    fn judgement(&self, config: &Config) -> Judgement {
        judgement::<Self>(&**self, None, outermost(&**self).as_ref(), config)
    }
}

impl JudgedByType for Box<dyn Error + Send> {
    #[cold]
    fn judgement(&self, config: &Config) -> Judgement {
        judgement::<Self>(&**self, None, outermost(&**self).as_ref(), config)
    }
}

impl JudgedByType for Box<dyn Error> {
    #[cold]
    fn judgement(&self, config: &Config) -> Judgement {
        judgement::<Self>(&**self, None, outermost(&**self).as_ref(), config)
    }
}
