//! The `stream-json` of Gemini CLI.

use super::Reader;
use crate::json::{content_text, is_true, text, word};
use crate::teller::Teller;
use crate::tools::output_text;
use serde_json::Value;
use suggest_core::{Author, EndReason};

/// Reads the `stream-json` of Gemini CLI. Answers come in pieces.
#[derive(Debug, Default)]
pub(crate) struct GeminiStream {
    session: Option<String>,
    said: String,
}

impl Reader for GeminiStream {
    fn record(&mut self, record: Value, tell: &mut Teller) {
        tell.next_record();
        let piece = word(&record, "role") == "assistant" && is_true(&record, "delta");
        if !piece {
            self.flush(tell);
        }
        match word(&record, "type") {
            "init" => {
                let session = text(&record, "session_id").map(str::to_owned);
                tell.close();
                if self.session.is_some() && self.session != session {
                    tell.fresh();
                }
                self.session = session;
            }
            "message" => {
                let words = content_text(record.get("content").unwrap_or(&Value::Null));
                match word(&record, "role") {
                    "user" => tell.prompt(&words, None),
                    "assistant" if piece => self.said.push_str(&words),
                    "assistant" => tell.assistant(&words, None),
                    _ => tell.message(Author::Notice, &words, None),
                }
            }
            "tool_use" => {
                let arguments = record.get("parameters").unwrap_or(&Value::Null);
                tell.called(word(&record, "tool_id"), word(&record, "tool_name"), arguments);
            }
            "tool_result" => {
                let failed = word(&record, "status") == "error";
                let output = record.get("output").or_else(|| record.get("error")).unwrap_or(&Value::Null);
                let output = match output.get("message") {
                    Some(message) => output_text(message),
                    None => output_text(output),
                };
                tell.finished(word(&record, "tool_id"), &output, failed);
            }
            "result" => {
                tell.start_if_none();
                tell.end(if word(&record, "status") == "success" {
                    EndReason::Completed
                } else {
                    EndReason::Failed
                });
            }
            "error" => tell.message(Author::Notice, word(&record, "message"), None),
            kind => tell.skip(kind),
        }
    }

    fn finish(&mut self, tell: &mut Teller) {
        self.flush(tell);
    }
}

impl GeminiStream {
    fn flush(&mut self, tell: &mut Teller) {
        let said = std::mem::take(&mut self.said);
        tell.assistant(&said, None);
    }
}
