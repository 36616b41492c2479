//! The hot path: lines go on as they came, a copy is left for the director.
//!
//! A copy is left before the line is written, and while the line's way is locked. So whoever answers a line cannot be
//! seen before it, and nothing that the director writes because of a line can overtake it.

use crate::envelope::{Envelope, PromptCall};
use crate::lines::{LineReader, Piece};
use crate::queue::{Pushed, Weight};
use crate::wires::{HeldLine, Seen, Wires, write};
use crate::writing;
use agent_client_protocol_schema::v1::AGENT_METHOD_NAMES;
use memchr::memmem;
use serde::Deserialize;
use std::io::BufRead;
use std::time::Instant;

/// An answer of the editor beyond this is a file's content or the like, which tells the director nothing.
const LONGEST_ANSWER: usize = 64 * 1024;

/// So much of a line is looked at to see how much it matters.
const LOOKED_AT: usize = 1_024;

/// How a way ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WayEnd {
    /// Its source has no more.
    SourceEnded,
    /// Its target takes no more.
    TargetGone,
}

/// Carries the editor's lines to the agent until one of them is gone.
pub(crate) fn editor_to_agent(source: impl BufRead, wires: &Wires) -> WayEnd {
    let mut reader = LineReader::new(source);
    let mut line = Vec::new();
    loop {
        let piece = match reader.read(&mut line) {
            Ok(Piece::End) | Err(_) => return WayEnd::SourceEnded,
            Ok(piece) => piece,
        };
        let written = match piece {
            Piece::Line => forward_to_agent(&line, wires),
            Piece::Part => forward_long(&mut reader, &mut line, |bytes| wires.agent().write(bytes)),
            Piece::LastPart | Piece::End => wires.agent().write(&line),
        };
        if written.is_err() {
            return WayEnd::TargetGone;
        }
    }
}

/// Carries the agent's lines to the editor until one of them is gone.
pub(crate) fn agent_to_editor(source: impl BufRead, wires: &Wires) -> WayEnd {
    let mut reader = LineReader::new(source);
    let mut line = Vec::new();
    loop {
        let piece = match reader.read(&mut line) {
            Ok(Piece::End) | Err(_) => return WayEnd::SourceEnded,
            Ok(piece) => piece,
        };
        if piece == Piece::Line && wires.ids.is_answer(&line) {
            wires.queue.push(Seen::OwnAnswer(line.clone()), line.len(), Weight::Turning);
            continue;
        }
        let mut editor = wires.editor();
        if piece == Piece::Line {
            wires.queue.push(Seen::Agent(line.clone()), line.len(), weight(&line));
        }
        let mut written = write(editor.as_mut(), &line);
        if piece == Piece::Part && written.is_ok() {
            // The way stays locked until the line is through.
            written = rest_of(&mut reader, &mut line, |bytes| write(editor.as_mut(), bytes));
        }
        drop(editor);
        if written.is_err() {
            return WayEnd::TargetGone;
        }
    }
}

/// Most of what an agent sends are pieces of its words and of its work, which matter when the turn ends. What it is stands at
/// the beginning of a line; one where it does not only wakes the director too early or too late.
fn weight(line: &[u8]) -> Weight {
    let beginning = line.get(..LOOKED_AT).unwrap_or(line);
    let has = |word: &[u8]| memmem::find(beginning, word).is_some();
    let pieces = has(b"session/update")
        && !has(b"available_commands_update")
        && !has(b"prompt_suggestions_update")
        && !has(b"state_update")
        && !has(b"replay_complete");
    if pieces { Weight::Stream } else { Weight::Turning }
}

fn rest_of<R: BufRead>(
    reader: &mut LineReader<R>,
    piece: &mut Vec<u8>,
    mut write: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    loop {
        let read = reader.read(piece)?;
        write(piece)?;
        if read != Piece::Part {
            return Ok(());
        }
    }
}

/// A line too long to be held: nobody looks at it.
fn forward_long<R: BufRead>(
    reader: &mut LineReader<R>,
    piece: &mut Vec<u8>,
    mut write: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    write(piece)?;
    rest_of(reader, piece, write)
}

fn forward_to_agent(line: &[u8], wires: &Wires) -> std::io::Result<()> {
    if memmem::find(line, AGENT_METHOD_NAMES.session_prompt.as_bytes()).is_some()
        && let Some(call) = PromptCall::read(line)
    {
        if let Some(command) = wires.names_of(&call.session).and_then(|names| names.spoken(&call.text)) {
            hold(HeldLine { line: line.to_vec(), call, command, at: Instant::now() }, wires);
            return Ok(());
        }
        return forward_act(line, call.session, wires);
    }
    if memmem::find(line, AGENT_METHOD_NAMES.session_cancel.as_bytes()).is_some()
        && let Some(session) = cancelled_session(line)
    {
        return forward_act(line, session, wires);
    }
    let mut agent = wires.agent();
    if line.len() <= LONGEST_ANSWER || memmem::find(line, b"\"method\"").is_some() {
        wires.queue.push(Seen::Editor(line.to_vec()), line.len(), Weight::Turning);
    }
    agent.write(line)
}

/// What the human did, counted in the same step in which it goes on.
fn forward_act(line: &[u8], session: String, wires: &Wires) -> std::io::Result<()> {
    let mut agent = wires.agent();
    let number = agent.act(&session);
    wires.queue.push(Seen::Act { line: line.to_vec(), session, number }, line.len(), Weight::Turning);
    agent.write(line)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelParams {
    session_id: String,
}

fn cancelled_session(line: &[u8]) -> Option<String> {
    let envelope = Envelope::read(line)?;
    if envelope.method.as_deref() != Some(AGENT_METHOD_NAMES.session_cancel) {
        return None;
    }
    envelope.params_as::<CancelParams>().map(|params| params.session_id)
}

/// A command of ours is for the director; without one it is answered here, so that nobody waits for ever.
fn hold(held: HeldLine, wires: &Wires) {
    let (id, bytes) = (held.call.id.clone(), held.line.len());
    if wires.queue.push(Seen::Held(held), bytes, Weight::Turning) != Pushed::Queued {
        wires.tell_editor(&writing::error(
            id,
            "suggest cannot take this command now; the agent is not affected",
        ));
    }
}
