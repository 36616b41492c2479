//! The `suggest` command.

fn main() {}
