//! `/suggest cards`: what a person does with the cards of a session inside the host (rule C8).
//!
//! The file decides, since the board and other hosts use it, too; the session's core is told what was decided. Where
//! the file cannot be used, the core decides for this process alone, and the answer says so.

use super::link::Link;
use super::protocol::CommandResult;
use super::shelf::Shelf;
use std::sync::Arc;
use std::time::Duration;
use suggest_core::{
    CardError, CardManager, CardOrigin, CardState, CardView, CardsCommand, Command, CommandOutput,
    OutputCode, Priority, Turn,
};
use suggest_engine::SessionHandle;

/// The fewest characters that stand for a whole id.
const LEAST_OF_ID: usize = 4;

/// How long an answer waits for the host to take a text.
const FILLING: Duration = Duration::from_secs(1);

/// How long, and how often, a card that was just made is waited for.
const ON_ITS_WAY: Duration = Duration::from_millis(5);
const MOST_TRIES: usize = 50;

/// The cards of one session, as its person sees them.
pub(crate) struct Desk {
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) handle: SessionHandle,
    pub(crate) link: Arc<Link>,
}

/// Who decided.
enum Decided<T> {
    /// The file.
    Kept(Result<T, CardError>),
    /// Nobody yet: there is no file, or it cannot be used, and why.
    Open(Option<String>),
}

impl Desk {
    pub(crate) async fn perform(self, command: CardsCommand) -> CommandResult {
        let mut result = match command {
            CardsCommand::List => self.list().await,
            CardsCommand::Accept(typed) => self.accept(typed).await,
            CardsCommand::Dismiss(typed) => self.dismiss(typed).await,
            CardsCommand::DismissAll => self.dismiss_all().await,
            CardsCommand::Refresh => match self.tell(CardsCommand::Refresh).await {
                CommandOutput { code: OutputCode::Ok, .. } => self.list().await,
                refused => refused.into(),
            },
            other => self.tell(other).await.into(),
        };
        for warning in self.shelf.take_warnings() {
            result.text.push_str(&format!("\n({warning})"));
        }
        result
    }

    async fn list(&self) -> CommandResult {
        let (cards, problem) = if self.shelf.is_kept() {
            match self.kept().await {
                Ok(cards) => (cards, None),
                Err(problem) => (self.of_the_core(), Some(problem)),
            }
        } else {
            (self.of_the_core(), None)
        };
        let mut text = if cards.is_empty() { self.why_none().to_owned() } else { printed(&cards) };
        text.push_str(&not_kept(problem));
        ok(text)
    }

    /// The open cards as the file has them. What the core made at this very moment is on its way there, and waited for.
    async fn kept(&self) -> Result<Vec<CardView>, String> {
        let mut tries = 0;
        loop {
            let (session, last, made) = (self.handle.id().to_owned(), self.last_turn(), self.of_the_core());
            let asked = self.shelf.ask(move |store| {
                // What cannot be read again is shown as it was last.
                let _ = store.refresh();
                store.read(|cards| {
                    let open = cards.open_of(&session).into_iter().map(|card| card.view(last));
                    let is_missing =
                        |card: &CardView| cards.card(&card.id).is_none() && !cards.is_dismissed(&card.prompt);
                    let is_missing = made.iter().any(is_missing);
                    let closed = made.into_iter().filter_map(|card| {
                        let state = cards.card(&card.id)?.state;
                        (state != CardState::Open).then_some((card, state))
                    });
                    (open.collect::<Vec<CardView>>(), closed.collect::<Vec<_>>(), is_missing)
                })
            });
            let (cards, closed, is_missing) = asked.await?;
            for (card, state) in closed {
                self.decided_elsewhere(card, state).await;
            }
            tries += 1;
            if !is_missing || tries >= MOST_TRIES {
                return Ok(cards);
            }
            tokio::time::sleep(ON_ITS_WAY).await;
        }
    }

    /// Another process decided about a card that is still open in the core here.
    async fn decided_elsewhere(&self, card: CardView, state: CardState) {
        match state {
            CardState::Accepted | CardState::Assigned => {
                self.link.expect_fill(&card.prompt);
                if self.tell(CardsCommand::Accept(card.id)).await.code != OutputCode::Ok {
                    self.link.forget_fill(&card.prompt);
                }
            }
            CardState::Dismissed => {
                self.tell(CardsCommand::Dismiss(card.id)).await;
            }
            // It made room there, and will here.
            _ => {}
        }
    }

