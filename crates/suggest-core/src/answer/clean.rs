//! Cleaning: what a model wraps around its line is taken off, layer by layer, until nothing changes.

use super::{characters, labels, reasoning, template, wrapping};

/// Layers that are taken off. What is wrapped deeper than this is not an answer, and cleans to nothing: a bound on
/// the passes is what keeps the whole linear.
const MAX_PASSES: usize = 64;
/// The same for a reply of more than [`LARGE_BYTES`], which no cap would let through.
const MAX_PASSES_LARGE: usize = 6;
const LARGE_BYTES: usize = 64 * 1024;

/// A cleaned reply.
pub(super) struct Cleaned {
    pub(super) text: String,
    /// Reasoning was taken out of the text.
    pub(super) had_reasoning: bool,
}

/// Takes off what models put around one line (rule D7): unsafe characters, reasoning, chat template tokens, a fence,
/// quotes, label and bullet. A goal prefix stays. Cleaning a clean text changes nothing.
pub fn clean(raw: &str) -> String {
    clean_noting_reasoning(raw).text
}

pub(super) fn clean_noting_reasoning(raw: &str) -> Cleaned {
    let mut had_reasoning = false;
    let mut text = raw.to_owned();
    let passes = if raw.len() > LARGE_BYTES { MAX_PASSES_LARGE } else { MAX_PASSES };
    for _ in 0..passes {
        let next = one_pass(&text, &mut had_reasoning);
        if next == text {
            return Cleaned { text, had_reasoning };
        }
        text = next;
    }
    Cleaned { text: String::new(), had_reasoning }
}

fn one_pass(text: &str, had_reasoning: &mut bool) -> String {
    let safe = characters::strip_unsafe(text);
    let stripped = reasoning::strip(safe.trim());
    *had_reasoning |= stripped.removed;
    let plain = template::strip_tokens(stripped.text.trim());
    let mut rest = plain.trim();
    rest = wrapping::strip_fence(rest);
    rest = wrapping::strip_answer_tag(rest);
    rest = wrapping::strip_quotes(rest);
    rest = wrapping::strip_bold(rest);
    while let Some(unlabelled) = labels::strip_next_label(rest) {
        rest = unlabelled;
    }
    wrapping::strip_bullet(rest).trim().to_owned()
}
