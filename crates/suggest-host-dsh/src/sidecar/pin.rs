//! What came of the trial of a model that a person pins for one session's advisor (rule V7).

use super::protocol::CommandResult;
use suggest_core::{AdvisorView, ModelSource};
use suggest_engine::StateWatch;

/// The code of a trial that pinned nothing.
const REFUSED: &str = "bad-argument";

/// Waits until the trial of this route is over. The core ends every trial within its deadline.
pub(crate) async fn outcome(mut watch: StateWatch, route: &str) -> CommandResult {
    let over = |advisor: &AdvisorView| advisor.trying.as_ref().is_none_or(|id| id.as_str() != route);
    let state = watch.wait_for(|state| state.advisor.as_ref().is_none_or(over)).await;
    match state.as_ref().and_then(|state| state.advisor.as_ref()) {
        Some(advisor) => told(advisor, route),
        None => refused("the session is closed".to_owned()),
    }
}

fn told(advisor: &AdvisorView, route: &str) -> CommandResult {
    let pinned = advisor
        .model
        .as_ref()
        .is_some_and(|model| model.source == ModelSource::Command && model.id.as_str() == route);
    match (&advisor.pin_refused, pinned) {
        // A refused trial of the model that is pinned already changes nothing, and is said all the same.
        (Some(line), _) if line.starts_with(&format!("{route} ")) => refused(line.clone()),
        (_, true) => CommandResult {
            text: format!(
                "{route} reviews this session now; `/advisor model reset` goes back to the global default"
            ),
            code: "ok",
        },
        (_, false) => refused(format!("{route} was not pinned: the trial was given up")),
    }
}

fn refused(text: String) -> CommandResult {
    CommandResult { text, code: REFUSED }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suggest_core::ModelView;

    #[test]
    fn a_pin_a_refusal_and_a_trial_that_was_given_up_are_told_apart_v7() {
        let pinned = |id: &str, source| AdvisorView {
            model: Some(ModelView { id: id.parse().unwrap(), source }),
            ..AdvisorView::default()
        };
        assert_eq!(told(&pinned("p/m", ModelSource::Command), "p/m").code, "ok");
        let other = told(&pinned("p/other", ModelSource::Command), "p/m");
        assert_eq!(other.code, REFUSED);
        assert!(other.text.contains("given up"), "{}", other.text);
        assert_eq!(told(&pinned("p/m", ModelSource::Config), "p/m").code, REFUSED);
        let line = "p/m was not pinned: the model is unknown; the earlier choice stands";
        let refused =
            AdvisorView { pin_refused: Some(line.to_owned()), ..pinned("p/m", ModelSource::Command) };
        assert_eq!(told(&refused, "p/m"), CommandResult { text: line.to_owned(), code: REFUSED });
    }
}
