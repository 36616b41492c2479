//! The bar as lines of text, for a terminal of any size.

use super::columns::{fit, one_line, width, wrap};
use super::words::{Words, mark};
use suggest_core::{Coded, OfferView, ReasonCode, State, Status};

/// How a piece of a line looks; without colours all look the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Faint,
    Strong,
    Good,
    Busy,
    Bad,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) look: Look,
}

/// One line of the bar.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line(pub(crate) Vec<Piece>);

impl Line {
    fn of(text: impl Into<String>, look: Look) -> Self {
        Self(vec![Piece { text: text.into(), look }])
    }
}

/// What is drawn.
#[derive(Debug, Clone)]
pub(crate) struct BarView<'a> {
    /// The session's state; none before there is a session.
    pub(crate) state: Option<&'a State>,
    /// The name of the session.
    pub(crate) name: &'a str,
    /// The person took the offer off the screen.
    pub(crate) dismissed: bool,
    /// The offer is shown whole.
    pub(crate) expanded: bool,
    /// A line about the last key.
    pub(crate) notice: Option<&'a str>,
}

impl BarView<'_> {
    /// The offer that is on screen.
    pub(crate) fn offer(&self) -> Option<&OfferView> {
        self.state.and_then(|state| state.offer.as_ref()).filter(|_| !self.dismissed)
    }

    /// The bar in a terminal of this size. No line is wider than `columns`, and there are at most `rows`: what matters
    /// most comes first.
    pub(crate) fn lines(&self, words: &Words, columns: usize, rows: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        self.headline(words, columns, &mut lines);
        if let Some(offer) = self.offer() {
            let text = one_line(&offer.text);
            let shown = if self.expanded { wrap(&text, columns) } else { vec![fit(&text, columns)] };
            lines.extend(shown.into_iter().map(|text| Line::of(text, Look::Strong)));
            if let Some(label) = words.kind(offer.kind) {
                lines.extend(wrap(label, columns).into_iter().map(|text| Line::of(text, Look::Bad)));
            }
        }
        if let Some(notice) = self.notice {
            lines.extend(wrap(notice, columns).into_iter().map(|text| Line::of(text, Look::Faint)));
        }
        let (room, keys) = (rows.saturating_sub(lines.len()), self.keys(words, columns));
        if keys.len() <= room {
            lines.extend(keys);
        }
        lines.truncate(rows);
        lines
    }

    /// The status, why, and where the offer comes from.
    fn headline(&self, words: &Words, columns: usize, lines: &mut Vec<Line>) {
        let Some(state) = self.state else {
            let text = format!("{} {} {}", mark(Status::Idle), words.waiting, self.name);
            return lines.push(Line::of(fit(&text, columns), Look::Faint));
        };
        // An offer that the person took off the screen is none.
        let is_bare = self.dismissed && state.status == Status::Ready;
        let status = if is_bare { Status::Idle } else { state.status };
        let look = match status {
            Status::Off | Status::Idle => Look::Faint,
            Status::Analyzing => Look::Busy,
            Status::Ready => Look::Good,
            Status::Failed => Look::Bad,
        };
        let label = fit(&format!("{} {}", mark(status), words.status(status)), columns);
        let room = columns.saturating_sub(width(&label));
        let mut line = Line::of(label, look);
        let details = details(state, self.offer(), words);
        if let Some(details) = &details
            // Where an offer comes from is shown whole or not at all; a reason may be cut.
            && (state.reason.is_some() && room > 8 || width(details).saturating_add(3) <= room)
        {
            let text = format!(" {}", fit(&format!("· {details}"), room.saturating_sub(1)));
            line.0.push(Piece { text, look: Look::Faint });
        }
        let is_cut = line.0.last().is_none_or(|piece| piece.text.ends_with('…')) || line.0.len() < 2;
        lines.push(line);
        // A failure is never blank (rule D3), also where its line was too narrow for the reason.
        if let Some(reason) = &state.reason
            && matches!(state.status, Status::Failed | Status::Off)
            && is_cut
        {
            lines.extend(wrap(&reason.message, columns).into_iter().map(|text| Line::of(text, Look::Faint)));
        }
    }

    fn keys(&self, words: &Words, columns: usize) -> Vec<Line> {
        let off = self.state.is_some_and(|state| state.status == Status::Off);
        let mut keys = Vec::new();
        if self.offer().is_some() {
            keys.push(("e", if self.expanded { words.key_collapse } else { words.key_expand }));
            keys.push(("c", words.key_copy));
            keys.push(("d", words.key_dismiss));
        }
        if self.state.is_some() && !off {
            keys.push(("r", words.key_retry));
        }
        if self.state.is_some() {
            keys.push(("o", if off { words.key_on } else { words.key_off }));
        }
        keys.push(("q", words.key_quit));
        let mut lines: Vec<Line> = Vec::new();
        let (mut line, mut used) = (String::new(), 0_usize);
        for (key, meaning) in keys {
            let key = fit(&format!("{key} {meaning}"), columns);
            let wide = width(&key);
            let gap = if used == 0 { 0 } else { 2 };
            if used.saturating_add(gap).saturating_add(wide) > columns && used > 0 {
                lines.push(Line::of(std::mem::take(&mut line), Look::Faint));
                used = 0;
            } else if gap > 0 {
                line.push_str("  ");
                used = used.saturating_add(gap);
            }
            line.push_str(&key);
            used = used.saturating_add(wide);
        }
        lines.push(Line::of(line, Look::Faint));
        lines
    }
}

