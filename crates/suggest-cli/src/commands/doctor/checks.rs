//! The checks, in the order in which a call would need them.

use super::finding::Finding;
use crate::config::Settings;
use crate::output::Output;
use crate::setup;
use std::time::Duration;
use suggest_core::ModelSource;
use suggest_llm::{
    Credentials, Finish, LlmError, LlmErrorKind, ModelId, ProbeCompletion, ProbeReport, ProviderTable,
    Readiness, TransferNeed,
};

/// How long each of the two requests to an endpoint may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A reply to a tiny question that takes longer than this will not be waited for.
const SLOW: Duration = Duration::from_secs(15);

/// Looks at everything that a call needs.
pub(super) async fn examine(settings: &Settings, table: &ProviderTable, output: &Output) -> Vec<Finding> {
    let mut findings = vec![configuration(settings)];
    findings.extend(
        settings
            .warnings
            .iter()
            .map(|warning| Finding::warning("config", warning.clone(), "correct or unset the variable")),
    );
    findings.extend(other_voices(settings, table));
    let Some(model) = &settings.config.prompt_model else {
        findings.push(Finding::misconfigured(
            "model",
            "promptModel is empty, so there are no suggestions",
            "set promptModel to `provider/model`, or remove it for the built-in local/facts",
        ));
        return findings;
    };
    let source = settings.model_source();
    let id = match setup::model_id(model) {
        Ok(id) => id,
        Err(failure) => {
            findings.push(Finding::misconfigured("model", failure.message, "write it as `provider/model`"));
            return findings;
        }
    };
    if id.is_local_facts() {
        findings.push(Finding::ok(
            "model",
            format!("{id} ({}): built in, works offline, needs no key", source.as_str()),
        ));
        return findings;
    }
    match table.readiness(&id) {
        Ok(readiness) => {
            findings.push(Finding::ok("model", format!("{id} ({})", source.as_str())));
            let may_send = levels(settings, source, &readiness, &mut findings);
            if may_send {
                output.draw(&format!("asking {id} …"));
                endpoint(table, &id, &mut findings).await;
            }
        }
        Err(error) => findings.push(Finding::misconfigured(
            "model",
            error.to_string(),
            "correct promptModel or the section `providers`",
        )),
    }
    findings
}

fn configuration(settings: &Settings) -> Finding {
    Finding::ok(
        "config",
        match &settings.file {
            Some((found, true)) => format!("{} is valid", found.path.display()),
            Some((found, false)) => format!("no file at {}; the defaults hold", found.path.display()),
            None => "no configuration file; the defaults hold".to_owned(),
        },
    )
}

