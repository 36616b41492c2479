//! Between the core's plain data and the model client's types. Neither crate knows the other.

use std::time::Duration;
use suggest_core as core;
use suggest_core::{CallError, CallUsage, ErrorKind, ModelReply, ReplyFinish, SessionFacts};
use suggest_llm as llm;
use suggest_llm::{Finish, LlmError, LlmErrorKind, LlmReply, LlmRequest};

/// The request of a call. The advisor and its prediction send no output cap (rule V6), the others the configured one
/// (rule L5).
pub(crate) fn request(
    call: &core::ModelCall,
    config: &core::Config,
    facts: Option<&SessionFacts>,
) -> Result<LlmRequest, CallError> {
    let model = llm::ModelId::parse(call.model.as_str()).map_err(|error| CallError {
        kind: ErrorKind::UnknownModel,
        message: Some(error.to_string()),
        retry_after_ms: None,
        usage: CallUsage::default(),
    })?;
    let messages = call
        .messages
        .iter()
        .map(|message| llm::Message {
            role: match message.role {
                core::PromptRole::System => llm::Role::System,
                core::PromptRole::User => llm::Role::User,
                core::PromptRole::Assistant => llm::Role::Assistant,
            },
            content: message.text.clone(),
        })
        .collect();
    let mut request =
        LlmRequest::new(voice(call.voice), model, messages, Duration::from_millis(call.deadline_ms));
    match call.voice {
        core::Voice::Director | core::Voice::Cards | core::Voice::Summary => {
            request.max_output_tokens =
                (config.enrichment_max_tokens > 0).then_some(config.enrichment_max_tokens);
        }
        core::Voice::Advisor | core::Voice::Prediction => {
            let effort = &config.advisor.reasoning_effort;
            request.reasoning_effort = (!effort.is_empty()).then(|| effort.clone());
        }
    }
    request.facts = facts.map(facts_of);
    Ok(request)
}

pub(crate) fn voice(voice: core::Voice) -> llm::Voice {
    match voice {
        core::Voice::Director => llm::Voice::Director,
        core::Voice::Advisor => llm::Voice::Advisor,
        core::Voice::Prediction => llm::Voice::Prediction,
        core::Voice::Cards => llm::Voice::Cards,
        core::Voice::Summary => llm::Voice::Summary,
    }
}

/// What the core learns of a reply. Empty and cut ones are replies, which the core judges and retries; a filtered one
/// is an error (rule D8).
pub(crate) fn reply(reply: LlmReply) -> Result<ModelReply, CallError> {
    let finish = match reply.finish {
        Finish::Stop => ReplyFinish::Stop,
        Finish::Length => ReplyFinish::Length,
        Finish::ToolCalls => ReplyFinish::ToolCalls,
        Finish::Other => ReplyFinish::Other,
        Finish::ContentFilter => return Err(CallError::new(ErrorKind::Filtered)),
    };
    Ok(ModelReply { text: reply.text, finish, had_reasoning: reply.reasoning, usage: usage(reply.usage) })
}

/// What the core learns of a model client's error; a [`Resolver`](crate::Resolver) needs it for its own. One that came
/// of a spent output budget always names the knob (rule L5).
#[must_use]
pub fn call_error(error: LlmError) -> CallError {
    let kind = match error.kind {
        LlmErrorKind::RetryLater => ErrorKind::RetryLater,
        LlmErrorKind::Quota => ErrorKind::Quota,
        LlmErrorKind::Credentials => ErrorKind::Credentials,
        LlmErrorKind::UnknownModel => ErrorKind::UnknownModel,
        LlmErrorKind::UnsupportedParameter => ErrorKind::UnsupportedParameter,
        LlmErrorKind::ContextTooLong => ErrorKind::ContextTooLong,
        LlmErrorKind::Filtered => ErrorKind::Filtered,
        LlmErrorKind::Starved => ErrorKind::Starved,
        LlmErrorKind::Empty => ErrorKind::Empty,
        LlmErrorKind::Malformed => ErrorKind::Malformed,
        LlmErrorKind::Timeout => ErrorKind::Timeout,
        LlmErrorKind::Cancelled => ErrorKind::Cancelled,
        LlmErrorKind::Network => ErrorKind::Network,
        LlmErrorKind::NotAllowed => ErrorKind::NotAllowed,
    };
    let used = usage(error.usage());
    let mut message = error.message;
    if kind == ErrorKind::Starved && !message.contains("enrichmentMaxTokens") {
        message.push_str("; raise enrichmentMaxTokens, or set it to 0");
    }
    CallError {
        message: Some(message),
        retry_after_ms: error.retry_after.map(milliseconds),
        usage: used,
        ..CallError::new(kind)
    }
}

/// Whole milliseconds, rounded up so that nobody comes too early.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

