//! Deserialisation of the settings of a whole registry.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{self, Deserializer};

use super::config::Given;
use super::duration::Text;
use super::entries::Entries;
use crate::config::{Config, ConfigBuilder};
use crate::registry::RegistryBuilder;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    capacity: Option<usize>,
    idle_after: Option<Text>,
    defaults: Given,
    prefixes: Entries<Given>,
    keys: Entries<Given>,
}

/// The settings of a registry: `defaults`, and overrides for `prefixes` of keys and for exact `keys`.
///
/// The settings of a key override those of all matching prefixes, a longer prefix overrides a shorter one, and these
/// override `defaults`. Add hooks and a clock to the builder afterwards. [`config_with`](RegistryBuilder::config_with)
/// would replace the prefixes.
///
/// ```
/// use breaker_core::RegistryBuilder;
///
/// let builder: RegistryBuilder = toml::from_str(r#"
///     capacity = 10_000
///     idle_after = "2h"
///
///     [defaults]
///     cooldown = "30s"
///
///     [prefixes."crm:"]
///     failure_threshold = 3
///
///     [keys."crm:7"]
///     cooldown = "5m"
/// "#)?;
/// let registry = builder.on_event(|event| println!("{event:?}")).build()?;
/// # let _ = registry;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<'de> Deserialize<'de> for RegistryBuilder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let file = File::deserialize(deserializer)?;
        let defaults = file.defaults.over(&Config::builder());
        let layers = Layers::new(defaults.clone(), &file.prefixes);
        let mut builder = Self::default().config(build(defaults, "defaults", "")?);
        for (key, given) in &file.keys.0 {
            builder = builder.config_for(key, build(given.over(layers.of(key)), "keys.", key)?);
        }
        if !file.prefixes.0.is_empty() {
            let configs = layers.build()?;
            builder = builder.config_with(move |key| longest_prefix(&configs, key).cloned());
        }
        if let Some(capacity) = file.capacity {
            builder = builder.capacity(capacity);
        }
        if let Some(idle) = file.idle_after {
            builder = builder.idle_after(idle.0);
        }
        Ok(builder)
    }
}

/// The settings of each prefix, applied over those of the shorter prefixes that match it.
struct Layers {
    defaults: ConfigBuilder,
    prefixes: BTreeMap<String, ConfigBuilder>,
}

impl Layers {
    fn new(defaults: ConfigBuilder, given: &Entries<Given>) -> Self {
        let mut layers = Self { defaults, prefixes: BTreeMap::new() };
        let mut given: Vec<_> = given.0.iter().collect();
        given.sort_by_key(|(prefix, _)| prefix.len());
        for (prefix, given) in given {
            let settings = given.over(layers.of(prefix));
            layers.prefixes.insert(prefix.clone(), settings);
        }
        layers
    }

    /// The settings of a key without settings of its own.
    fn of(&self, key: &str) -> &ConfigBuilder {
        longest_prefix(&self.prefixes, key).unwrap_or(&self.defaults)
    }

    fn build<E: de::Error>(self) -> Result<BTreeMap<String, Config>, E> {
        let mut configs = BTreeMap::new();
        for (prefix, settings) in self.prefixes {
            let config = build(settings, "prefixes.", &prefix)?;
            configs.insert(prefix, config);
        }
        Ok(configs)
    }
}

/// Returns the entry of the longest prefix that matches a key. It is called for each new circuit, so it does not visit
/// all prefixes.
fn longest_prefix<'m, T>(prefixes: &'m BTreeMap<String, T>, key: &str) -> Option<&'m T> {
    let lengths = key.char_indices().map(|(start, c)| start + c.len_utf8()).rev();
    lengths.chain([0]).find_map(|length| prefixes.get(&key[..length]))
}

fn build<E: de::Error>(settings: ConfigBuilder, table: &str, name: &str) -> Result<Config, E> {
    settings.build().map_err(|error| E::custom(format_args!("in `{table}{name}`: {error}")))
}
