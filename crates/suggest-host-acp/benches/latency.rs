//! wip

fn main() {}
