//! DeepSeek Harness adapter of suggest: session log reader, live event mapping, sidecar protocol
