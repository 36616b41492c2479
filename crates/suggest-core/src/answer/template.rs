//! Control tokens of chat templates, and tool calls written as text.

use super::phrases::{TEMPLATE_EDGE_TOKENS, TEMPLATE_ROLES, TEMPLATE_TOKENS, TOOL_CALL_MARKS};
use super::wrapping::part;

const MAX_TOKEN_BYTES: usize = 64;

/// Removes template tokens, with the role that follows a token which opens a message. A token between backticks is
/// left for the check that refuses it: taking it out of a sentence about it would damage the sentence.
pub(super) fn strip_tokens(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '[']) {
        kept.push_str(part(rest, 0, at));
        rest = part(rest, at, rest.len());
        match token_length(rest) {
            Some(length) => {
                let (token, behind) = (part(rest, 0, length), part(rest, length, rest.len()));
                if kept.ends_with('`') && behind.starts_with('`') && (kept.len() > 1 || behind.len() > 1) {
                    kept.push_str(token);
                    rest = behind;
                } else {
                    rest = strip_role(token, behind);
                }
            }
            None => {
                let first = rest.chars().next().map_or(0, char::len_utf8);
                kept.push_str(part(rest, 0, first));
                rest = part(rest, first, rest.len());
            }
        }
    }
    kept.push_str(rest);
    strip_edges(kept.trim()).to_owned()
}

/// Template tokens that cleaning left in the text.
pub(super) fn count_tokens(text: &str) -> usize {
    text.char_indices()
        .filter(|(_, character)| matches!(character, '<' | '['))
        .filter(|(at, _)| token_length(part(text, *at, text.len())).is_some())
        .count()
}

/// The reply is a tool call written as text.
pub(super) fn is_tool_call(raw: &str, cleaned: &str) -> bool {
    let start = cleaned.trim_start();
    TOOL_CALL_MARKS.iter().any(|mark| start.starts_with(mark))
        || ["<|tool_call", "<｜tool▁call"].iter().any(|mark| raw.trim_start().starts_with(mark))
}

/// Length in bytes of a template token at the start of `text`.
fn token_length(text: &str) -> Option<usize> {
    if let Some(token) = TEMPLATE_TOKENS.iter().find(|token| text.starts_with(**token)) {
        return Some(token.len());
    }
    [("<|", "|>"), ("<｜", "｜>")].iter().find_map(|(open, close)| {
        let inside = text.strip_prefix(open)?;
        let length = inside
            .char_indices()
            .take(MAX_TOKEN_BYTES)
            .find(|(_, character)| {
                !(character.is_alphanumeric() || matches!(character, '_' | '▁' | '.' | ':' | '-'))
            })
            .map(|(at, _)| at)?;
        (length > 0 && part(inside, length, inside.len()).starts_with(close))
            .then_some(open.len() + length + close.len())
    })
}

/// Takes off the role behind a token that opens a message.
fn strip_role<'t>(token: &str, behind: &'t str) -> &'t str {
    let opens = ["<|im_start|>", "<|start|>", "<|start_header_id|>", "<|header_start|>", "<start_of_turn>"];
    if !opens.contains(&token) {
        return behind;
    }
    for role in TEMPLATE_ROLES {
        let Some(rest) = behind.strip_prefix(role) else { continue };
        let ends = match rest.chars().next() {
            None | Some('\n' | '<') => true,
            Some(' ') => *role == "assistant",
            Some(_) => false,
        };
        if ends {
            return rest;
        }
    }
    behind
}

/// Tokens that are also markup or words elsewhere: only at the edges.
fn strip_edges(mut text: &str) -> &str {
    loop {
        let before = text;
        for token in TEMPLATE_EDGE_TOKENS {
            text = text.strip_prefix(token).unwrap_or(text);
            text = text.strip_suffix(token).unwrap_or(text);
        }
        text = text.trim();
        if text.len() == before.len() {
            return text;
        }
    }
}
