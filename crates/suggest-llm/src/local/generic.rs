//! Whether a step could stand in any session.

use super::line;

/// Words that name nothing of one session in particular.
const WORDS: &str = "a about add adjust again ahead all also and any anything anywhere approach appropriate are as at be begin \
    better bug bugs build can change changes check clean cleanup clear code codebase comments commit complete continue \
    continuing correct coverage d deeper different direction dive do docs document documentation does done edge cases else \
    ensure error errors everything explain feature features few files fine finish first fix fixes for forward from further get \
    go good great handling happy have help here how i if implement implementation improve improvements in is issue issues \
    it keep know leave let like ll look looks m make me more move my need needed new next now of ok okay on one optimise \
    optimize option options or other part performance phase plan please polish prefer problem proceed project push quality \
    question questions re ready refactor remaining rest review right run s save see sense should some something sound \
    sounds start started step steps stop suite sure t tackle task tasks test testing tests that the them then there these thing \
    things this those to try unit up update use ve verify wait want way we what where whether which with work working works \
    would write you your";

/// The same for Chinese, which has no spaces: pieces that are taken out of a text.
const PIECES: &str = "继续 工作 运行 测试 审查 检查 代码 添加 增加 补充 文档 优化 性能 改进 清理 重构 完成 剩余 任务 下一步 进行 处理 修复 \
    问题 一下 所有 其他 其余 步骤 可以 是否 怎么样 如何 这样 觉得 开始 现在 需要 什么 别的 的 吗 好 要 有 您 呢 请 我 你 帮 还 做 了 吧 并 和";

/// Whether a step names nothing of this session: "run the tests", "continue", "clean up the code" in any wording.
pub(crate) fn is_generic(text: &str) -> bool {
    if line::is_chinese(text) {
        let left = PIECES.split_whitespace().fold(text.to_owned(), |left, piece| left.replace(piece, ""));
        return line::folded(&left).chars().count() < 2;
    }
    text.split(|character: char| character.is_whitespace() || ",;()!?\"“”'’".contains(character))
        .map(|word| word.trim_matches(|character: char| !character.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .all(|word| WORDS.split_whitespace().any(|known| known.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_steps_are_known_in_any_wording_c3() {
        for text in [
            "Run the tests",
            "review code",
            "continue working",
            "Add documentation",
            "improve performance",
            "clean up the code",
            "Continue with the next step",
            "run all the tests again",
            "Anything else you'd like me to change?",
            "How would you like to proceed?",
            "运行测试",
            "继续工作",
            "优化性能",
            "清理一下代码",
            "可以吗？",
            "",
        ] {
            assert!(is_generic(text), "{text}");
        }
        for text in [
            "Run cargo test -p parser",
            "review src/a.rs",
            "add documentation for retry",
            "优化 parser 的性能",
            "补充登录测试",
        ] {
            assert!(!is_generic(text), "{text}");
        }
    }
}