fn details(state: &State, offer: Option<&OfferView>, words: &Words) -> Option<String> {
    let reason = state.reason.as_ref().map(|reason| reason_line(reason, words));
    let origin = offer.map(|offer| {
        let age = if offer.current { String::new() } else { format!("{} {} · ", words.older, offer.turn) };
        format!("{age}{}", offer.model.as_str())
    });
    match (reason, origin) {
        (Some(reason), Some(origin)) => Some(format!("{reason} · {origin}")),
        (reason, origin) => reason.map(str::to_owned).or(origin),
    }
}

/// Why there is no offer. The label says already that there is none yet.
pub(crate) fn reason_line<'a>(reason: &'a Coded<ReasonCode>, words: &'a Words) -> &'a str {
    match reason.code {
        ReasonCode::NoOfferYet | ReasonCode::NoCompletedTurn => words.after_turn,
        _ => reason.message.as_str(),
    }
}

/// The state in one plain line, for where nothing can be drawn.
pub(crate) fn plain_line(state: &State, words: &Words) -> String {
    let mut parts = vec![words.status(state.status).to_owned()];
    if let Some(offer) = &state.offer {
        parts.push(one_line(&offer.text));
        parts.extend(words.kind(offer.kind).map(str::to_owned));
    }
    parts.extend(details(state, state.offer.as_ref(), words));
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::super::words::{CHINESE, ENGLISH};
    use super::*;
    use proptest::prelude::*;
    use suggest_core::{Config, OfferId, OfferKind, Session, SessionSetup, Turn};

    fn state(status: Status, offer: Option<(&str, OfferKind)>, reason: Option<&str>) -> State {
        let mut state = Session::new(SessionSetup::new("s"), Config::default()).state();
        state.status = status;
        state.offer = offer.map(|(text, kind)| OfferView {
            id: "o1".parse::<OfferId>().unwrap(),
            text: text.to_owned(),
            turn: Turn::new(3),
            current: status == Status::Ready,
            kind,
            model: "acme/small".parse().unwrap(),
        });
        state.reason =
            reason.map(|message| Coded { code: ReasonCode::InvalidAnswer, message: message.to_owned() });
        state
    }

    fn text(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| line.0.iter().map(|piece| piece.text.as_str()).collect()).collect()
    }

    fn view<'a>(state: Option<&'a State>, expanded: bool) -> BarView<'a> {
        BarView { state, name: "session.jsonl", dismissed: false, expanded, notice: None }
    }

    #[test]
    fn a_failure_is_never_blank_and_says_which_offer_is_older_d3_d10() {
        let state = state(
            Status::Failed,
            Some(("run the tests", OfferKind::Prompt)),
            Some("312 characters, cap 240, after one retry"),
        );
        assert_eq!(
            text(&view(Some(&state), false).lines(&ENGLISH, 90, 10)),
            [
                "! Suggestion failed · 312 characters, cap 240, after one retry · from turn 3 · acme/small",
                "run the tests",
                "e expand  c copy  d dismiss  r retry  o off  q quit",
            ]
        );
        let narrow = text(&view(Some(&state), false).lines(&ENGLISH, 20, 20)).join(" ");
        assert!(narrow.contains("312 characters, cap 240, after one retry"), "{narrow}");
    }

    #[test]
    fn what_is_for_a_persons_hand_says_so_d13() {
        let state = state(Status::Ready, Some(("git push --force", OfferKind::Destructive)), None);
        let lines = text(&view(Some(&state), false).lines(&ENGLISH, 60, 10));
        assert_eq!(lines.get(2).unwrap(), "destructive · run it yourself");
    }

    #[test]
    fn a_terminal_of_few_rows_shows_what_matters_most() {
        let state = state(Status::Ready, Some(("run the tests", OfferKind::Prompt)), None);
        assert_eq!(
            text(&view(Some(&state), false).lines(&ENGLISH, 40, 2)),
            ["> Next step · acme/small", "run the tests"]
        );
        assert_eq!(
            text(&view(None, false).lines(&ENGLISH, 40, 1)),
            ["- Waiting for the session session.jsonl"]
        );
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal_f100(
            offer in "\\PC{0,80}", reason in "\\PC{0,60}", columns in 2_usize..120, rows in 1_usize..20,
            expanded: bool, chinese: bool, status in 0_usize..5,
        ) {
            let all = [Status::Off, Status::Idle, Status::Analyzing, Status::Ready, Status::Failed];
            let state = state(all[status], Some((&offer, OfferKind::GoalEdit)), Some(&reason));
            let words = if chinese { &CHINESE } else { &ENGLISH };
            let lines = text(&view(Some(&state), expanded).lines(words, columns, rows));
            prop_assert!(lines.len() <= rows);
            for line in lines {
                prop_assert!(width(&line) <= columns, "{line:?} in {columns}");
            }
        }
    }
}
