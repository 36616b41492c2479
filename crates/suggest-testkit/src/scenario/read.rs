//! From the document to a scenario that can be played.

use super::document::{
    Document, ErrorFields, Reasoning, ReplyFields, SessionFields, StepFields, SubmitResultFields,
};
use super::error::{Misfit, ScenarioError, StepNumber, join, read, read_object};
use super::event::read_event;
use super::once;
use super::{Action, Addressee, Answer, Scenario, ScenarioSession, SessionIndex, Step, StepBody};
use crate::pattern::Pattern;
use serde_json::Value;
use suggest_core::{
    CallError, CallId, CallUsage, Config, ErrorKind, ModelReply, ReplyFinish, Ticket, Timestamp, Voice,
};

/// The id of the session that a scenario does not name.
const DEFAULT_SESSION: &str = "s1";

pub(super) fn scenario(text: &str) -> Result<Scenario, ScenarioError> {
    if text.starts_with('\u{feff}') {
        let problem = "it begins with a byte order mark; save it without one".to_owned();
        return Err(ScenarioError::NotJson { problem });
    }
    let value = once::read(text).map_err(|error| ScenarioError::NotJson { problem: error.to_string() })?;
    check_shapes(&value).map_err(Misfit::in_document)?;
    let document: Document = read(value, "").map_err(Misfit::in_document)?;
    let several = document.sessions.is_some();
    let sessions = sessions(document.session, document.sessions).map_err(Misfit::in_document)?;
    let config = match document.config {
        Some(changes) => change(&Config::default(), &changes).map_err(Misfit::in_document)?,
        None => Config::default(),
    };
    let history = document
        .history
        .into_iter()
        .enumerate()
        .map(|(index, event)| read_event(event, &format!("history[{index}]")))
        .collect::<Result<_, _>>()
        .map_err(Misfit::in_document)?;

    let mut reader = StepReader {
        sessions: &sessions,
        several,
        configs: vec![config.clone(); sessions.len()],
        now: Timestamp::new(0),
        last: vec![None; sessions.len()],
        nearest: None,
    };
    let mut steps = Vec::with_capacity(document.steps.len());
    for (index, fields) in document.steps.into_iter().enumerate() {
        let number = StepNumber::at(index);
        steps.push(reader.step(number, fields).map_err(|misfit| misfit.in_step(number))?);
    }
    Ok(Scenario { config, sessions, several, history, steps })
}

/// The document and its sessions are objects: a list would be read as the values of fields that it does not name.
fn check_shapes(document: &Value) -> Result<(), Misfit> {
    if !document.is_object() {
        return Err(Misfit::new("steps", "a scenario is an object with `steps`"));
    }
    let several = document.get("sessions").and_then(Value::as_array).into_iter().flatten();
    let one = document.get("session").filter(|session| !session.is_null());
    if one.into_iter().chain(several).all(Value::is_object) {
        return Ok(());
    }
    Err(Misfit::new(if one.is_some() { "session" } else { "sessions" }, "a session is an object"))
}

fn sessions(
    one: Option<SessionFields>,
    many: Option<Vec<SessionFields>>,
) -> Result<Vec<ScenarioSession>, Misfit> {
    match (one, many) {
        (Some(_), Some(_)) => Err(Misfit::new("sessions", "write `session` or `sessions`, not both")),
        (Some(fields), None) => Ok(vec![session(fields)]),
        (None, None) => Ok(vec![session(read(Value::Object(serde_json::Map::new()), "session")?)]),
        (None, Some(list)) if list.is_empty() => Err(Misfit::new("sessions", "name at least one session")),
        (None, Some(list)) => {
            let mut sessions: Vec<ScenarioSession> = Vec::with_capacity(list.len());
            for (index, fields) in list.into_iter().enumerate() {
                let place = format!("sessions[{index}].id");
                if fields.id.is_none() {
                    return Err(Misfit::new(place, "each of several sessions needs an id"));
                }
                let session = session(fields);
                if sessions.iter().any(|earlier| earlier.id == session.id) {
                    return Err(Misfit::new(place, "two sessions have this id"));
                }
                sessions.push(session);
            }
            Ok(sessions)
        }
    }
}

fn session(fields: SessionFields) -> ScenarioSession {
    let SessionFields { id, kind, opt_in, cwd, home } = fields;
    let id = id.map_or_else(|| DEFAULT_SESSION.to_owned(), Option::unwrap_or_default);
    ScenarioSession { id, kind, opt_in, cwd, home }
}

fn change(config: &Config, changes: &Value) -> Result<Config, Misfit> {
    if !changes.is_object() {
        return Err(Misfit::new("config", "the configuration is an object of keys"));
    }
    config.with_changes(changes).map_err(|error| Misfit::new(join("config", error.key()), error.to_string()))
}

/// Reads the steps in order, with what the earlier ones settled.
struct StepReader<'a> {
    sessions: &'a [ScenarioSession],
    several: bool,
    configs: Vec<Config>,
    now: Timestamp,
    /// The newest step of each session that prints a line.
    last: Vec<Option<StepNumber>>,
    /// The newest step of all that prints a line, and its session.
    nearest: Option<(StepNumber, SessionIndex)>,
}