    async fn accept(&self, typed: String) -> CommandResult {
        let (session, last, wanted) = (self.handle.id().to_owned(), self.last_turn(), typed.clone());
        let decided = self.decide(move |cards, now| {
            let id = known_here(cards, &session, &wanted)?;
            if cards.card(&id).is_some_and(|card| card.is_open() && card.is_outdated(last)) {
                return Err(CardError::Stale { id });
            }
            let intent = cards.accept(&id, now)?;
            Ok((intent.card, intent.prompt))
        });
        let (id, prompt, note) = match decided.await {
            Decided::Kept(Err(error)) => return refused(&error),
            Decided::Kept(Ok((id, prompt))) => {
                self.link.expect_fill(&prompt);
                if self.tell(CardsCommand::Accept(id.clone())).await.code != OutputCode::Ok {
                    // Another process made it, so that the core here does not know it.
                    self.link.forget_fill(&prompt);
                }
                (id, prompt, String::new())
            }
            Decided::Open(problem) => {
                let open = self.of_the_core();
                let Some(card) = open.iter().find(|card| fits(&card.id, &typed)) else {
                    return self.tell(CardsCommand::Accept(typed)).await.into();
                };
                self.link.expect_fill(&card.prompt);
                let told = self.tell(CardsCommand::Accept(card.id.clone())).await;
                if told.code != OutputCode::Ok {
                    self.link.forget_fill(&card.prompt);
                    return told.into();
                }
                (card.id.clone(), card.prompt.clone(), not_kept(problem))
            }
        };
        let filled = tokio::time::timeout(FILLING, self.link.fill(&prompt)).await;
        let where_to = match filled {
            Ok(Ok(())) => "its prompt goes into the input, for you to send".to_owned(),
            Ok(Err(reason)) => format!("the input was not filled ({reason}), so copy its prompt"),
            Err(_) => "the input was not filled in time, so copy its prompt".to_owned(),
        };
        ok(format!("card {} accepted; {where_to}:\n{prompt}{note}", short(&id)))
    }

    async fn dismiss(&self, typed: String) -> CommandResult {
        let (session, wanted) = (self.handle.id().to_owned(), typed.clone());
        let decided = self.decide(move |cards, now| {
            let id = known_here(cards, &session, &wanted)?;
            cards.dismiss(&id, now).map(|()| id)
        });
        match decided.await {
            Decided::Kept(Err(error)) => refused(&error),
            Decided::Kept(Ok(id)) => {
                // The core here may not know it, which is fine.
                self.tell(CardsCommand::Dismiss(id.clone())).await;
                ok(format!("card {} dismissed for good", short(&id)))
            }
            Decided::Open(problem) => {
                let mut told = CommandResult::from(self.tell(CardsCommand::Dismiss(typed)).await);
                told.text.push_str(&not_kept(problem));
                told
            }
        }
    }

    async fn dismiss_all(&self) -> CommandResult {
        let session = self.handle.id().to_owned();
        let decided = self.decide(move |cards, now| Ok(cards.dismiss_all(Some(&session), now).len())).await;
        let mut told = CommandResult::from(self.tell(CardsCommand::DismissAll).await);
        match decided {
            Decided::Kept(Err(error)) => return refused(&error),
            Decided::Kept(Ok(0)) => "no card is open".clone_into(&mut told.text),
            Decided::Kept(Ok(1)) => "1 card dismissed for good".clone_into(&mut told.text),
            Decided::Kept(Ok(count)) => told.text = format!("{count} cards dismissed for good"),
            Decided::Open(problem) => told.text.push_str(&not_kept(problem)),
        }
        told
    }

