//! Commands are read as the command reference spells them.

use super::{AdvisorCommand, CardsCommand, Command, CommandOutput, ParseCommandError};
use crate::code::OutputCode;
use crate::ids::OfferId;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn parse(line: &str) -> Result<Command, ParseCommandError> {
    line.parse()
}

#[test]
fn every_command_is_read() {
    let pin = AdvisorCommand::PinModel { provider: "p".to_owned(), model: "m/n".to_owned() };
    for (line, command) in [
        ("", Command::Help),
        ("help", Command::Help),
        ("state", Command::State),
        ("status", Command::Status),
        ("report", Command::Report),
        ("pull", Command::Pull),
        ("on", Command::On),
        ("off", Command::Off),
        ("retry", Command::Retry),
        ("model", Command::ShowModel),
        ("model clear", Command::ClearModel),
        ("model openrouter/a/b", Command::SetModel("openrouter/a/b".parse().unwrap())),
        ("run", Command::Run(None)),
        ("run o3", Command::Run(Some(OfferId::new(3)))),
        ("autorun on", Command::ArmAutorun),
        ("autorun off", Command::DisarmAutorun),
        ("autorun reset", Command::ResetAutorun),
        ("summary", Command::Summary),
        ("advisor", Command::Advisor(AdvisorCommand::Toggle)),
        ("advisor toggle", Command::Advisor(AdvisorCommand::Toggle)),
        ("advisor on", Command::Advisor(AdvisorCommand::On)),
        ("advisor off", Command::Advisor(AdvisorCommand::Off)),
        ("advisor status", Command::Advisor(AdvisorCommand::Status)),
        ("advisor config", Command::Advisor(AdvisorCommand::Config)),
        ("advisor model", Command::Advisor(AdvisorCommand::Model)),
        ("advisor model reset", Command::Advisor(AdvisorCommand::ResetModel)),
        ("advisor model set p m/n", Command::Advisor(pin)),
        ("cards", Command::Cards(CardsCommand::List)),
        ("cards list", Command::Cards(CardsCommand::List)),
        ("cards accept c1", Command::Cards(CardsCommand::Accept("c1".to_owned()))),
        ("cards dismiss c1", Command::Cards(CardsCommand::Dismiss("c1".to_owned()))),
        ("cards dismiss all", Command::Cards(CardsCommand::DismissAll)),
    ] {
        assert_eq!(parse(line), Ok(command.clone()), "{line:?}");
        assert_eq!(
            parse(&format!("  {}\t\r\n", line.replace(' ', " \t "))),
            Ok(command),
            "{line:?} with more space"
        );
    }
}

#[test]
fn another_word_is_no_command_and_the_error_shows_it_in_one_short_line() {
    for line in [
        "start",
        "RUN",
        "runo3",
        "autorunon",
        "advisor nonsense",
        "advisor on now",
        "cards all",
        "/suggest run",
    ] {
        let error = parse(line).unwrap_err();
        assert_eq!(error.code, OutputCode::UnknownCommand, "{line:?}");
        assert_eq!(error.message, format!("no command `{line}`; `help` lists them"));
    }
    let error = parse(&"x\n\u{1b}".repeat(10_000)).unwrap_err();
    assert!(error.message.len() < 120 && !error.message.contains(char::is_control));
}

#[test]
fn an_argument_that_does_not_fit_is_refused_with_what_does() {
    for (line, message) in [
        ("run 3", "an offer id looks like `o3`"),
        ("run o1 o2", "`run` takes no such arguments; `help` lists the commands"),
        ("off now", "`off` takes no such arguments; `help` lists the commands"),
        ("model gpt", "`gpt` is no model: write provider/model, for example deepseek/deepseek-chat"),
        ("model a/b c", "`model` takes no such arguments; `help` lists the commands"),
        ("autorun", "write `autorun on`, `autorun off` or `autorun reset`"),
        ("autorun 24", "write `autorun on`, `autorun off` or `autorun reset`"),
        ("advisor model set p", "write `advisor model set PROVIDER MODEL` or `advisor model reset`"),
        ("cards accept", "name one card by its id"),
        ("cards dismiss c1 c2", "name one card by its id"),
    ] {
        let error = parse(line).unwrap_err();
        assert_eq!(
            error,
            ParseCommandError { code: OutputCode::BadArgument, message: message.to_owned() },
            "{line}"
        );
        let output = CommandOutput::from(error);
        assert_eq!(output, CommandOutput::refused(OutputCode::BadArgument, message));
    }
}

#[test]
fn arming_is_never_read_from_anything_but_its_own_two_words() {
    // Rule A2: arming is an act of a human, never a slip.
    for line in ["autorun", "autorun onn", "autorun on on", "on autorun", "autorun ON", "arm"] {
        assert_ne!(parse(line), Ok(Command::ArmAutorun), "{line:?}");
    }
}

proptest! {
    #[test]
    fn no_line_panics_and_an_error_is_one_line(
        words in proptest::collection::vec(
            prop_oneof![
                proptest::sample::select(vec![
                    "model", "run", "autorun", "advisor", "cards", "set", "reset", "on", "off", "all", "o1", "a/b",
                ]).prop_map(str::to_owned),
                any::<String>(),
            ],
            0..5,
        ),
    ) {
        if let Err(error) = parse(&words.join(" ")) {
            prop_assert!(matches!(error.code, OutputCode::UnknownCommand | OutputCode::BadArgument));
            prop_assert!(!error.message.contains(char::is_control));
        }
    }

    #[test]
    fn every_command_reads_back_from_its_json(line in proptest::sample::select(vec![
        "help", "run", "run o3", "model a/b", "advisor model set p m", "cards dismiss all", "cards accept c1",
    ])) {
        let command = parse(line).unwrap();
        let json = serde_json::to_value(&command).unwrap();
        prop_assert_eq!(serde_json::from_value::<Command>(json).unwrap(), command);
    }
}
