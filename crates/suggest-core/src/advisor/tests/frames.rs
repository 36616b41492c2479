//! Reading replies (rule V3).

use crate::advisor::frame::{Frame, Reading, read, severity};
use crate::answer::ReplyFinish;
use crate::prompts::advisor::EXAMPLES;
use crate::state::Severity::{self, Blocker, Concern, Nit};

fn frame(reply: &str) -> Frame {
    match read(reply, ReplyFinish::Stop) {
        Reading::Frame(frame) => frame,
        other => panic!("{reply}: {other:?}"),
    }
}

#[track_caller]
fn note(reply: &str, severity: Severity, note: &str) {
    let frame = frame(reply);
    assert_eq!((frame.severity, frame.note.as_deref()), (severity, Some(note)), "{reply}");
}

#[track_caller]
fn nothing(reply: &str) {
    assert_eq!(frame(reply).note, None, "{reply}");
}

#[test]
fn a_frame_is_found_whatever_stands_around_it() {
    let plain = r#"{"severity": "concern", "note": "The cache is never emptied."}"#;
    for reply in [
        plain.to_owned(),
        format!("Here is my review:\n{plain}\nHope this helps!"),
        format!("```json\n{plain}\n```"),
        format!("\"{plain}\""),
        format!("“{plain}”"),
        format!("<think>it says {{\"note\": \"draft of a note\"}}</think>{plain}"),
        format!("[{plain}]"),
        format!("{{\"review\": {plain}}}"),
        format!("{{\"notes\": [{plain}]}}"),
        format!("NONE of the tests ran. {plain}"),
        plain.replace('"', "\\\""),
        plain.replace('"', "“"),
        plain.replace(": ", ":\n  "),
        plain.replace("note", "Note").replace("severity", "SEVERITY"),
        plain.replace("is never", "is\nnever"),
        format!("{{broken [ {plain}"),
    ] {
        note(&reply, Concern, "The cache is never emptied.");
    }
}

#[test]
fn the_last_valid_frame_counts() {
    let reply = r#"{"severity":"blocker","note":"a first draft of it"} no, rather {"severity":"nit","note":"the final words"}"#;
    note(reply, Nit, "the final words");
    note(
        r#"{"severity":"concern","note":"the final words"} {"severity":"nit"} {"note": 3} {"other": true}"#,
        Concern,
        "the final words",
    );
    nothing(r#"{"severity":"nit","note":"a draft of it"} {"note": null}"#);
}

#[test]
fn f187_of_a_list_the_gravest_counts() {
    note(
        r#"[{"severity":"nit","note":"small"},{"severity":"blocker","note":"grave"},{"severity":"blocker","note":"later"}]"#,
        Blocker,
        "grave",
    );
    note(r#"[{"note": null},{"severity":"nit","note":"small"}]"#, Nit, "small");
}

#[test]
fn f190_the_form_and_the_examples_given_back_are_no_frames() {
    let real = r#"{"severity":"concern","note":"The real one."}"#;
    for echo in ["<your note>", "<note>", "...", "…", "{note}", EXAMPLES[0].1, EXAMPLES[2].1] {
        let echo = serde_json::json!({"severity": "blocker", "note": echo}).to_string();
        note(&format!("{echo}\n{real}"), Concern, "The real one.");
        note(&format!("{real}\n{echo}"), Concern, "The real one.");
        assert!(matches!(read(&echo, ReplyFinish::Stop), Reading::Prose(_)), "{echo}");
    }
    note(r#"{"severity":"nit","note":"`Vec<T>` is enough here"}"#, Nit, "`Vec<T>` is enough here");
}

#[test]
fn f191_severities_are_trimmed_folded_and_mapped() {
    let table = [
        ("Blocker ", Some(Blocker)),
        ("HIGH", Some(Blocker)),
        ("critical", Some(Blocker)),
        ("**blocker**", Some(Blocker)),
        ("ｂｌｏｃｋｅｒ", Some(Blocker)),
        ("Warning", Some(Concern)),
        ("medium.", Some(Concern)),
        ("concern", Some(Concern)),
        ("info", Some(Nit)),
        ("low", Some(Nit)),
        ("nit", Some(Nit)),
        ("nit|concern|blocker", None),
        ("urgent", None),
        ("", None),
    ];
    for (word, expected) in table {
        assert_eq!(severity(word), expected, "{word}");
    }
    for odd in ["3", "null", "\"urgent\"", "[\"blocker\"]", "true"] {
        let frame = frame(&format!("{{\"severity\": {odd}, \"note\": \"An odd severity here.\"}}"));
        assert_eq!((frame.severity, frame.odd_severity), (Nit, true), "{odd}");
    }
}

#[test]
fn nothing_to_note_is_said_in_several_ways() {
    for reply in [
        r#"{"note": null}"#,
        r#"{"severity": null, "note": null}"#,
        r#"{"severity": "nit", "note": "NONE"}"#,
        r#"{"severity": "nit", "note": "n/a"}"#,
        r#"{"severity": "nit", "note": "null"}"#,
        "NONE",
        "none.",
        "**NONE**",
        "The turn did what was asked.\n\nNONE",
        "null",
    ] {
        nothing(reply);
    }
}

#[test]
fn settled_may_stand_alone_or_beside_a_note() {
    for reply in
        [r#"{"settled": true}"#, r#"{"settled": true, "note": null}"#, r#"{"note": null, "settled": "true"}"#]
    {
        assert_eq!((frame(reply).settled, frame(reply).note), (true, None), "{reply}");
    }
    let both = frame(r#"{"settled": true, "severity": "nit", "note": "Now a smaller matter."}"#);
    assert_eq!((both.settled, both.note.as_deref()), (true, Some("Now a smaller matter.")));
    assert!(!frame(r#"{"settled": false, "note": null}"#).settled);
}

#[test]
fn what_holds_no_frame_is_empty_cut_or_prose() {
    for reply in ["", "  \n", "<think>long thoughts</think>", "<think>never closed {\"note\": \"x\"}"] {
        assert_eq!(read(reply, ReplyFinish::Stop), Reading::Empty, "{reply}");
    }
    for reply in
        ["You should add a test.", "{\"severity\": \"nit\"}", "{\"note\": \"never closed", "{}", "[[[["]
    {
        assert!(matches!(read(reply, ReplyFinish::Stop), Reading::Prose(_)), "{reply}");
    }
    assert_eq!(read(r#"{"severity": "nit", "note": "whole"}"#, ReplyFinish::Length), Reading::Cut);
}

#[test]
fn a_hostile_reply_costs_little() {
    for part in ["{", "[", "{\"a\":", "[1,", "{\"note\":\"", "[{\"note\":null},"] {
        let _ = read(&part.repeat(30_000), ReplyFinish::Stop);
    }
}
