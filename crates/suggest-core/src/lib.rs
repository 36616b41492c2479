//! Pure state machines that decide what a coding session should do next: events in, effects out
