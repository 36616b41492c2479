//! Whether two texts ask for the same thing, and a fingerprint of what a text asks for.

use super::tokens::{Token, tokens};
use crate::answer::step_key;
use std::collections::BTreeSet;

/// How similar two sets must be to count as the same.
const SAME: f64 = 0.8;

/// What a text asks for, ready to compare.
#[derive(Debug, Clone)]
pub(crate) struct Gist {
    key: String,
    parts: BTreeSet<String>,
    /// Paths, symbols, flags and numbers: texts that differ in one of them ask for different things.
    names: BTreeSet<String>,
}

impl Gist {
    pub(crate) fn of(text: &str) -> Self {
        let key = step_key(text);
        let mut parts = BTreeSet::new();
        for word in key.split_whitespace() {
            if word.chars().any(super::tokens::is_unspaced) {
                let letters: Vec<char> = word.chars().collect();
                parts.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
            } else {
                parts.insert(word.to_owned());
            }
        }
        let names = tokens(text)
            .into_iter()
            .filter_map(|token| match token {
                Token::Word { text, name_like: true } => Some(text),
                Token::Word { .. } | Token::Unspaced(_) => None,
            })
            .collect();
        Self { key, parts, names }
    }

    /// Whether both ask for the same step, in nearly the same words.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        if self.key == other.key {
            return true;
        }
        self.names == other.names && jaccard(&self.parts, &other.parts) >= SAME
    }

    /// Whether everything that this text asks for stands in the other one.
    pub(crate) fn is_part_of(&self, other: &Self) -> bool {
        const LEAST_WORDS: usize = 4;
        self.parts.len() >= LEAST_WORDS
            && self.parts.is_subset(&other.parts)
            && self.names.is_subset(&other.names)
    }

    /// The same for the same step in another order, case, width or punctuation. A name of several parts counts as a whole,
    /// too: `a1::b2` and `a2::b1` are different tests.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = Fnv::new();
        for part in &self.parts {
            hash.write(part.as_bytes());
            hash.write(&[0]);
        }
        for name in self.names.iter().filter(|name| !name.chars().all(char::is_alphanumeric)) {
            hash.write(name.as_bytes());
            hash.write(&[1]);
        }
        if self.parts.is_empty() {
            hash.write(self.key.as_bytes());
        }
        hash.finish()
    }
}

#[expect(clippy::cast_precision_loss, reason = "sets of words are small")]
fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.intersection(b).count();
    let all = a.len() + b.len() - both;
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

/// A hash that is the same in every process; nothing here defends against chosen collisions.
pub(crate) struct Fnv(u64);

impl Fnv {
    pub(crate) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(crate) const fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        Gist::of(a).same_as(&Gist::of(b))
    }

    #[test]
    fn rewordings_are_the_same_and_other_names_are_not_c3() {
        assert!(same("Add a test for `parse`.", "add a test for parse"));
        assert!(same(
            "Add a test for report --json on an empty ledger",
            "Please add a test for report --json on the empty ledger now"
        ));
        assert!(!same("Add a test for parse_a in src/lib.rs", "Add a test for parse_b in src/lib.rs"));
        assert!(!same("Fix src/a.rs", "Fix src/b.rs"));
        assert!(same("为登录模块补充单元测试", "为登录模块补充单元测试。"));
        assert!(!same("为登录模块补充单元测试", "修复支付接口的超时"));
    }

    #[test]
    fn a_fingerprint_survives_order_case_and_punctuation_c6() {
        let a = Gist::of("Add a test for `parse`, then fix it!").fingerprint();
        assert_eq!(a, Gist::of("ADD a test for parse then FIX it").fingerprint());
        assert_ne!(a, Gist::of("Add a test for parse").fingerprint());
        let of = |text: &str| Gist::of(text).fingerprint();
        assert_eq!(of("Fix `a1::b2` in src/x.rs"), of("fix: SRC/X.rs, in A1::B2."));
        assert_ne!(of("Fix `a1::b2`"), of("Fix `a2::b1`"));
        assert_ne!(of("Fix src/a/b.rs"), of("Fix src/b/a.rs"));
        assert_ne!(Gist::of("!!!").fingerprint(), Gist::of("???").fingerprint());
    }
}
