//! What people read: the descriptions of our commands and our words in the conversation.

use suggest_core::{AutorunView, OfferView, State, Status};

/// What our commands say of themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Descriptions {
    pub(crate) next: String,
    pub(crate) autorun: String,
    pub(crate) goal: String,
}

impl Descriptions {
    /// For a session's state; `own` is the agent's own suggestion, where ours is quiet because of it.
    pub(crate) fn new(state: &State, own: Option<&Own>, next: &str) -> Self {
        let goal = match &state.goal {
            Some(goal) => format!("Goal: {}", goal.objective),
            None => "Set a goal that the suggestions work towards".to_owned(),
        };
        Self { next: next_of(state, own, next), autorun: autorun_of(&state.autorun), goal }
    }
}

/// The agent's own suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Own(pub(crate) Option<String>);

fn next_of(state: &State, own: Option<&Own>, next: &str) -> String {
    match own {
        Some(Own(Some(text))) => return format!("Send: {text} (the agent's own suggestion)"),
        Some(Own(None)) => {
            return format!("The agent suggests by itself; `/{next} on` asks suggest's model instead");
        }
        None => {}
    }
    match (&state.offer, state.status) {
        (Some(offer), _) => offered(offer),
        (None, Status::Analyzing) => "Thinking about the next prompt…".to_owned(),
        (None, Status::Off) => format!("Off: {}; `/{next} on` resumes", reason(state)),
        (None, Status::Failed) => format!("No suggestion: {}; `/{next} retry` asks again", reason(state)),
        (None, Status::Idle | Status::Ready) => capital(&reason(state)),
    }
}

/// An offer with everything that a person must know of it before running it (rules D10, D12, D13).
pub(crate) fn offered(offer: &OfferView) -> String {
    let label = offer.kind.label().map(|label| format!("{label} · run it yourself; ")).unwrap_or_default();
    let age = if offer.current { String::new() } else { format!("older, of turn {}; ", offer.turn) };
    format!("Send: {} ({label}{age}{})", offer.text, offer.model)
}

fn autorun_of(autorun: &AutorunView) -> String {
    let AutorunView { rounds, max_rounds, .. } = autorun;
    if autorun.armed {
        return format!("Running suggestions by itself, {rounds} of {max_rounds} rounds");
    }
    format!(
        "Run suggestions by itself until it is done or you cancel ({rounds} of {max_rounds} rounds spent)"
    )
}

/// The reason of a state, for people.
pub(crate) fn reason(state: &State) -> String {
    state.reason.as_ref().map(|reason| reason.message.clone()).unwrap_or_default()
}

/// What stands before the answer to a suggestion that a person ran.
pub(crate) fn sent(text: &str) -> String {
    format!("> {}\n\n", quoted(text))
}

/// What stands before the answer to a round.
pub(crate) fn round(number: u32, most: u32, text: &str) -> String {
    format!("\n\n**Autorun, round {number}** (at most {most}):\n\n> {}\n\n", quoted(text))
}

fn quoted(text: &str) -> String {
    text.replace('\n', "\n> ")
}

/// The text with a capital at its beginning.
pub(crate) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// What our commands take.
pub(crate) fn help(next: &str, autorun: &str, goal: &str) -> String {
    format!(
        "- `/{next}` sends the suggestion that it shows\n\
         - `/{next} state`, `status` or `report` says where things stand\n\
         - `/{next} retry` asks for another one\n\
         - `/{next} off` and `/{next} on` switch suggestions in this session\n\
         - `/{next} model PROVIDER/MODEL` asks another model, and allows sending to it\n\
         - `/{autorun}` runs suggestions one after another in this turn; cancel the turn to stop\n\
         - `/{autorun} reset` refreshes the round budget\n\
         - `/{goal} OBJECTIVE` sets what the suggestions work towards; `/{goal} done` and `/{goal} clear` end it"
    )
}
