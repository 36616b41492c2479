//! What the bar says, in the languages that it speaks.

use suggest_core::{OfferKind, ReasonCode, Status};

/// The words of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) off: &'static str,
    pub(crate) idle: &'static str,
    pub(crate) analyzing: &'static str,
    pub(crate) ready: &'static str,
    pub(crate) failed: &'static str,
    pub(crate) waiting: &'static str,
    pub(crate) waiting_in: &'static str,
    pub(crate) older: &'static str,
    pub(crate) dismissed: &'static str,
    pub(crate) copied: &'static str,
    pub(crate) no_offer: &'static str,
    pub(crate) work_lost: &'static str,
    pub(crate) after_turn: &'static str,
    goal_edit: &'static str,
    command: &'static str,
    destructive: &'static str,
    pub(crate) key_expand: &'static str,
    pub(crate) key_collapse: &'static str,
    pub(crate) key_copy: &'static str,
    pub(crate) key_dismiss: &'static str,
    pub(crate) key_retry: &'static str,
    pub(crate) key_off: &'static str,
    pub(crate) key_on: &'static str,
    pub(crate) key_quit: &'static str,
    /// Whether the core's sentences are of another language.
    translates: bool,
}

pub(crate) const ENGLISH: Words = Words {
    off: "Suggestions off",
    idle: "No suggestion yet",
    analyzing: "Analyzing…",
    ready: "Next step",
    failed: "Suggestion failed",
    waiting: "Waiting for the session",
    waiting_in: "Waiting for a session in",
    older: "from turn",
    dismissed: "dismissed; the next turn brings another one",
    copied: "sent to the terminal's clipboard (OSC 52); not every terminal takes it",
    no_offer: "nothing to copy",
    work_lost: "the background process ended early",
    after_turn: "one follows the next completed turn",
    goal_edit: "edits the goal · run it yourself",
    command: "runs a command · run it yourself",
    destructive: "destructive · run it yourself",
    key_expand: "expand",
    key_collapse: "collapse",
    key_copy: "copy",
    key_dismiss: "dismiss",
    key_retry: "retry",
    key_off: "off",
    key_on: "on",
    key_quit: "quit",
    translates: false,
};

pub(crate) const CHINESE: Words = Words {
    off: "建议已关闭",
    idle: "暂无建议",
    analyzing: "正在分析…",
    ready: "下一步",
    failed: "建议失败",
    waiting: "等待会话",
    waiting_in: "等待此目录中的会话",
    older: "来自轮次",
    dismissed: "已忽略；下一轮结束后会有新的建议",
    copied: "已发送到终端剪贴板（OSC 52）；部分终端不支持",
    no_offer: "没有可复制的内容",
    work_lost: "后台进程提前结束",
    after_turn: "下一轮结束后给出建议",
    goal_edit: "修改目标 · 请自行运行",
    command: "运行命令 · 请自行运行",
    destructive: "破坏性操作 · 请自行运行",
    key_expand: "展开",
    key_collapse: "收起",
    key_copy: "复制",
    key_dismiss: "忽略",
    key_retry: "重试",
    key_off: "关闭",
    key_on: "打开",
    key_quit: "退出",
    translates: true,
};

impl Words {
    /// The language that the environment names; English where it names another one.
    pub(crate) fn of_environment() -> &'static Self {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
        let named = names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
        Self::of_locale(named.as_deref().unwrap_or_default())
    }

    fn of_locale(locale: &str) -> &'static Self {
        if locale.starts_with("zh") { &CHINESE } else { &ENGLISH }
    }

    /// The label of a status (rule D3).
    pub(crate) fn status(&self, status: Status) -> &'static str {
        match status {
            Status::Off => self.off,
            Status::Idle => self.idle,
            Status::Analyzing => self.analyzing,
            Status::Ready => self.ready,
            Status::Failed => self.failed,
        }
    }

    /// The sentence of a reason; `None` where the core's own is in this language.
    pub(crate) fn reason(&self, code: ReasonCode) -> Option<&'static str> {
        if !self.translates {
            return None;
        }
        Some(match code {
            ReasonCode::NoModel => "未设置模型",
            ReasonCode::SwitchedOff => "已在此会话关闭",
            ReasonCode::Headless => "无人值守的会话不给建议",
            ReasonCode::Subagent => "子代理会话不给建议",
            ReasonCode::NoCompletedTurn | ReasonCode::NoOfferYet => self.after_turn,
            ReasonCode::TurnRunning => "正在运行一轮",
            ReasonCode::TurnNotCompleted => "上一轮没有完成",
            ReasonCode::NothingToRecommend => "模型认为没有可推荐的",
            ReasonCode::GoalChanged => "目标已更改；下一轮结束后给出建议",
            ReasonCode::HistoryRewritten => "历史已改写；下一轮结束后给出建议",
            ReasonCode::ModelChanged => "模型已更改；下一轮结束后给出建议",
            ReasonCode::Asking => "正在等待你的回答",
            ReasonCode::Submitting => "正在提交",
            ReasonCode::Closed => "会话已关闭",
            ReasonCode::InvalidAnswer => "模型的回答无效",
            ReasonCode::RetryLater => "模型服务繁忙",
            ReasonCode::Quota => "额度已用完",
            ReasonCode::Credentials => "凭据无效",
            ReasonCode::UnknownModel => "未知的模型",
            ReasonCode::UnsupportedParameter => "不支持的参数",
            ReasonCode::ContextTooLong => "上下文过长",
            ReasonCode::Filtered => "内容被过滤",
            ReasonCode::Starved => "预算都用于推理",
            ReasonCode::Empty => "回答为空",
            ReasonCode::Malformed => "回答无法读取",
            ReasonCode::Timeout => "超时",
            ReasonCode::Cancelled => "已取消",
            ReasonCode::Network => "网络错误",
            ReasonCode::NotAllowed => "未允许传输",
            _ => return None,
        })
    }

    /// What a person must know before running an offer (rules G2, D13).
    pub(crate) fn kind(&self, kind: OfferKind) -> Option<&'static str> {
        match kind {
            OfferKind::Prompt => None,
            OfferKind::GoalEdit => Some(self.goal_edit),
            OfferKind::Command => Some(self.command),
            OfferKind::Destructive => Some(self.destructive),
        }
    }
}

/// The mark of a status, which says without colour what it is.
pub(crate) const fn mark(status: Status) -> &'static str {
    match status {
        Status::Off => "x",
        Status::Idle => "-",
        Status::Analyzing => "~",
        Status::Ready => ">",
        Status::Failed => "!",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_chooses_the_language() {
        for (locale, words) in [
            ("zh_CN.UTF-8", &CHINESE),
            ("zh", &CHINESE),
            ("en_GB.UTF-8", &ENGLISH),
            ("C", &ENGLISH),
            ("", &ENGLISH),
        ] {
            assert_eq!(Words::of_locale(locale), words, "{locale}");
        }
    }
}
