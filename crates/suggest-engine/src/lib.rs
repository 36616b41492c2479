//! The async driver of suggest: runs many sessions, performs their effects through traits
