use super::super::{fold_for_echo, same_step, step_key};

#[test]
fn echo_folding_is_about_case_width_and_white_space_f82() {
    assert_eq!(fold_for_echo("  Run　the\n ＴＥＳＴＳ "), "run the tests");
    assert_ne!(fold_for_echo("run tests"), fold_for_echo("run tests."));
}

#[test]
fn the_same_step_in_other_words_of_courtesy_is_the_same_step_a5() {
    for (a, b) in [
        ("Run the tests", "please run tests."),
        ("Run the tests", "Now, then: just run the tests again!"),
        ("Ｒｕｎ tests", "run TESTS"),
        ("Run `cargo test`", "run \"cargo test\""),
        ("don't skip it", "dont skip it"),
        ("next, run a test", "Run an test"),
        ("请运行测试", "现在运行测试。"),
    ] {
        assert!(same_step(a, b), "{a:?} and {b:?}");
    }
}

#[test]
fn different_steps_stay_different_a5() {
    for (a, b) in [
        ("Run the tests", "Run the linter"),
        ("port it to C", "port it to C++"),
        ("check that a < b", "check that a > b"),
        ("again", "please"),
        ("运行测试", "运行检查"),
        ("👍", "👎"),
    ] {
        assert!(!same_step(a, b), "{a:?} and {b:?}");
    }
    assert_eq!(step_key("Please, run THE tests again."), "run tests");
}
