//! The bar as lines of text, for a terminal of any size.

use super::columns::{fit, one_line, width, wrap};
use super::words::{Words, mark};
use std::borrow::Cow;
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
    /// The name of the session, or of the folder in which there is none yet.
    pub(crate) name: &'a str,
    /// The name is that of a folder.
    pub(crate) is_folder: bool,
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
        self.headline(words, columns, rows, &mut lines);
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
    fn headline(&self, words: &Words, columns: usize, rows: usize, lines: &mut Vec<Line>) {
        // What does not fit behind the label stands below it, where there are lines for that.
        let has_room_below = rows > 3;
        let Some(state) = self.state else {
            let waiting = if self.is_folder { words.waiting_in } else { words.waiting };
            let label = format!("{} {waiting}", mark(Status::Idle));
            let text = format!("{label} {}", self.name);
            if width(&text) > columns && has_room_below {
                lines.push(Line::of(fit(&label, columns), Look::Faint));
                lines.extend(wrap(self.name, columns).into_iter().map(|text| Line::of(text, Look::Faint)));
            } else {
                lines.push(Line::of(fit(&text, columns), Look::Faint));
            }
            return;
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
        // An older offer has its own line, which says whose it is; a reason stands for itself.
        let details = details(state, self.offer(), words);
        let fits = |text: &str| width(text).saturating_add(3) <= room;
        let reason = state.reason.as_ref().map(|reason| reason_line(reason, words));
        // Where an offer comes from is shown whole or not at all. A reason is never lost: a failure and a switched off
        // feature are not blank (rule D3), nor is it that nothing came.
        let (inline, below) = match (&details, reason) {
            (Some(details), _) if fits(details) => (Some(details.clone()), None),
            (_, Some(reason)) if fits(&reason) => (Some(reason.into_owned()), None),
            (_, Some(reason)) if has_room_below => (None, Some(reason)),
            (_, Some(reason)) if room > 8 => (Some(reason.into_owned()), None),
            _ => (None, None),
        };
        if let Some(text) = inline {
            let text = format!(" {}", fit(&format!("· {text}"), room.saturating_sub(1)));
            line.0.push(Piece { text, look: Look::Faint });
        }
        lines.push(line);
        let below = below.map(|reason| wrap(&reason, columns)).unwrap_or_default();
        lines.extend(below.into_iter().map(|text| Line::of(text, Look::Faint)));
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
        (reason, origin) => reason.map(Cow::into_owned).or(origin),
    }
}

/// Why there is no offer. The label says already that there is none yet.
pub(crate) fn reason_line<'a>(reason: &'a Coded<ReasonCode>, words: &Words) -> Cow<'a, str> {
    match (reason.code, words.reason(reason.code)) {
        (ReasonCode::NoOfferYet | ReasonCode::NoCompletedTurn, _) => Cow::Borrowed(words.after_turn),
        (_, None) => Cow::Borrowed(&reason.message),
        // What is more than the code's own sentence, such as the numbers of a failure, stays.
        (code, Some(words)) if reason.message == code.describe() => Cow::Borrowed(words),
        (_, Some(words)) => Cow::Owned(format!("{words}：{}", reason.message)),
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
        BarView { state, name: "session.jsonl", is_folder: false, dismissed: false, expanded, notice: None }
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
    fn a_reason_is_whole_at_any_width_and_in_the_language_of_the_bar_d3() {
        let mut state = state(Status::Idle, None, Some(ReasonCode::TurnNotCompleted.describe()));
        state.reason = Some(ReasonCode::TurnNotCompleted.coded());
        let lines = |words, columns, rows| text(&view(Some(&state), false).lines(words, columns, rows));
        assert_eq!(lines(&ENGLISH, 60, 10)[0], "- No suggestion yet · the last turn did not complete");
        assert_eq!(
            lines(&ENGLISH, 20, 10)[..3],
            ["- No suggestion yet", "the last turn did", "not complete"]
        );
        assert_eq!(lines(&CHINESE, 60, 10)[0], "- 暂无建议 · 上一轮没有完成");
        assert_eq!(lines(&CHINESE, 20, 10)[..2], ["- 暂无建议", "上一轮没有完成"]);
        // In a pane of few rows the keys and the label come first.
        assert_eq!(lines(&ENGLISH, 32, 3)[0], "- No suggestion yet · the last…");
        let failed = Coded { code: ReasonCode::InvalidAnswer, message: "312 characters".to_owned() };
        assert_eq!(reason_line(&failed, &CHINESE), "模型的回答无效：312 characters");
        assert_eq!(reason_line(&failed, &ENGLISH), "312 characters");
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
        assert_eq!(
            text(&view(None, false).lines(&ENGLISH, 26, 9)),
            ["- Waiting for the session", "session.jsonl", "q quit"]
        );
        let folder = BarView { name: "/home/me/parser", is_folder: true, ..view(None, false) };
        assert_eq!(
            text(&folder.lines(&ENGLISH, 60, 9)),
            ["- Waiting for a session in /home/me/parser", "q quit"]
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
