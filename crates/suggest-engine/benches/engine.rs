//! Throughput of the engine.

fn main() {}
