//! One reader for each format: from its records to what they mean.

mod acp;
mod claude_code;
mod claude_stream;
mod codex;
mod codex_exec;
mod events;
mod gemini;
mod gemini_stream;
mod opencode;
mod opencode_run;
mod qwen;

pub(crate) use acp::{Acp, is_prompt as is_acp_prompt};
pub(crate) use claude_code::ClaudeCode;
pub(crate) use claude_stream::ClaudeStream;
pub(crate) use codex::Codex;
pub(crate) use codex_exec::CodexExec;
pub(crate) use events::{Events, is_cut_event, is_event};
pub(crate) use gemini::Gemini;
pub(crate) use gemini_stream::GeminiStream;
pub(crate) use opencode::Opencode;
pub(crate) use opencode_run::OpencodeRun;
pub(crate) use qwen::Qwen;

use crate::teller::Teller;
use serde_json::Value;

/// Reads the records of one format, one after another, in bounded memory.
pub(crate) trait Reader: Send {
    /// Whether a line means nothing, seen without parsing it.
    fn is_noise(&self, _line: &[u8]) -> bool {
        false
    }

    /// Reads a record: an object.
    fn record(&mut self, record: Value, tell: &mut Teller);

    /// There is nothing more.
    fn finish(&mut self, tell: &mut Teller) {
        tell.settle();
    }
}

/// The type of a line that begins with `{"type":"…"`. `None` says nothing: parse it.
fn peek_type(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(br#"{"type":""#)?;
    let head = rest.get(..rest.len().min(96))?;
    let (name, _) = head.split_at_checked(memchr::memchr(b'"', head)?)?;
    std::str::from_utf8(name).ok().filter(|name| !name.contains('\\') && line.ends_with(b"}"))
}