fn facts_of(facts: &SessionFacts) -> llm::Facts {
    let said = |author| facts.messages.iter().rev().find(|message| message.author == author);
    let (last_human, earlier_humans) = match facts.recent_human.split_last() {
        Some((last, earlier)) => (Some(last.clone()), earlier.to_vec()),
        None => (said(core::Author::Human).map(|message| message.text.clone()), Vec::new()),
    };
    let newest_turn = facts
        .messages
        .iter()
        .map(|message| message.turn)
        .chain(facts.tools.iter().map(|tool| tool.turn))
        .chain(facts.last_completed_turn)
        .max();
    llm::Facts {
        goal: facts.goal.as_ref().map(|(objective, phase)| llm::GoalFact {
            objective: objective.clone(),
            phase: goal_phase(*phase),
        }),
        plan: facts
            .plan
            .iter()
            .map(|item| llm::PlanItem { text: item.text.clone(), status: plan_status(item.status) })
            .collect(),
        tools: facts
            .tools
            .iter()
            .map(|tool| llm::ToolFact {
                name: tool.name.clone(),
                summary: tool.summary.clone(),
                files: tool.files.clone(),
                ok: tool.ok,
                turn: turn_number(tool.turn),
            })
            .collect(),
        touched_files: facts.touched_files.clone(),
        last_human,
        last_assistant: said(core::Author::Assistant).map(|message| message.text.clone()),
        earlier_humans,
        completed_turns: u32::try_from(facts.completed_turns).unwrap_or(u32::MAX),
        current_turn: newest_turn.map(turn_number).unwrap_or_default(),
        max_chars: usize::try_from(facts.max_chars).unwrap_or(usize::MAX),
    }
}

fn turn_number(turn: core::Turn) -> u32 {
    u32::try_from(turn.get()).unwrap_or(u32::MAX)
}

fn goal_phase(phase: core::GoalPhase) -> llm::GoalPhase {
    match phase {
        core::GoalPhase::Active => llm::GoalPhase::Active,
        core::GoalPhase::Paused => llm::GoalPhase::Paused,
        core::GoalPhase::Blocked => llm::GoalPhase::Blocked,
        core::GoalPhase::Complete => llm::GoalPhase::Complete,
    }
}

fn plan_status(status: core::PlanStatus) -> llm::PlanStatus {
    match status {
        core::PlanStatus::Pending => llm::PlanStatus::Pending,
        core::PlanStatus::InProgress => llm::PlanStatus::InProgress,
        core::PlanStatus::Completed => llm::PlanStatus::Completed,
    }
}

fn usage(usage: llm::Usage) -> CallUsage {
    CallUsage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cached_tokens: usage.cached_tokens,
        reasoning_tokens: usage.reasoning_tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(voice: core::Voice) -> core::ModelCall {
        core::ModelCall {
            call: core::CallId::new(1),
            voice,
            attempt: 1,
            model: "acme/one".parse().unwrap(),
            messages: vec![core::PromptMessage {
                role: core::PromptRole::User,
                text: "what next".to_owned(),
            }],
            deadline_ms: 1_500,
        }
    }

    #[test]
    fn the_output_budget_is_sent_for_director_cards_and_summary_only_l5_v6() {
        let config = core::Config::from_json(&serde_json::json!({ "enrichmentMaxTokens": 512 })).unwrap();
        for (voice, cap) in [
            (core::Voice::Director, Some(512)),
            (core::Voice::Cards, Some(512)),
            (core::Voice::Summary, Some(512)),
            (core::Voice::Advisor, None),
            (core::Voice::Prediction, None),
        ] {
            assert_eq!(request(&call(voice), &config, None).unwrap().max_output_tokens, cap, "{voice:?}");
        }
        let default = request(&call(core::Voice::Director), &core::Config::default(), None).unwrap();
        assert_eq!(default.max_output_tokens, None);
        assert_eq!(default.deadline, Duration::from_millis(1_500));
        assert_eq!(default.messages, vec![llm::Message::user("what next")]);
    }

    #[test]
    fn every_error_kind_keeps_its_code_and_the_servers_delay_l3() {
        for kind in LlmErrorKind::ALL {
            let mapped =
                call_error(LlmError::new(kind, "x").with_retry_after(Some(Duration::from_micros(1_500))));
            assert_eq!(mapped.kind.code(), kind.as_str());
            assert_eq!(mapped.retry_after_ms, Some(2));
        }
    }

    #[test]
    fn a_spent_output_budget_names_the_knob_l5() {
        let starved = call_error(LlmError::new(LlmErrorKind::Starved, "cut at 64 tokens"));
        assert!(starved.message.unwrap().contains("enrichmentMaxTokens"));
    }

    #[test]
    fn cut_and_empty_replies_are_replies_and_a_filtered_one_is_an_error_d8() {
        let cut = reply(LlmReply::new("").with_finish(Finish::Length)).unwrap();
        assert_eq!(cut.finish, ReplyFinish::Length);
        let filtered = reply(LlmReply::new("x").with_finish(Finish::ContentFilter)).unwrap_err();
        assert_eq!(filtered.kind, ErrorKind::Filtered);
    }

    #[test]
    fn facts_split_the_newest_human_prompt_from_the_earlier_ones() {
        let facts = SessionFacts {
            recent_human: vec!["one".to_owned(), "two".to_owned()],
            messages: vec![core::MessageFact {
                turn: core::Turn::new(9),
                author: core::Author::Assistant,
                text: "done".to_owned(),
            }],
            completed_turns: 9,
            max_chars: 240,
            ..SessionFacts::default()
        };
        let mapped = facts_of(&facts);
        assert_eq!(mapped.last_human.as_deref(), Some("two"));
        assert_eq!(mapped.earlier_humans, ["one"]);
        assert_eq!(mapped.last_assistant.as_deref(), Some("done"));
        assert_eq!((mapped.current_turn, mapped.completed_turns, mapped.max_chars), (9, 9, 240));
    }
}
