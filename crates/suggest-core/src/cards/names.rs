//! The names that belong to one session: its files, symbols, tests and tasks (rule C3).

use super::generic_words::is_everyday;
use super::tokens::{Token, tokens};
use crate::event::Author;
use crate::facts::SessionFacts;
use std::collections::BTreeSet;

/// The shortest word that can name a task.
const LEAST_LETTERS: usize = 3;

/// What a suggestion can name to be about this session and no other.
#[derive(Debug, Default)]
pub(crate) struct SessionNames {
    /// Words, symbols and paths, folded.
    words: BTreeSet<String>,
    /// Pairs of letters of scripts without spaces.
    pairs: BTreeSet<String>,
}

impl SessionNames {
    pub(crate) fn of(facts: &SessionFacts) -> Self {
        let mut names = Self::default();
        for file in &facts.touched_files {
            names.add_file(file);
        }
        for tool in &facts.tools {
            tool.files.iter().for_each(|file| names.add_file(file));
            if let Some(summary) = &tool.summary {
                names.add_names_of(summary);
            }
        }
        facts.plan.iter().for_each(|item| names.add_words_of(&item.text));
        if let Some((objective, _)) = &facts.goal {
            names.add_words_of(objective);
        }
        facts.recent_human.iter().for_each(|prompt| names.add_words_of(prompt));
        for message in &facts.messages {
            match message.author {
                Author::Human | Author::Suggest | Author::Goal | Author::Assistant => {
                    names.add_words_of(&message.text);
                }
                Author::Advisor | Author::Plugin | Author::Host | Author::Command | Author::Notice => {}
            }
        }
        names
    }

    fn add_file(&mut self, path: &str) {
        let path = super::tokens::fold_word(path);
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        if let Some((stem, _)) = name.split_once('.')
            && stem.chars().count() >= LEAST_LETTERS
            && !is_everyday(stem)
        {
            self.words.insert(stem.to_owned());
        }
        self.words.insert(name);
        self.words.insert(path);
    }

    fn add_names_of(&mut self, text: &str) {
        for token in tokens(text) {
            if let Token::Word { text, name_like: true } = token {
                self.add_name(text);
            }
        }
    }

    fn add_name(&mut self, name: String) {
        if name.chars().count() < LEAST_LETTERS || name.chars().all(|letter| letter.is_ascii_digit()) {
            return;
        }
        if name.contains('/') || name.contains('.') {
            // A path in a text may stand with its line number.
            let path = name.split(':').next().unwrap_or_default().to_owned();
            if let Some(last) = path.rsplit(['/', '\\']).next().filter(|last| last.len() >= LEAST_LETTERS) {
                self.words.insert(last.to_owned());
            }
            self.words.insert(path);
        }
        if let Some(last) = name.rsplit("::").next().filter(|last| last.len() >= LEAST_LETTERS) {
            self.words.insert(last.to_owned());
        }
        self.words.insert(name);
    }

    fn add_words_of(&mut self, text: &str) {
        for token in tokens(text) {
            match token {
                Token::Word { text, name_like: true } => self.add_name(text),
                Token::Word { text, name_like: false } => {
                    if text.chars().count() >= LEAST_LETTERS && !is_everyday(&text) {
                        self.words.insert(text);
                    }
                }
                Token::Unspaced(run) => self.pairs.extend(pairs_of(&run)),
            }
        }
    }

    /// Whether the text names something of this session.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        tokens(text).into_iter().any(|token| match token {
            Token::Word { text, name_like } => {
                let parts = text.split(':').next().unwrap_or_default();
                let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
                (name_like || !is_everyday(&text))
                    && (self.words.contains(&text)
                        || self.words.contains(parts) && !parts.is_empty()
                        || last != text && last.contains('.') && self.words.contains(last)
                        || text
                            .rsplit("::")
                            .next()
                            .is_some_and(|end| end != text && self.words.contains(end)))
            }
            Token::Unspaced(run) => pairs_of(&run).any(|pair| self.pairs.contains(&pair)),
        })
    }
}

/// Pairs of letters that everyday pieces leave over.
fn pairs_of(run: &str) -> impl Iterator<Item = String> {
    let left = super::generic_words::without_everyday_pieces(run);
    let mut pairs = Vec::new();
    for part in left.split(' ') {
        let letters: Vec<char> = part.chars().collect();
        pairs.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
    }
    pairs.into_iter()
}
