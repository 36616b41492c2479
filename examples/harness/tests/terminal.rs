//! The harness as a person meets it: a process with lines in and lines out, and models on loopback.

#![cfg(unix)]
#![expect(clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod support;

use serde_json::json;
use support::{Server, Terminal, answer, hanging, next, tool_call};

#[test]
fn without_flags_it_works_offline_until_nothing_is_left_to_suggest() {
    let mut terminal = Terminal::start(&[]);
    terminal.say("Add a --json flag to report.");
    terminal.wait_for("(y or n)");
    terminal.say("y");
    terminal.wait_for("notes.txt");
    terminal.wait_for("bar  next step · o1: Write a test for `report --json` on an empty ledger");
    terminal.say("/run");
    terminal.wait_for("you  Write a test for `report --json` on an empty ledger");
    terminal.wait_for("bar  next step · o2");
    terminal.say("/autorun on");
    terminal.wait_for("autorun  Document `report --json` in README.md");
    terminal.wait_for("autorun  ended after 2 rounds: there is nothing to recommend");
    terminal.say("/quit");
    assert!(terminal.end().success());
}

#[test]
fn input_that_ends_is_worked_off_and_a_command_that_nobody_allows_is_not_run() {
    let mut terminal = Terminal::start(&[]);
    terminal.say("Add a --json flag to report.");
    terminal.close_input();
    terminal.wait_for("run?  ls");
    terminal.wait_for("bar  next step · o1");
    assert!(terminal.end().success());
    assert!(!terminal.everything().contains("notes.txt"));
}

#[test]
fn a_turn_an_offer_and_run_which_sends_the_offer_as_the_persons_own_prompt_d11() {
    let worker = Server::start([answer("Done: src/report.rs."), answer("Tested.")]);
    let director = Server::start([next("NEXT: Test `report --json` on an empty ledger."), next("NONE")]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest()]);
    terminal.say("Add a --json flag to report.");
    terminal.wait_for("worker  Done: src/report.rs.");
    terminal.wait_for("bar  next step · o1: Test `report --json` on an empty ledger. (director/one)");
    // Enter alone shows the bar again, and runs nothing.
    terminal.say("");
    terminal.wait_for("bar  next step · o1");
    terminal.say("/run o7");
    terminal.wait_for("refused: o7 is not on screen any more");
    terminal.say("/run");
    terminal.wait_for("you  Test `report --json` on an empty ledger.");
    terminal.wait_for("worker  Tested.");
    terminal.wait_for("bar  idle: nothing to recommend");
    terminal.say("/quit");
    assert!(terminal.end().success());

    let asked = worker.last_request();
    let messages = asked["messages"].as_array().expect("messages").iter().skip(1);
    let told: Vec<_> = messages.map(|message| (&message["role"], &message["content"])).collect();
    assert_eq!(
        told,
        [
            (&json!("user"), &json!("Add a --json flag to report.")),
            (&json!("assistant"), &json!("Done: src/report.rs.")),
            (&json!("user"), &json!("Test `report --json` on an empty ledger.")),
        ]
    );
    // The worker's instructions hold nothing of the suggestions (rule D12).
    assert_eq!(asked["messages"][0]["content"], "You are a coding assistant in a terminal. Be brief.");
}

#[test]
fn autorun_goes_through_its_whole_budget_and_stops_a6() {
    let worker = Server::start(["Parser written.", "First round.", "Second round."].map(answer));
    let offers = ["NEXT: Test the parser.", "NEXT: Document the parser.", "NEXT: Benchmark the parser."];
    let director = Server::start(offers.map(next));
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest(), "--rounds=2".to_owned()]);
    terminal.say("Write a parser.");
    terminal.wait_for("bar  next step · o1");
    terminal.say("/autorun on");
    terminal.wait_for("autorun  Test the parser.");
    terminal.wait_for("worker  First round.");
    terminal.wait_for("autorun  Document the parser.");
    terminal.wait_for("autorun  ended after 2 rounds: 2 of 2 rounds spent");
    // The budget is spent when its last round is accepted; that round still runs.
    terminal.wait_for("worker  Second round.");
    terminal.wait_for("bar  next step · o3: Benchmark the parser.");
    // Arming again does not refresh the budget; a reset does.
    terminal.say("/autorun on");
    terminal.wait_for("2 of 2 rounds");
    terminal.say("/autorun reset");
    terminal.wait_for("suggest  ");
    terminal.say("/quit");
    assert!(terminal.end().success());
    assert_eq!(worker.requests(), 3);
}

