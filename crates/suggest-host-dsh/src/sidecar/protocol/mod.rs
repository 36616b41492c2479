//! The messages of protocol 1: what the plugin says, what the sidecar says, and what each answers.
//!
//! Names are camelCase. Unknown fields are ignored on both sides, so that either may learn more; what a reader can do
//! without may be absent.

mod from_plugin;
#[cfg(feature = "schema")]
mod schema;
mod to_plugin;

pub(crate) use from_plugin::*;
#[cfg(feature = "schema")]
pub use schema::protocol_schema;
pub(crate) use to_plugin::*;

/// The version that this sidecar speaks. A plugin of another version is refused with both numbers.
pub(crate) const PROTOCOL: u64 = 1;

/// The longest line that is read or written, in bytes.
pub(crate) const MAX_LINE: usize = 8 * 1024 * 1024;

/// Codes of errors: those of JSON-RPC, and ours below -32000.
pub(crate) mod code {
    /// The line is no JSON.
    pub(crate) const PARSE: i64 = -32_700;
    /// The message is no request, notification or response, or it is too long.
    pub(crate) const INVALID: i64 = -32_600;
    /// No such method.
    pub(crate) const METHOD: i64 = -32_601;
    /// The parameters do not fit.
    pub(crate) const PARAMS: i64 = -32_602;
    /// The plugin speaks another protocol.
    pub(crate) const PROTOCOL: i64 = -32_001;
    /// `hello` comes first.
    pub(crate) const NO_HELLO: i64 = -32_002;
}
