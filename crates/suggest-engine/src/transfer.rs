//! The two levels that our own network client needs before text leaves the process (rule P1).

use crate::provider::Credentials;
use suggest_core::{CallError, ErrorKind};
use suggest_llm::TransferNeed;

/// The environment variable that allows transfers when it is exactly `true`.
pub const TRANSFER_VARIABLE: &str = "SUGGEST_ALLOW_TRANSFER";

/// What the embedder says about transfers, beside the configuration's `allowTransfer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TransferPolicy {
    /// The configuration alone decides.
    #[default]
    ConfigDecides,
    /// Transfers are allowed in every session.
    Allowed,
}

impl TransferPolicy {
    /// The policy for a value of [`TRANSFER_VARIABLE`]: only exactly `true` allows.
    #[must_use]
    pub fn from_variable(value: Option<&str>) -> Self {
        if value == Some("true") { Self::Allowed } else { Self::ConfigDecides }
    }

    /// The policy that the process's environment asks for now.
    #[must_use]
    pub fn from_environment() -> Self {
        Self::from_variable(std::env::var(TRANSFER_VARIABLE).ok().as_deref())
    }
}

/// Whether the second level is there for one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permission {
    Granted,
    Withheld,
}

/// Decides on one call right before it is sent. Names every level that is missing.
pub(crate) fn check(
    provider: &str,
    need: TransferNeed,
    credentials: &Credentials,
    permission: Permission,
) -> Result<(), CallError> {
    match need {
        TransferNeed::None | TransferNeed::Loopback => return Ok(()),
        TransferNeed::Network => {}
    }
    let missing_key = match credentials {
        Credentials::Present => None,
        Credentials::Missing { remedy } => Some(format!("credentials ({remedy})")),
    };
    let missing_permission = match permission {
        Permission::Granted => None,
        Permission::Withheld => Some(format!(
            "permission to transfer (allowTransfer, {TRANSFER_VARIABLE}=true, or the model set by command)"
        )),
    };
    let missing = match (missing_key, missing_permission) {
        (None, None) => return Ok(()),
        (Some(one), None) | (None, Some(one)) => one,
        (Some(key), Some(permission)) => format!("{key} and {permission}"),
    };
    Err(CallError {
        kind: ErrorKind::NotAllowed,
        message: Some(format!("nothing was sent to {provider}: missing {missing}")),
        retry_after_ms: None,
        usage: suggest_core::CallUsage::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exactly_true_allows_p1() {
        for (value, policy) in [
            (None, TransferPolicy::ConfigDecides),
            (Some(""), TransferPolicy::ConfigDecides),
            (Some("1"), TransferPolicy::ConfigDecides),
            (Some("TRUE"), TransferPolicy::ConfigDecides),
            (Some("true "), TransferPolicy::ConfigDecides),
            (Some("true"), TransferPolicy::Allowed),
        ] {
            assert_eq!(TransferPolicy::from_variable(value), policy, "{value:?}");
        }
    }

    #[test]
    fn the_refusal_names_each_missing_level_p1() {
        let missing = Credentials::missing("set ACME_API_KEY");
        let told = |credentials: &Credentials, permission| {
            check("acme", TransferNeed::Network, credentials, permission)
                .map_err(|error| error.message.unwrap_or_default())
        };
        assert_eq!(told(&Credentials::Present, Permission::Granted), Ok(()));
        let key = told(&missing, Permission::Granted).unwrap_err();
        assert_eq!(key, "nothing was sent to acme: missing credentials (set ACME_API_KEY)");
        let transfer = told(&Credentials::Present, Permission::Withheld).unwrap_err();
        assert!(transfer.contains("allowTransfer") && !transfer.contains("credentials"), "{transfer}");
        let both = told(&missing, Permission::Withheld).unwrap_err();
        assert!(both.contains("allowTransfer") && both.contains("ACME_API_KEY"), "{both}");
    }

    #[test]
    fn loopback_and_host_owned_services_are_exempt_p1() {
        for need in [TransferNeed::None, TransferNeed::Loopback] {
            assert_eq!(check("x", need, &Credentials::missing("set K"), Permission::Withheld), Ok(()));
        }
    }
}
