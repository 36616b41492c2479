//! Scenario player, scripted model, recording host, virtual clock and scripted HTTP server for suggest

pub mod http;
