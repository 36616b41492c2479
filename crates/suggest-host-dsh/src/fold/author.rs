//! Who wrote a message: from the host's `source` to the core's author.

use super::raw::clip;
use serde_json::Value;
use suggest_core::{Author, Origin, SessionKind};

/// What a message's source says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) author: Author,
    pub(crate) producer: Option<String>,
    /// Whether the host's compaction wrote it.
    pub(crate) compaction: bool,
}

impl Source {
    fn new(author: Author, producer: Option<&str>) -> Self {
        Self { author, producer: producer.map(|name| clip(name, 128)), compaction: false }
    }

    /// Who starts a turn that this message opens.
    pub(crate) fn origin(&self) -> Origin {
        match self.author {
            Author::Human => Origin::Human,
            Author::Goal => Origin::Goal,
            Author::Suggest => Origin::Suggest,
            Author::Advisor => Origin::Advisor,
            Author::Assistant | Author::Plugin | Author::Host | Author::Command | Author::Notice => {
                Origin::Other
            }
        }
    }
}

/// Whether messages of this author are conversation (rule S1), and thus what a rewrite of history can take away.
pub(crate) fn is_conversation(author: Author) -> bool {
    match author {
        Author::Human | Author::Assistant | Author::Goal | Author::Suggest => true,
        Author::Advisor | Author::Plugin | Author::Host | Author::Command | Author::Notice => false,
    }
}

/// Reads the source of a `user/message`.
///
/// Only the bare kind `user` is the human, and only in a root session: a child's first message says `user` too,
/// though its parent wrote it. Whatever has no readable source is a plugin's: nothing doubtful becomes human.
pub(crate) fn of_user_message(source: Option<&Value>, session: SessionKind) -> Source {
    let kind = source.and_then(|source| source.get("kind")).and_then(Value::as_str);
    let form = source.and_then(|source| source.get("form")).and_then(Value::as_str);
    let name = match kind {
        None => return Source::new(Author::Plugin, None),
        Some("user") if session == SessionKind::Subagent => {
            return Source::new(Author::Notice, Some("parent"));
        }
        Some("user") => return Source::new(Author::Human, None),
        Some("goal") => return Source::new(Author::Goal, None),
        Some("plugin") => match source.and_then(|source| source.get("plugin")).and_then(Value::as_str) {
            Some(name) => name,
            None => return Source::new(Author::Plugin, None),
        },
        // An old log that a newer host migrated spells the wrapper in one word.
        Some(kind) => kind.strip_prefix("plugin:").unwrap_or(kind),
    };
    let author = match name {
        "suggest" => Author::Suggest,
        "advisor" => Author::Advisor,
        "compact" | "compaction" | "compact-checkpoint" => {
            return Source { compaction: true, ..Source::new(Author::Notice, Some(name)) };
        }
        "@deepseek-ai/dsh-system-prompt" | "system-prompt" | "runtime-context" => Author::Host,
        "tool-goal" | "subagent-settled" => Author::Notice,
        _ => match form {
            Some("snapshot" | "instructions" | "catalog") => Author::Host,
            Some("notice") if name.starts_with("@deepseek-ai/") => Author::Notice,
            _ => Author::Plugin,
        },
    };
    Source::new(author, Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(source: Value) -> (Author, Option<String>) {
        let source = of_user_message(Some(&source), SessionKind::Interactive);
        (source.author, source.producer)
    }

    #[test]
    fn our_own_producers_are_known_in_all_three_spellings() {
        for name in ["suggest", "advisor"] {
            let author = if name == "suggest" { Author::Suggest } else { Author::Advisor };
            for source in [
                json!({ "kind": "plugin", "plugin": name, "form": "notice" }),
                json!({ "kind": name }),
                json!({ "kind": format!("plugin:{name}") }),
            ] {
                assert_eq!(read(source), (author, Some(name.to_owned())));
            }
        }
    }

    #[test]
    fn only_the_bare_kind_user_of_a_root_session_is_the_human() {
        assert_eq!(read(json!({ "kind": "user", "rpcId": "1" })), (Author::Human, None));
        let child = of_user_message(Some(&json!({ "kind": "user" })), SessionKind::Subagent);
        assert_eq!((child.author, child.producer.as_deref()), (Author::Notice, Some("parent")));
        for source in [
            json!({ "kind": "plugin", "plugin": "user" }),
            json!({ "kind": "plugin:user" }),
            json!({ "kind": "plugin" }),
            json!({ "kind": 7 }),
            json!("user"),
            json!(null),
        ] {
            assert_eq!(read(source).0, Author::Plugin);
        }
        assert_eq!(of_user_message(None, SessionKind::Interactive).author, Author::Plugin);
    }

    #[test]
    fn context_that_the_host_injects_is_neither_human_nor_conversation() {
        let host =
            json!({ "kind": "plugin", "plugin": "@deepseek-ai/dsh-system-prompt", "form": "snapshot" });
        assert_eq!(read(host).0, Author::Host);
        assert_eq!(read(json!({ "kind": "runtime-context" })).0, Author::Host);
        assert_eq!(read(json!({ "kind": "plugin", "plugin": "skills", "form": "catalog" })).0, Author::Host);
        assert_eq!(read(json!({ "kind": "subagent-settled", "form": "notice" })).0, Author::Notice);
        assert_eq!(read(json!({ "kind": "plugin", "plugin": "tool-goal" })).0, Author::Notice);
        assert_eq!(read(json!({ "kind": "some-plugin" })), (Author::Plugin, Some("some-plugin".to_owned())));
        assert!(!is_conversation(Author::Host) && !is_conversation(Author::Notice));
    }
}
