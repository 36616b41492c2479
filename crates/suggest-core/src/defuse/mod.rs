//! Takes from messages what hosts and terminals put in, and makes the rest safe to quote (rule S4).
//!
//! The names of the wrappers are a table in `wrappers`; `control` removes what no reader sees; `cut` quotes and
//! shortens. Text goes through [`defuse`] first, then through the scrubber, and is cut last, so that no cut hides
//! half a secret.

mod blocks;
mod control;
mod cut;
#[cfg(test)]
mod tests;
mod wrappers;

pub use cut::{char_count, cut_front, quote, shorten_middle};

/// Most rounds of removal: what joins when a block between goes may be a block itself.
const MOST_ROUNDS: usize = 8;

/// The words of a message: without the blocks that its host injected, reasoning, markers of chat templates,
/// terminal escapes, and control and hidden characters; with LF line ends; trimmed.
///
/// - A known wrapper goes with its content, in any case of its name, with attributes and nested ones. One that is
///   never closed takes the rest of the text when it starts its line.
/// - A known tag that somebody only mentions (in backticks, or unclosed inside a line) stays readable, as
///   `‹system-reminder›`: what is left holds no known tag.
/// - A closing reasoning tag without an opening one takes the text before it.
/// - Other markup (HTML, generic types) stays.
#[must_use]
pub fn defuse(text: &str) -> String {
    let mut text = control::visible(text);
    for _ in 0..MOST_ROUNDS {
        if !text.contains(['<', '[']) {
            break;
        }
        let cleaner =
            blocks::without_host_lines(&blocks::without_blocks(&blocks::without_template_marks(&text)));
        // What a block kept apart may need no joiner any more.
        let cleaner = control::visible(&cleaner);
        if cleaner == text {
            break;
        }
        text = cleaner;
    }
    text.trim().to_owned()
}