#[test]
fn a_step_that_edits_the_goal_is_the_persons_to_run_and_holds_the_loop_g2_a4() {
    let worker = Server::start([answer("The release is tagged."), answer("The goal is met.")]);
    let director = Server::start([
        next("NEXT: Tag the release."),
        next("GOAL: Close the goal, since the release is tagged."),
        next("NONE"),
    ]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest()]);
    terminal.say("/goal Ship version 2");
    terminal.wait_for("goal  set");
    terminal.say("Tag the release.");
    // The first answer echoes the prompt, so the director is asked again (rule D8).
    terminal.wait_for("o1: Close the goal, since the release is tagged. [edits the goal: run it yourself]");
    terminal.say("/autorun on");
    terminal.wait_for("autorun waits: edits the goal: this step is yours to run");
    terminal.say("/run");
    terminal.wait_for("autorun  ended after 0 rounds: you sent a prompt yourself");
    terminal.wait_for("you  Close the goal, since the release is tagged.");
    terminal.wait_for("worker  The goal is met.");
    terminal.say("/goal done");
    terminal.wait_for("goal  reached");
    terminal.say("/quit");
    assert!(terminal.end().success());
    assert!(worker.request(1).to_string().contains("The goal of this session: Ship version 2"));
    assert!(director.request(0).to_string().contains("Ship version 2"));
}

#[test]
fn another_goal_drops_the_offer_that_was_made_against_the_old_one_g3() {
    let worker = Server::start([answer("Done.")]);
    let director = Server::start([next("NEXT: Test the parser."), next("NEXT: Measure the parser.")]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest()]);
    terminal.say("Write a parser.");
    terminal.wait_for("bar  next step · o1: Test the parser.");
    terminal.say("/goal Make it fast");
    terminal.wait_for("bar  idle: the goal changed");
    terminal.say("/run");
    terminal.wait_for("error  there is no such suggestion on screen");
    terminal.say("/suggest retry");
    terminal.wait_for("bar  next step · o2: Measure the parser.");
    terminal.say("/quit");
    assert!(terminal.end().success());
}

#[test]
fn a_small_note_waits_for_the_next_prompt_and_a_concern_starts_a_turn_v4() {
    let worker = Server::start(["Done.", "Tested.", "The key is gone."].map(answer));
    let director = Server::start(["NONE", "NONE", "NONE"].map(next));
    let advisor = Server::start([
        next(r#"{"severity": "nit", "note": "The name parse2 says little."}"#),
        next(r#"{"severity": "concern", "note": "The test holds a real key; take it out."}"#),
        next("NONE"),
    ]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest(), advisor.as_advisor()]);
    terminal.say("Write a parser.");
    terminal.wait_for("advisor  [advisor:nit] The name parse2 says little.");
    assert_eq!(worker.requests(), 1);
    terminal.say("Test it.");
    terminal.wait_for("advisor  [advisor:concern] The test holds a real key; take it out.");
    terminal.wait_for("worker  The key is gone.");
    director.wait_for_requests(3);
    advisor.wait_for_requests(3);
    terminal.say("/advisor status");
    terminal.wait_for("suggest  ");
    terminal.say("/quit");
    assert!(terminal.end().success());
    let roles_and_texts = |number: usize| worker.request(number)["messages"].to_string();
    let second = roles_and_texts(1);
    let (note, prompt) = (second.find("parse2"), second.find("Test it."));
    assert!(note.is_some() && note < prompt, "the note stands before the prompt: {second}");
    assert!(roles_and_texts(2).contains("[advisor:concern]"));
    // Its own notes are no conversation that it reviews, and no text for the director (rules V2, S1).
    assert!(!advisor.request(2).to_string().contains("parse2"));
    assert!(!director.request(2).to_string().contains("[advisor"));
}

#[test]
fn ctrl_c_stops_the_turn_closes_the_workers_connection_and_suggests_nothing_d4() {
    let worker = Server::start([hanging()]);
    let director = Server::start([]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest()]);
    terminal.say("Think for ever.");
    worker.wait_for_requests(1);
    terminal.interrupt();
    terminal.wait_for("stopped  the turn was stopped");
    worker.wait_for_client_closes(1);
    terminal.wait_for("bar  idle: the last turn did not complete");
    // With nothing to stop, it leaves.
    terminal.interrupt();
    assert!(terminal.end().success());
    assert_eq!(director.requests(), 0);
}

