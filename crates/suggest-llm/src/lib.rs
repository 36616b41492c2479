//! Model clients for suggest: one trait, an OpenAI-compatible client, a deterministic local provider
