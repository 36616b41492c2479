//! Whether a question or a permission dialog waits for the human.

use std::collections::BTreeSet;

/// More open dialogs than this are not told apart.
const MAX_OPEN: usize = 256;

/// The dialogs that are open: approvals by their id, asking tools by their call.
#[derive(Debug, Default)]
pub(crate) struct Asking {
    open: BTreeSet<String>,
}

impl Asking {
    pub(crate) fn opened(&mut self, id: &str) {
        if self.open.len() < MAX_OPEN && id.len() <= 256 {
            self.open.insert(id.to_owned());
        }
    }

    pub(crate) fn closed(&mut self, id: &str) {
        self.open.remove(id);
    }

    /// A turn that ended asks nothing any more.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }
}

/// Whether this tool puts a question to the human and waits for the answer.
pub(crate) fn asks(tool: &str) -> bool {
    matches!(tool, "ask_user_question" | "exit_plan_mode")
}
