//! Deserialisation of enumerations.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::config::{Answers, FailureRule};

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnswersName {
    ClearStreak,
    KeepStreak,
}

impl From<AnswersName> for Answers {
    fn from(name: AnswersName) -> Self {
        match name {
            AnswersName::ClearStreak => Self::ClearStreak,
            AnswersName::KeepStreak => Self::KeepStreak,
        }
    }
}

impl From<Answers> for AnswersName {
    fn from(answers: Answers) -> Self {
        match answers {
            Answers::ClearStreak => Self::ClearStreak,
            Answers::KeepStreak => Self::KeepStreak,
        }
    }
}

/// `"any_error"`, `"transport"`, or `transport` with what counts under it. It is not derived, because formats differ in
/// how they write an enumeration with fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule(pub(super) FailureRule);

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    transport: Transport,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Transport {
    #[serde(default = "counts")]
    timeouts: bool,
    #[serde(default = "counts")]
    connection_errors: bool,
}

fn counts() -> bool {
    true
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            FailureRule::AnyError => serializer.serialize_str("any_error"),
            FailureRule::Transport { timeouts, connection_errors } => {
                RuleTable { transport: Transport { timeouts, connection_errors } }.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RuleVisitor)
    }
}

struct RuleVisitor;

impl<'de> Visitor<'de> for RuleVisitor {
    type Value = Rule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"any_error\", \"transport\" or a table `transport` with `timeouts` and `connection_errors`")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Rule, E> {
        match name {
            "any_error" => Ok(Rule(FailureRule::AnyError)),
            "transport" => Ok(Rule(FailureRule::Transport { timeouts: true, connection_errors: true })),
            _ => Err(E::unknown_variant(name, &["any_error", "transport"])),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Rule, A::Error> {
        let RuleTable { transport: Transport { timeouts, connection_errors } } =
            RuleTable::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Rule(FailureRule::Transport { timeouts, connection_errors }))
    }
}