impl StepReader<'_> {
    fn step(&mut self, number: StepNumber, value: Value) -> Result<Step, Misfit> {
        if !value.is_object() {
            return Err(Misfit::new("steps", "a step is an object"));
        }
        let fields: StepFields = read(value, "")?;
        let at = fields.at.map(Timestamp::new);
        if let Some(at) = at {
            if at < self.now {
                return Err(Misfit::new("at", format!("time never falls: {at} comes after {}", self.now)));
            }
            self.now = at;
        }
        let named = fields.session.as_deref().map(|id| self.find(id)).transpose()?;
        if let Some(expect) = only_act(&fields)?.filter(|act| *act == "expect").and(fields.expect.as_ref()) {
            let (against, session) = self.compared(named)?;
            let pattern =
                Pattern::read(expect, "expect").map_err(|(field, problem)| Misfit::new(field, problem))?;
            return Ok(Step { number, at, session, body: StepBody::Expect { against, pattern } });
        }
        let session = match named {
            Some(session) => session,
            None if self.several => {
                return Err(Misfit::new(
                    "session",
                    "missing field `session`: the scenario has several sessions",
                ));
            }
            None => SessionIndex(0),
        };
        let action = self.action(session, fields)?;
        if let Some(last) = self.last.get_mut(session.0) {
            *last = Some(number);
        }
        self.nearest = Some((number, session));
        Ok(Step { number, at, session, body: StepBody::Act(action) })
    }

    fn find(&self, id: &str) -> Result<SessionIndex, Misfit> {
        let found = self.sessions.iter().position(|session| session.id == id);
        found
            .map(SessionIndex)
            .ok_or_else(|| Misfit::new("session", "no session of this scenario has this id"))
    }

    /// What an `expect` compares with: the nearest earlier line, of its own session where it names one.
    fn compared(&self, named: Option<SessionIndex>) -> Result<(StepNumber, SessionIndex), Misfit> {
        let found = match named {
            Some(session) => self.last.get(session.0).copied().flatten().map(|step| (step, session)),
            None => self.nearest,
        };
        found.ok_or_else(|| Misfit::new("expect", "there is no earlier step to compare with"))
    }

    fn action(&mut self, session: SessionIndex, fields: StepFields) -> Result<Action, Misfit> {
        if let Some(event) = fields.event {
            return read_event(event, "event").map(Action::Event);
        }
        if let Some(event) = fields.history_event {
            return read_event(event, "history_event").map(Action::History);
        }
        if let Some(command) = fields.command {
            return read(command, "command").map(Action::Command);
        }
        if let Some(value) = fields.reply {
            return read_object(value, "reply").map(reply);
        }
        if let Some(value) = fields.error {
            return read_object(value, "error").map(failure);
        }
        if let Some(value) = fields.submit_result {
            let SubmitResultFields { accepted, reason, ticket } = read_object(value, "submit_result")?;
            return Ok(Action::SubmitResult { ticket: ticket.map(Ticket::new), accepted, reason });
        }
        if let (Some(changes), Some(config)) = (fields.config, self.configs.get_mut(session.0)) {
            *config = change(config, &changes)?;
            return Ok(Action::Config(Box::new(config.clone())));
        }
        match fields.restart {
            None => Ok(Action::Wait),
            Some(Value::Null | Value::Bool(true)) => Ok(Action::Restart),
            Some(Value::Object(options)) if options.is_empty() => Ok(Action::Restart),
            Some(_) => Err(Misfit::new("restart", "write `\"restart\": true`")),
        }
    }
}

/// The one act of a step, if it has one at all; a step without an act needs a time.
fn only_act(fields: &StepFields) -> Result<Option<&'static str>, Misfit> {
    let acts = [
        ("event", fields.event.is_some()),
        ("history_event", fields.history_event.is_some()),
        ("command", fields.command.is_some()),
        ("reply", fields.reply.is_some()),
        ("error", fields.error.is_some()),
        ("submit_result", fields.submit_result.is_some()),
        ("config", fields.config.is_some()),
        ("restart", fields.restart.is_some()),
        ("expect", fields.expect.is_some()),
    ];
    let mut given = acts.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
    match (given.next(), given.next()) {
        (Some(first), Some(second)) => {
            Err(Misfit::new(second, format!("a step does one thing, and this one has `{first}` too")))
        }
        (None, _) if fields.at.is_none() => {
            let names: Vec<_> = acts.iter().map(|(name, _)| *name).collect();
            Err(Misfit::new(
                "at",
                format!("the step does nothing: give it `at` or one of {}", names.join(", ")),
            ))
        }
        (act, _) => Ok(act),
    }
}

fn addressee(voice: Option<Voice>, call: Option<u64>) -> Addressee {
    Addressee { voice: voice.unwrap_or(Voice::Director), call: call.map(CallId::new) }
}

fn reply(fields: ReplyFields) -> Action {
    let ReplyFields { text, finish, reasoning, usage, voice, call } = fields;
    let usage = usage.unwrap_or_default();
    let to = addressee(voice, call);
    let finish = match finish.as_deref() {
        None | Some("stop") => ReplyFinish::Stop,
        Some("length") => ReplyFinish::Length,
        Some("tool_calls" | "tool-calls") => ReplyFinish::ToolCalls,
        // A withheld answer is an error of the call, as the model client reports it (rule D8).
        Some("content_filter" | "content-filter") => {
            return Action::Answer { to, with: Answer::Error(CallError::new(ErrorKind::Filtered)) };
        }
        Some(_) => ReplyFinish::Other,
    };
    let had_reasoning = match reasoning {
        None => false,
        Some(Reasoning::Flag(flag)) => flag,
        Some(Reasoning::Text(text)) => !text.is_empty(),
    };
    let usage = CallUsage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cached_tokens: usage.cached_tokens,
        reasoning_tokens: usage.reasoning_tokens,
    };
    Action::Answer { to, with: Answer::Reply(ModelReply { text, finish, had_reasoning, usage }) }
}

fn failure(fields: ErrorFields) -> Action {
    let ErrorFields { kind, message, retry_after_ms, voice, call } = fields;
    Action::Answer {
        to: addressee(voice, call),
        with: Answer::Error(CallError { message, retry_after_ms, ..CallError::new(kind) }),
    }
}