#[test]
fn ctrl_c_in_a_round_ends_the_loop_a5() {
    let worker = Server::start([answer("Done."), hanging()]);
    let director = Server::start([next("NEXT: Test the parser.")]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest()]);
    terminal.say("Write a parser.");
    terminal.wait_for("bar  next step · o1");
    terminal.say("/autorun on");
    worker.wait_for_requests(2);
    terminal.interrupt();
    terminal.wait_for("autorun  ended after 1 round: the round of turn 2 was stopped");
    terminal.say("/quit");
    assert!(terminal.end().success());
}

#[test]
fn a_command_is_run_after_a_yes_refused_after_a_no_and_the_worker_hears_of_both() {
    let worker = Server::start([
        tool_call("echo first > made.txt; cat made.txt"),
        tool_call("rm made.txt"),
        answer("Made it."),
    ]);
    let director = Server::start([next("NONE")]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest()]);
    terminal.say("Make a file.");
    terminal.wait_for("run?  echo first > made.txt; cat made.txt");
    terminal.say("y");
    terminal.wait_for("tool  first");
    terminal.wait_for("run?  rm made.txt");
    terminal.say("n");
    terminal.wait_for("worker  Made it.");
    terminal.wait_for("bar  idle: nothing to recommend");
    assert!(terminal.folder().join("made.txt").exists());
    terminal.say("/quit");
    assert!(terminal.end().success());
    let told = worker.request(2)["messages"].to_string();
    assert!(
        told.contains("first\\n(exit status: 0)") && told.contains("It was not run: the person said no.")
    );
    // Tools are no text for the director (rule S1).
    assert!(!director.request(0).to_string().contains("made.txt"));
}

#[test]
fn a_prompt_that_is_typed_while_a_turn_runs_comes_next() {
    let worker = Server::start([tool_call("true"), answer("One."), answer("Two.")]);
    let director = Server::start([next("NONE")]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest()]);
    terminal.say("First.");
    terminal.wait_for("run?  true");
    terminal.say("/suggest state");
    terminal.wait_for("suggest  ");
    terminal.say("y");
    terminal.say("Second.");
    terminal.wait_for("worker  One.");
    terminal.wait_for("worker  Two.");
    terminal.wait_for("bar  idle: nothing to recommend");
    terminal.say("/quit");
    assert!(terminal.end().success());
}

#[test]
fn words_instead_of_a_yes_are_a_no_and_the_next_prompt() {
    let worker = Server::start([tool_call("ls -R /"), answer("As you like."), answer("Two files.")]);
    let director = Server::start([next("NONE")]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest()]);
    terminal.say("Look around.");
    terminal.wait_for("run?  ls -R /");
    terminal.say("Only look at this folder.");
    terminal.wait_for("queued  Only look at this folder.");
    terminal.wait_for("worker  As you like.");
    terminal.wait_for("worker  Two files.");
    terminal.say("/quit");
    assert!(terminal.end().success());
    let told = worker.request(2)["messages"].to_string();
    assert!(told.contains("It was not run") && told.contains("Only look at this folder."), "{told}");
}

#[test]
fn off_means_no_call_and_on_brings_the_suggestion_of_the_last_turn_d2_d4() {
    let worker = Server::start([answer("Done.")]);
    let director = Server::start([next("NEXT: Test the parser.")]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest()]);
    terminal.say("/suggest off");
    terminal.wait_for("bar  suggestions off: ");
    terminal.say("Write a parser.");
    terminal.wait_for("worker  Done.");
    assert_eq!(director.requests(), 0);
    terminal.say("/suggest on");
    terminal.wait_for("bar  next step · o1: Test the parser.");
    terminal.say("/quit");
    assert!(terminal.end().success());
}

#[test]
fn a_director_that_fails_never_stops_the_work_and_a_worker_that_fails_suggests_nothing() {
    let refused = suggest_testkit::http::Exchange::json(401, &json!({ "error": { "message": "no" } }));
    let broken = suggest_testkit::http::Exchange::json(500, &json!({}));
    let worker = Server::start([answer("Done."), broken]);
    let director = Server::start([refused]);
    let mut terminal = Terminal::start(&[worker.as_worker(), director.as_suggest()]);
    terminal.say("Write a parser.");
    terminal.wait_for("worker  Done.");
    terminal.wait_for("bar  suggestion failed: ");
    terminal.say("Go on.");
    terminal.wait_for("error  the worker's endpoint answered with status 500");
    terminal.wait_for("bar  idle: the last turn did not complete");
    terminal.say("/quit");
    assert!(terminal.end().success());
}