    async fn decide<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut CardManager, u64) -> Result<T, CardError> + Send + 'static,
    ) -> Decided<T> {
        if !self.shelf.is_kept() {
            return Decided::Open(None);
        }
        use suggest_store::ActError;
        match self.shelf.ask(move |store| store.act(act)).await {
            Ok(Ok(done)) => Decided::Kept(Ok(done)),
            Ok(Err(ActError::Refused(error))) => Decided::Kept(Err(error)),
            Ok(Err(ActError::File(error))) => Decided::Open(Some(error.to_string())),
            Err(problem) => Decided::Open(Some(problem)),
        }
    }

    async fn tell(&self, command: CardsCommand) -> CommandOutput {
        self.handle.command(Command::Cards(command)).await
    }

    fn last_turn(&self) -> Option<Turn> {
        self.handle.facts().last_completed_turn
    }

    fn of_the_core(&self) -> Vec<CardView> {
        self.handle.state().cards.as_ref().map(|cards| cards.open.clone()).unwrap_or_default()
    }

    fn why_none(&self) -> &'static str {
        if !self.handle.config().cards.enabled {
            "no card is open, and cards are off: `cards.enabled` is false in the plugin's configuration"
        } else if self.handle.state().cards.as_ref().is_some_and(|cards| cards.in_flight) {
            "no card is open yet; a model is being asked"
        } else {
            "no card is open; cards come when this session rests after completed work, and only where there is something specific to say"
        }
    }
}

/// The id of a card of this session for what a person typed: the whole id, its last part, or the beginning of that
/// where it is unambiguous. A card of another session is accepted there, or on the board.
fn known_here(cards: &CardManager, session: &str, typed: &str) -> Result<String, CardError> {
    if let Some(card) = cards.card(typed) {
        let unknown = || CardError::Unknown { id: card.id.clone() };
        return if card.session == session { Ok(card.id.clone()) } else { Err(unknown()) };
    }
    let mut fitting =
        cards.book().cards.iter().filter(|card| card.session == session && fits(&card.id, typed));
    match (fitting.next(), fitting.next()) {
        (Some(card), None) => Ok(card.id.clone()),
        // The manager says whether it was dismissed once, or is not known.
        _ => Ok(typed.to_owned()),
    }
}

fn fits(id: &str, typed: &str) -> bool {
    id == typed || typed.len() >= LEAST_OF_ID && short(id).starts_with(typed)
}

/// The part of an id that tells the cards of one session apart.
fn short(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

fn printed(cards: &[CardView]) -> String {
    let mut text = match cards.len() {
        1 => "1 card".to_owned(),
        count => format!("{count} cards"),
    };
    text.push_str("; take one with `/suggest cards accept ID`, drop one with `/suggest cards dismiss ID`");
    for card in cards {
        let priority = match card.priority {
            Priority::High => "high",
            Priority::Medium => "medium",
            Priority::Low => "low",
        };
        let origin = match card.origin {
            CardOrigin::Model => "by the model",
            CardOrigin::Local => "by the session's own facts",
        };
        let freshness =
            if card.stale { "stale: the session moved on, dismiss it or wait for new ones" } else { "fresh" };
        text.push_str(&format!(
            "\n\n{}  {}\n  {priority} · {} · {freshness} · {origin}\n  {}\n  > {}",
            short(&card.id),
            card.title,
            card.category,
            card.text,
            card.prompt.replace('\n', "\n  > ")
        ));
    }
    text
}

fn not_kept(problem: Option<String>) -> String {
    problem.map(|problem| format!("\n(cards are kept in memory only: {problem})")).unwrap_or_default()
}

fn ok(text: String) -> CommandResult {
    CommandResult { text, code: OutputCode::Ok.as_str() }
}

fn refused(error: &CardError) -> CommandResult {
    let code = match error {
        CardError::Unknown { .. } | CardError::UnknownSession { .. } | CardError::NotIdle { .. } => {
            OutputCode::BadArgument
        }
        _ => OutputCode::Stale,
    };
    CommandResult { text: error.to_string(), code: code.as_str() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_be_typed_whole_or_by_four_characters_of_its_last_part() {
        for (typed, fitting) in [
            ("a-b-1234abcd", true),
            ("1234", true),
            ("1234abcd", true),
            ("123", false),
            ("", false),
            ("a-b", false),
        ] {
            assert_eq!(fits("a-b-1234abcd", typed), fitting, "{typed}");
        }
    }
}
