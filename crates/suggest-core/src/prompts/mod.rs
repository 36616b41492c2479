//! The prompt texts of the voices, as data. The unchanging part comes first and is the same bytes from call to call
//! (rule L7).

pub(crate) mod advisor;
pub(crate) mod cards;
pub(crate) mod director;
pub(crate) mod summary;
