//! What running an offer would do, and so whether anything but a human may run it (rule D13).

use serde::{Deserialize, Serialize};

use super::characters::is_blank_edge;
use super::destructive::is_destructive;
use super::fold::{fold_for_phrases, strip_folded_prefix};
use super::goal_words::changes_goal;
use super::labels::has_goal_prefix;

/// What running an offer would do (rule D13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// An ordinary prompt.
    Prompt,
    /// Creates, edits or closes the session's goal.
    GoalEdit,
    /// Starts with `/` or `!`: a command of the host or a shell.
    Command,
    /// Could lose work, publish or spend.
    Destructive,
}

impl OfferKind {
    /// The label that the offer is shown with; none for an ordinary prompt.
    pub fn label(self) -> Option<&'static str> {
        match self {
            Self::Prompt => None,
            Self::GoalEdit => Some("edits the goal"),
            Self::Command => Some("runs a command"),
            Self::Destructive => Some("destructive"),
        }
    }

    /// Only a human may run it; autorun holds (rules G2, A4, D13).
    pub fn by_hand_only(self) -> bool {
        match self {
            Self::Prompt => false,
            Self::GoalEdit | Self::Command | Self::Destructive => true,
        }
    }
}

/// The kind of an offer: the first that fits of a goal prefix or `/goal`, a command, destructive, words that change
/// the goal (rule D13). Where the words leave doubt it errs towards a kind that only a human may run.
///
/// `goal_prefixed` says that the goal prefix has been taken off `text` already.
pub fn classify(text: &str, goal_prefixed: bool) -> OfferKind {
    // A directional mark before a slash does not hide the command.
    let start = text.trim_start_matches(is_blank_edge);
    if goal_prefixed || is_goal_command(start) || has_goal_prefix(start) {
        return OfferKind::GoalEdit;
    }
    if start.starts_with(['/', '!', '／', '！']) {
        return OfferKind::Command;
    }
    let folded = fold_for_phrases(text);
    if is_destructive(&folded) {
        return OfferKind::Destructive;
    }
    if changes_goal(&folded) {
        return OfferKind::GoalEdit;
    }
    OfferKind::Prompt
}

fn is_goal_command(start: &str) -> bool {
    strip_folded_prefix(start, "/goal").is_some_and(|rest| {
        rest.chars().next().is_none_or(|character| !(character.is_alphanumeric() || character == '_'))
    })
}