/// The models of the other voices are resolved, not asked.
fn other_voices(settings: &Settings, table: &ProviderTable) -> Vec<Finding> {
    let config = &settings.config;
    let advisor = &config.advisor;
    let mut models: Vec<(&'static str, String)> = Vec::new();
    match (advisor.provider.is_empty(), advisor.model.is_empty()) {
        (true, true) => {}
        (false, false) => models.push(("advisor", format!("{}/{}", advisor.provider, advisor.model))),
        (true, false) | (false, true) => {
            let missing = if advisor.provider.is_empty() { "advisor.provider" } else { "advisor.model" };
            return vec![Finding::warning(
                "advisor",
                format!("{missing} is not set, so the advisor does not run"),
                "set both advisor.provider and advisor.model",
            )];
        }
    }
    models.extend(config.cards.model.as_ref().map(|model| ("cards", model.to_string())));
    models.extend(config.summary.model.as_ref().map(|model| ("summary", model.to_string())));
    models.into_iter().map(|(voice, model)| other_voice(voice, &model, table)).collect()
}

fn other_voice(voice: &'static str, model: &str, table: &ProviderTable) -> Finding {
    let id = match ModelId::parse(model) {
        Ok(id) => id,
        Err(error) => return Finding::misconfigured(voice, error.to_string(), "correct its model"),
    };
    match table.readiness(&id) {
        Ok(Readiness { credentials: Credentials::Missing { looked_in }, .. }) => {
            Finding::warning(voice, format!("{id} has no key"), format!("set {}", looked_in.join(" or ")))
        }
        Ok(_) => Finding::ok(voice, id.to_string()),
        Err(error) => {
            Finding::misconfigured(voice, error.to_string(), "correct its model or the section `providers`")
        }
    }
}

/// Both levels of rule P1. Gives whether both are there.
fn levels(
    settings: &Settings,
    source: ModelSource,
    readiness: &Readiness,
    findings: &mut Vec<Finding>,
) -> bool {
    let has_key = match &readiness.credentials {
        Credentials::NotNeeded => {
            findings.push(Finding::ok("key", "none is needed"));
            true
        }
        Credentials::Present { source } => {
            findings.push(Finding::ok("key", format!("found in {source}")));
            true
        }
        Credentials::Missing { looked_in } => {
            let remedy = format!("set {}", looked_in.join(" or "));
            findings.push(Finding::misconfigured("key", "there is none", remedy));
            false
        }
    };
    let chosen = matches!(source, ModelSource::Flag | ModelSource::Command);
    let may_transfer = match readiness.transfer {
        TransferNeed::None | TransferNeed::Loopback => {
            findings.push(Finding::ok("transfer", "nothing leaves this machine"));
            true
        }
        TransferNeed::Network if chosen => {
            findings.push(Finding::ok("transfer", "allowed by --model"));
            true
        }
        TransferNeed::Network if settings.config.allow_transfer => {
            let origin = settings.origin("allowTransfer").as_str();
            findings.push(Finding::ok("transfer", format!("allowed by allowTransfer ({origin})")));
            true
        }
        TransferNeed::Network => {
            findings.push(Finding::misconfigured(
                "transfer",
                "sending to this provider is not allowed, so nothing was sent",
                "set allowTransfer = true, or SUGGEST_ALLOW_TRANSFER=true, or pass --model",
            ));
            false
        }
    };
    has_key && may_transfer
}

async fn endpoint(table: &ProviderTable, id: &ModelId, findings: &mut Vec<Finding>) {
    let client = match table.client(id) {
        Ok(client) => client,
        Err(error) => {
            let remedy = "correct the section `providers`";
            findings.push(Finding::misconfigured("endpoint", error.to_string(), remedy));
            return;
        }
    };
    let report = client.probe(id, PATIENCE).await;
    match &report.completion {
        Ok(completion) => {
            findings.push(answered(&report, completion));
            findings.extend(oddities(completion));
        }
        Err(error) => findings.push(refused(&report, error, id)),
    }
    findings.extend(listed(&report, id));
    findings.extend(report.adapted.iter().map(|change| {
        Finding::ok(
            "parameters",
            format!("the endpoint wants requests another way: {change}; this is done by itself"),
        )
    }));
}

fn answered(report: &ProbeReport, completion: &ProbeCompletion) -> Finding {
    let ms = completion.latency.as_millis();
    let message = format!("{} answered in {ms} ms", report.address);
    if completion.latency > SLOW {
        return Finding::warning("endpoint", message, "choose a faster model, or raise promptDeadlineMs");
    }
    Finding::ok("endpoint", message)
}

fn oddities(completion: &ProbeCompletion) -> Vec<Finding> {
    let mut findings = Vec::new();
    if completion.finish == Finish::Length {
        findings.push(Finding::warning(
            "budget",
            "the reply was cut by the output budget",
            "raise enrichmentMaxTokens, or set it to 0",
        ));
    } else if !completion.has_text {
        findings.push(Finding::warning(
            "reply",
            "the reply holds no text",
            "choose a model that answers in text; for a reasoning model, raise enrichmentMaxTokens or set it to 0",
        ));
    }
    if completion.reasoning {
        findings.push(Finding::ok(
            "reasoning",
            "the model thinks before it answers, which costs time and tokens",
        ));
    }
    findings
}

fn listed(report: &ProbeReport, id: &ModelId) -> Option<Finding> {
    match report.lists(id) {
        Some(true) => Some(Finding::ok("list", format!("the endpoint lists {}", id.model()))),
        // Aliases work without being listed.
        Some(false) if report.completion.is_ok() => Some(Finding::ok(
            "list",
            format!("the endpoint does not list {}, and answers for it", id.model()),
        )),
        Some(false) => {
            let models = report.models.as_ref().map(Vec::as_slice).unwrap_or_default();
            let nearest = models
                .iter()
                .map(|name| (strsim::damerau_levenshtein(name, id.model()), name))
                .min()
                .filter(|(distance, name)| *distance <= (name.len() / 2).max(2));
            let remedy = match (nearest, models.first()) {
                (Some((_, near)), _) => format!("did you mean {}/{near}?", id.provider()),
                (None, Some(one)) => format!("it lists {} models, among them {one}", models.len()),
                (None, None) => "it lists no models; load one".to_owned(),
            };
            Some(Finding::error("list", format!("the endpoint does not list {}", id.model()), remedy))
        }
        None => None,
    }
}

fn refused(report: &ProbeReport, error: &LlmError, id: &ModelId) -> Finding {
    // The question was our own harmless one, so that what the endpoint says may be shown.
    let said = error.endpoint_text().map(|text| format!(" (it says: {text})")).unwrap_or_default();
    let message = format!("{}: {error}{said}", report.address);
    let remedy = match error.kind {
        LlmErrorKind::Credentials => "check the key: is it current, and for this service?".to_owned(),
        LlmErrorKind::UnknownModel => format!("check the name of the model, {}", id.model()),
        LlmErrorKind::Network => {
            "check the address, and whether the endpoint runs and can be reached from here".to_owned()
        }
        LlmErrorKind::Timeout => "check whether the endpoint runs; a model may still be loading".to_owned(),
        LlmErrorKind::Quota => "check the account's credit and limits".to_owned(),
        LlmErrorKind::RetryLater => match error.retry_after {
            Some(wait) => format!("try again in {} s", wait.as_secs().max(1)),
            None => "try again later".to_owned(),
        },
        LlmErrorKind::Starved | LlmErrorKind::Empty => {
            "raise enrichmentMaxTokens or set it to 0; or choose a model that thinks less".to_owned()
        }
        LlmErrorKind::UnsupportedParameter => "remove what `extraBody` adds to each request".to_owned(),
        LlmErrorKind::Malformed => {
            "check that the address is that of an OpenAI-compatible endpoint".to_owned()
        }
        _ => "see what the endpoint's operator says about it".to_owned(),
    };
    Finding::error("endpoint", message, remedy)
}
