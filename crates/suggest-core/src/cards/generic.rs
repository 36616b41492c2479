//! Whether a suggestion could stand in any session: "run the tests", "clean up the code" and their kin (rule C3).

use super::generic_words::{is_common_aim, is_everyday, without_everyday_pieces};
use super::names::SessionNames;
use super::tokens::{Token, tokens};

/// Words of its own that a suggestion with a common aim may have and still be generic: "improve performance under heavy
/// load".
const FEW_WORDS: usize = 3;
/// Letters of its own that one in a script without spaces may have.
const FEW_LETTERS: usize = 6;

/// Whether the suggestion is generic: it aims at what every session could do and names nothing of this one.
pub(crate) fn is_generic(title: &str, prompt: &str, names: &SessionNames) -> bool {
    let title_is_specific = !looks_generic(title) && names.are_in(title);
    looks_generic(prompt) && !names.are_in(prompt) && !title_is_specific
}

/// Whether the words alone are generic, whatever the session.
pub(crate) fn looks_generic(text: &str) -> bool {
    let (mut own_words, mut own_letters, mut aims) = (0_usize, 0_usize, false);
    for token in tokens(text) {
        match token {
            Token::Word { text, .. } => {
                aims |= is_common_aim(&text);
                // A path or symbol is no word of its own here: whether it counts is for the session's names to say.
                own_words += usize::from(!is_everyday(&text));
            }
            Token::Unspaced(run) => {
                let left = without_everyday_pieces(&run);
                aims |= super::generic_words::has_common_aim(&run);
                own_letters += left.chars().filter(|letter| *letter != ' ').count();
            }
        }
    }
    own_words == 0 && own_letters < 2 || aims && own_words <= FEW_WORDS && own_letters <= FEW_LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Author;
    use crate::facts::{MessageFact, SessionFacts};
    use crate::ids::Turn;

    fn session() -> SessionNames {
        SessionNames::of(&SessionFacts {
            touched_files: vec!["src/report.rs".to_owned()],
            recent_human: vec!["Add a --json flag to `report`.".to_owned(), "给登录模块增加重试".to_owned()],
            messages: vec![MessageFact {
                turn: Turn::new(1),
                author: Author::Assistant,
                text: "Done: `render_json` prints the ledger. The test report::empty_ledger fails."
                    .to_owned(),
            }],
            ..SessionFacts::default()
        })
    }

    fn check(text: &str) -> bool {
        is_generic("A title", text, &session())
    }

    #[test]
    fn generic_aims_are_known_in_six_languages_c3() {
        for text in [
            "Run tests",
            "Run the tests",
            "Please run the full test suite and make sure that everything passes",
            "review code",
            "Review the code you just wrote for quality and correctness",
            "Continue working",
            "Keep going with the remaining work",
            "Add documentation",
            "Write some docs for the new functionality",
            "Improve performance",
            "Optimise the application for better speed under heavy load",
            "Clean up the code",
            "Refactor for readability and maintainability",
            "Tidy up the codebase",
            "Do a final check of the whole project",
            "Look for bugs and fix them",
            "Add more unit tests to increase coverage",
            "Handle edge cases and add error handling",
            "Commit and push the changes",
            "Verify that it all works as expected",
            "Polish the user interface",
            "Double-check your work",
            "Enhance security best practices",
            "Proceed to the next step",
            "运行测试",
            "请运行所有测试并确保通过",
            "审查一下代码",
            "继续工作",
            "添加文档",
            "优化性能",
            "清理代码",
            "重构代码以提高可读性",
            "提高测试覆盖率",
            "テストを実行する",
            "すべてのテストを実行してください",
            "コードをレビューする",
            "作業を続ける",
            "ドキュメントを追加する",
            "パフォーマンスを改善する",
            "コードを整理する",
            "Führe die Tests aus",
            "Überprüfe den Code",
            "Arbeite weiter",
            "Füge Dokumentation hinzu",
            "Verbessere die Leistung der Anwendung",
            "Räume den Code auf",
            "Ejecuta las pruebas",
            "Revisa el código",
            "Continúa trabajando",
            "Añade documentación",
            "Mejora el rendimiento",
            "Limpia el código",
            "Exécute les tests",
            "Relis le code",
            "Continue le travail",
            "Ajoute de la documentation",
            "Améliore les performances",
            "Nettoie le code",
            "Run the tests in src/unknown.rs",
        ] {
            assert!(check(text), "{text}");
        }
    }

    #[test]
    fn a_suggestion_that_names_something_of_the_session_stays_c3() {
        for text in [
            "Run the tests for src/report.rs",
            "Review the code in report.rs",
            "Clean up `render_json`",
            "Add documentation for the --json flag",
            "Fix the failing test report::empty_ledger",
            "Improve the performance of the ledger",
            "给登录模块补充测试",
            "Implement OAuth login with Google accounts",
            "Add pagination to the list endpoint of the users API",
            "Verbessere die Leistung von render_json",
        ] {
            assert!(!check(text), "{text}");
        }
    }
}
