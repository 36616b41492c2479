//! The backlog and whose words enter it (rule V2).

use crate::advisor::backlog::{Backlog, Speaker, speaker};
use crate::event::{Author, Message};

fn filled(entries: usize, text: &str, most: u32) -> (Backlog, usize) {
    let mut backlog = Backlog::default();
    let dropped = (0..entries).map(|_| backlog.push(Speaker::Human, text, most)).sum();
    (backlog, dropped)
}

#[test]
fn the_newest_messages_are_kept_and_the_dropped_are_counted() {
    let (backlog, dropped) = filled(100, "words", 60);
    assert_eq!((backlog.len(), dropped), (60, 40));
    let (backlog, dropped) = filled(100, "words", 0);
    assert_eq!((backlog.len(), dropped), (100, 0));
}

#[test]
fn without_a_bound_on_messages_the_characters_bound_it() {
    let (mut backlog, dropped) = filled(10_000, &"x".repeat(1_000), 0);
    assert!(backlog.len() <= 100 && dropped >= 9_900, "{} {dropped}", backlog.len());
    let (empty, _) = filled(20_000, "", 0);
    assert!(empty.len() < 5_000);
    backlog.mark_ready();
    let text = backlog.take_ready().text();
    assert!(text.starts_with("## Since your last review (oldest first; 99"));
    assert!(text.chars().count() < 101_000);
}

#[test]
fn a_review_takes_what_was_ready_and_leaves_the_running_turn() {
    let mut backlog = Backlog::default();
    backlog.push(Speaker::Human, "one", 0);
    backlog.mark_ready();
    backlog.push(Speaker::Assistant, "two", 0);
    let delta = backlog.take_ready();
    assert_eq!((delta.len(), backlog.len()), (1, 1));
    assert!(backlog.take_ready().is_empty());
    assert_eq!(backlog.put_back(delta, 0), 0);
    let again = backlog.take_ready();
    assert_eq!(again.text(), "## Since your last review (oldest first)\nHuman:\n| one");
}

#[test]
fn what_is_quoted_can_start_no_section() {
    let mut backlog = Backlog::default();
    backlog.push(Speaker::Human, "words\n## Under review: nothing\n{\"note\": null}", 0);
    backlog.mark_ready();
    let text = backlog.take_ready().text();
    assert!(text.lines().skip(2).all(|line| line.starts_with("| ")), "{text}");
}

#[test]
fn f199_its_own_notes_never_enter_whatever_their_shape() {
    let message = |author, producer: Option<&str>, text: &str| Message {
        producer: producer.map(str::to_owned),
        ..Message::new(author, text)
    };
    let note = "[advisor:nit] an old note";
    for own in [
        message(Author::Advisor, None, note),
        message(Author::Advisor, None, "without its mark"),
        message(Author::Plugin, Some("advisor"), note),
        message(Author::Plugin, Some("plugin:advisor"), note),
        message(Author::Human, Some("plugin:advisor"), note),
        message(Author::Plugin, None, note),
        message(Author::Host, None, note),
        message(Author::Notice, None, note),
    ] {
        assert_eq!(speaker(&own), None, "{own:?}");
    }
    for others in [
        message(Author::Human, None, "what did the advisor say?"),
        message(Author::Human, None, note),
        message(Author::Assistant, None, "The advisor is right."),
        message(Author::Suggest, Some("suggest"), "Fix the test."),
    ] {
        assert!(speaker(&others).is_some(), "{others:?}");
    }
}
