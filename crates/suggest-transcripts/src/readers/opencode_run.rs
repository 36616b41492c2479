//! The stream of `opencode run --format json`. It does not repeat the prompt.

use super::Reader;
use super::opencode::{failed, finished, tool};
use crate::json::{is_true, text, word};
use crate::teller::Teller;
use serde_json::Value;

/// Reads the stream of `opencode run --format json`: the parts of a session's answers, each when it is whole.
#[derive(Debug, Default)]
pub(crate) struct OpencodeRun {
    session: Option<String>,
}

impl Reader for OpencodeRun {
    fn record(&mut self, record: Value, tell: &mut Teller) {
        tell.next_record();
        let session = text(&record, "sessionID").map(str::to_owned);
        if self.session.is_some() && self.session != session {
            tell.close();
            tell.fresh();
        }
        self.session = session;
        let part = record.get("part").unwrap_or(&Value::Null);
        match word(&record, "type") {
            "step_start" => begin(tell),
            "text" if !is_true(part, "synthetic") => {
                begin(tell);
                tell.assistant(word(part, "text"), text(part, "id"));
            }
            "tool_use" => {
                begin(tell);
                tool(part, tell);
            }
            // There is no record of the end: it is the last step's.
            "step_finish" => finished(word(part, "reason"), tell),
            "error" => failed(record.get("error").unwrap_or(&Value::Null), tell),
            "text" | "reasoning" => {}
            kind => tell.skip(kind),
        }
    }

    fn finish(&mut self, _tell: &mut Teller) {
        // A step that asked for tools is followed by another one; without it the program was stopped.
    }
}

fn begin(tell: &mut Teller) {
    if !tell.is_open() {
        tell.start_unseen();
    }
}
