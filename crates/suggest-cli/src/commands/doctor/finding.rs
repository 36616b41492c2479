//! What a doctor finds.

use crate::exit::Failure;
use serde::Serialize;
use std::fmt;

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    Ok,
    Warning,
    Error,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// What was looked at: `config`, `model`, `key`, `transfer`, `endpoint`, …
    pub(super) check: &'static str,
    pub(super) status: Severity,
    /// What was found.
    pub(super) message: String,
    /// What to do about it.
    pub(super) remedy: Option<String>,
    /// Whether the configuration is to blame.
    #[serde(skip)]
    misconfigured: bool,
}

impl Finding {
    pub(super) fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, status: Severity::Ok, message: message.into(), remedy: None, misconfigured: false }
    }

    pub(super) fn warning(
        check: &'static str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { status: Severity::Warning, remedy: Some(remedy.into()), ..Self::ok(check, message) }
    }

    pub(super) fn error(check: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { status: Severity::Error, remedy: Some(remedy.into()), ..Self::ok(check, message) }
    }

    /// An error that the configuration is to blame for.
    pub(super) fn misconfigured(
        check: &'static str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { misconfigured: true, ..Self::error(check, message, remedy) }
    }

    pub(super) fn bad_configuration(failure: &Failure) -> Self {
        let remedy = failure.help.clone().unwrap_or_else(|| "correct it".to_owned());
        Self::misconfigured("config", failure.message.clone(), remedy)
    }
}

/// How a patient is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Well,
    Sick,
    Misconfigured,
}

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Report {
    /// Whether nothing is wrong.
    well: bool,
    findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(findings: Vec<Finding>) -> Self {
        Self { well: findings.iter().all(|finding| finding.status != Severity::Error), findings }
    }

    pub(super) fn verdict(&self) -> Verdict {
        if self.well {
            Verdict::Well
        } else if self.findings.iter().any(|finding| finding.misconfigured) {
            Verdict::Misconfigured
        } else {
            Verdict::Sick
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            let status = match finding.status {
                Severity::Ok => "ok",
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            writeln!(f, "{status:<8} {:<10} {}", finding.check, finding.message)?;
            if let Some(remedy) = &finding.remedy {
                writeln!(f, "{:19} → {remedy}", "")?;
            }
        }
        let errors = self.findings.iter().filter(|finding| finding.status == Severity::Error).count();
        match errors {
            0 => f.write_str("all is well"),
            1 => f.write_str("1 thing is wrong"),
            _ => write!(f, "{errors} things are wrong"),
        }
    }
}
