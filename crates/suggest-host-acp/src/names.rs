//! What our commands are called in a session, and what a person said with one.

/// Our commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ours {
    Next,
    Autorun,
    Goal,
}

impl Ours {
    pub(crate) const ALL: [Self; 3] = [Self::Next, Self::Autorun, Self::Goal];

    const fn word(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Autorun => "autorun",
            Self::Goal => "goal",
        }
    }
}

/// The names of our commands in one session: the plain words, unless the agent has a command of that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    next: String,
    autorun: String,
    goal: String,
}

impl Names {
    /// Names that are none of the agent's.
    pub(crate) fn beside<'a>(taken: impl Iterator<Item = &'a str> + Clone) -> Self {
        let name = |ours: Ours| {
            let candidates = [ours.word().to_owned(), format!("suggest-{}", ours.word())];
            let numbered = (2..).map(|number: u32| format!("suggest-{}-{number}", ours.word()));
            candidates
                .into_iter()
                .chain(numbered)
                .find(|name| {
                    !taken.clone().any(|taken| taken.trim_start_matches('/').eq_ignore_ascii_case(name))
                })
                .unwrap_or_default()
        };
        Self { next: name(Ours::Next), autorun: name(Ours::Autorun), goal: name(Ours::Goal) }
    }

    pub(crate) fn get(&self, ours: Ours) -> &str {
        match ours {
            Ours::Next => &self.next,
            Ours::Autorun => &self.autorun,
            Ours::Goal => &self.goal,
        }
    }

    /// Which command of ours a prompt is, if it is one.
    pub(crate) fn spoken(&self, text: &str) -> Option<Spoken> {
        let line = text.trim_start().strip_prefix('/')?;
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let which = Ours::ALL.into_iter().find(|ours| self.get(*ours) == word)?;
        Some(Spoken { which, rest: rest.trim().to_owned() })
    }
}

/// A command of ours, as a person wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spoken {
    pub(crate) which: Ours,
    /// What stands behind its name.
    pub(crate) rest: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_give_way_to_the_agents_commands() {
        let plain = Names::beside(["init", "review"].into_iter());
        assert_eq!((plain.get(Ours::Next), plain.get(Ours::Goal)), ("next", "goal"));
        let beside = Names::beside(["goal", "Next", "suggest-next"].into_iter());
        assert_eq!((beside.get(Ours::Goal), beside.get(Ours::Next)), ("suggest-goal", "suggest-next-2"));
        assert_eq!(beside.get(Ours::Autorun), "autorun");
        assert_eq!(beside.spoken("/goal ship it"), None, "that is the agent's own");
    }

    #[test]
    fn only_the_whole_name_at_the_beginning_is_a_command() {
        let names = Names::beside(std::iter::empty());
        let spoken = |text: &str| names.spoken(text).map(|spoken| (spoken.which, spoken.rest));
        assert_eq!(spoken("/next"), Some((Ours::Next, String::new())));
        assert_eq!(spoken("  /next   state \n"), Some((Ours::Next, "state".into())));
        assert_eq!(spoken("/goal\nship the parser"), Some((Ours::Goal, "ship the parser".into())));
        for text in ["/nextstep", "next", "please /next", "/", "", "//next", "/Next"] {
            assert_eq!(spoken(text), None, "{text}");
        }
    }
}
