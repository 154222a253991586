//! The arguments of `#[reachable(...)]`, and where each may stand.

use crate::suggest::nearest;

/// Where an attribute stands, which decides what may be in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Enum,
    Struct,
    Variant,
    Field,
}

impl Place {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Enum => "an enum",
            Self::Struct => "a struct",
            Self::Variant => "a variant",
            Self::Field => "a field",
        }
    }
}

/// A key of the attribute, the places where it may stand, and how it is written.
pub(super) struct Key {
    pub(super) name: &'static str,
    places: &'static [Place],
    written: &'static str,
}

const KEYS: &[Key] = &[
    Key { name: "status", places: &[Place::Struct, Place::Variant, Place::Field], written: "status = 404" },
    Key { name: "transparent", places: &[Place::Struct, Place::Variant], written: "transparent" },
    Key { name: "unknown", places: &[Place::Struct, Place::Variant], written: "unknown" },
    Key { name: "never", places: &[Place::Enum, Place::Struct], written: "never" },
    Key { name: "because", places: &[Place::Enum, Place::Struct, Place::Variant], written: "because = \"...\"" },
    Key { name: "crate", places: &[Place::Enum, Place::Struct], written: "crate = some::path" },
];

impl Key {
    /// The argument that is called `name` and may stand at `place`, or what is wrong with it.
    pub(super) fn find(name: &str, place: Place) -> Result<&'static Self, String> {
        match KEYS.iter().find(|key| key.name == name) {
            Some(key) if key.places.contains(&place) => Ok(key),
            Some(key) => Err(wrong_place(key, place)),
            None => Err(unknown_key(name, place)),
        }
    }

    /// Whether any argument is called so, here or elsewhere.
    pub(super) fn is_any(name: &str) -> bool {
        KEYS.iter().any(|key| key.name == name)
    }
}

fn allowed(place: Place) -> Vec<&'static Key> {
    KEYS.iter().filter(|key| key.places.contains(&place)).collect()
}

fn unknown_key(name: &str, place: Place) -> String {
    let allowed = allowed(place);
    let names: Vec<&str> = allowed.iter().map(|key| key.name).collect();
    if let Some(near) = nearest(name, &names) {
        return format!("`{name}` is no argument of `reachable`\nhelp: did you mean `{near}`?");
    }
    let written: Vec<String> = allowed.iter().map(|key| format!("`{}`", written_at(key, place))).collect();
    format!("`{name}` is no argument of `reachable`\nhelp: on {} it takes {}", place.name(), written.join(", "))
}

fn wrong_place(key: &Key, place: Place) -> String {
    let help = match (key.name, place) {
        ("never", Place::Variant) => "an unmarked variant proves nothing already, so remove the attribute".to_owned(),
        ("crate", _) => "put it on the type".to_owned(),
        ("status" | "transparent" | "unknown", Place::Enum) => "put it on the variants that it is true of".to_owned(),
        _ => "put it on the variant".to_owned(),
    };
    format!("`{}` means nothing on {}\nhelp: {help}", key.name, place.name())
}

fn written_at(key: &Key, place: Place) -> &'static str {
    if key.name == "status" && place == Place::Field { "status" } else { key.written }
}
