//! Small identities and units. Each is a newtype, so that a turn can never be passed where a revision is meant.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

#[cfg(test)]
mod tests;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// Wraps a plain number.
            #[must_use]
            pub const fn new(value: u64) -> Self {
                Self(value)
            }

            /// The plain number.
            #[must_use]
            pub const fn get(self) -> u64 {
                self.0
            }

            /// The number that follows this one; the largest number follows itself.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// A moment in milliseconds on the driver's monotonic clock. The core never reads a clock; it compares these.
    Timestamp
}
number! {
    /// The number of a turn, as the host counts it.
    Turn
}
number! {
    /// The revision of a goal; hosts raise it with every accepted change.
    Revision
}
number! {
    /// The number of a model call within a session, rising over all voices.
    CallId
}
number! {
    /// The number of a submission within a session; it rises and comes back with the host's answer.
    Ticket
}

impl Timestamp {
    /// This moment plus a number of milliseconds.
    #[must_use]
    pub const fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from an earlier moment to this one; zero if it is not earlier.
    #[must_use]
    pub const fn ms_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The id of an offer, written `o1`, `o2`, … and never used twice for a session, restarts included (rule D11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OfferId(u64);

impl OfferId {
    /// The offer with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number behind the `o`.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for OfferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "o{}", self.0)
    }
}

/// A text that is no offer id; ids look like `o3`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an offer id looks like `o3`")]
pub struct ParseOfferIdError;

impl FromStr for OfferId {
    type Err = ParseOfferIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix('o').ok_or(ParseOfferIdError)?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ParseOfferIdError);
        }
        digits.parse().map(Self).map_err(|_| ParseOfferIdError)
    }
}

impl Serialize for OfferId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for OfferId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for OfferId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OfferId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^o[0-9]+$" })
    }
}

/// A model route, `provider/model`. The first `/` divides; a model name may itself hold more of them (rule D1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId {
    text: String,
    slash: usize,
}

impl ModelId {
    /// The side before the first `/`.
    #[must_use]
    pub fn provider(&self) -> &str {
        self.text.get(..self.slash).unwrap_or_default()
    }

    /// Everything behind the first `/`.
    #[must_use]
    pub fn model(&self) -> &str {
        self.text.get(self.slash.saturating_add(1)..).unwrap_or_default()
    }

    /// The whole route as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A text that is no model route (rule D1): the value is named, since a person has to find it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is no model: write provider/model, for example deepseek/deepseek-chat")]
pub struct ParseModelIdError {
    /// What was given.
    pub value: String,
}

impl FromStr for ModelId {
    type Err = ParseModelIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let trimmed = text.trim();
        let wrong =
            || ParseModelIdError { value: trimmed.chars().filter(|c| !c.is_control()).take(120).collect() };
        let slash = trimmed.find('/').ok_or_else(wrong)?;
        let (provider, model) = trimmed.split_at(slash);
        let model = model.strip_prefix('/').unwrap_or(model);
        let unfit = |side: &str| {
            side.trim().is_empty()
                || side.trim() != side
                || side.chars().any(|c| c.is_control() || c.is_whitespace())
        };
        if unfit(provider) || unfit(model) {
            return Err(wrong());
        }
        Ok(Self { text: trimmed.to_owned(), slash })
    }
}

impl Serialize for ModelId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for ModelId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ModelId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ModelId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[^/\\s]+/\\S+$" })
    }
}
