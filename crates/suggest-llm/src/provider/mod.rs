//! From configuration to providers: presets as data, keys through an injected environment, one table.

mod config;
mod environment;
mod presets;
mod table;

pub use config::ProviderConfig;
pub use environment::Environment;
pub use presets::Preset;
pub use table::{Credentials, Places, ProviderError, ProviderTable, Readiness};
