//! Ordinary text that must stay (rule P2).

use pretty_assertions::assert_eq;

use super::scrub;

fn check(rows: &[&str]) {
    let scrubbed: Vec<_> = rows.iter().map(|text| scrub(text)).collect();
    assert_eq!(scrubbed, rows);
}

#[test]
fn identifiers_hashes_and_versions() {
    check(&[
        "fixed in 9fceb02 and 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "id f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "\"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"",
        "aGVsbG8gd29ybGQ=",
        "version 1.2.3-beta.4+build.5",
        "a_very_long_identifier_that_goes_on_and_on_for_a_while",
        "AVeryLongCamelCaseIdentifierThatGoesOnAndOn",
        "rename sk-button-primary-large-variant",
        "pip install sk-learn-contrib-extras",
        "the task-runner-implementation",
        "use hf_hub_download and npm_config_registry",
        "ASIA and AKIA are prefixes; so is ghp_",
        "image nginx@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "2026-11-30T12:34:56Z took 12:34:56",
        "rustc 1.95.0 (59807616e 2026-04-14)",
        "\"session\":\"ses-8a00ab87-Zx81kQp29LmNvv7abCD99\"",
        "call toolu_mock_call_20_0 in ses_dd427bea9ffe5BZv547wuVrQxU",
    ]);
}

#[test]
fn code_that_speaks_of_secrets() {
    check(&[
        "fn login(token: &str, password: String) -> Result<Session>",
        "password: string;",
        "password: Option<SecretString>,",
        "pub token: Option<String>,",
        "let secret_key = generate_key();",
        "let secret_key = SecretKey::random(&mut rng);",
        "const apiKey = process.env.OPENAI_API_KEY;",
        "api_key = os.environ[\"API_KEY\"]",
        "api_key=os.getenv(\"API_KEY\")",
        "password=password",
        "connect(password=args.db_password)",
        "self.token = token",
        "this.accessToken = response.data.access_token;",
        "token = lexer.next_token()",
        "tokens = tokenizer.encode(text)",
        "max_tokens=4096, token_count: 12345",
        "if password == other.password {",
        "type=\"password\" autocomplete=\"current-password\"",
        "<input name=\"password\" type=\"password\">",
        "primary_key = True",
        "cache_key = f\"user:{id}\"",
        "\"key\": \"user.settings.theme\"",
        "public_key = load()",
        "token_type: \"Bearer\"",
        "const csrfToken = getCookie('csrftoken');",
        "password_field: \"password\"",
        "enum Token { Ident, Number, Arrow }",
        "Token::Ident => 3",
        "match token { Token::Eof => return }",
        "secret: ${{ secrets.DEPLOY_TOKEN }}",
    ]);
}

#[test]
fn stand_ins() {
    check(&[
        "API_KEY=<your-key>",
        "API_KEY=your-api-key-here",
        "API_KEY=xxxxxxxxxxxxxxxxxxxx",
        "API_KEY=$OTHER_KEY",
        "API_KEY=${OTHER_KEY}",
        "PASSWORD=****",
        "PASSWORD=changeme",
        "PASSWORD=",
        "password: \"{{ vault_password }}\"",
        "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-ant-...",
        "sk-your-key-goes-here-please-now",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "postgres://user:${DB_PASSWORD}@db/x",
        "https://user:<password>@host",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
        "[secret:github-token#1] and [path#2]",
        "PASSWORD=[secret:password#1]",
    ]);
}

#[test]
fn prose() {
    check(&[
        "password: minimum 8 characters",
        "The password is stored hashed.",
        "the token is wrong",
        "Use the --password flag, or --token option.",
        "Authorization: we need to check the header",
        "Bearer authentication is missing",
        "bearer of bad news",
        "the cookie: eat it",
        "Fix the token refresh, then reset the password form.",
        "Password: required",
        "secrets: inherit",
        "author: alice",
        "and/or 1/2 yes/no 3/4",
        "He said: \"no\"; she said: 'yes'.",
        "10:30 to 11:45, ratio 3:1",
    ]);
}

#[test]
fn addresses_routes_commands_and_harmless_paths() {
    check(&[
        "https://example.com/home/user/settings?tab=1#x",
        "http://localhost:8080/api/v1/users",
        "https://example.com:8443/x@y",
        "https://github.com/rust-lang/rust/blob/master/src/main.rs",
        "git@github.com:owner/repo.git",
        "ssh://git@github.com/owner/repo",
        "GET /api/v1/users/42 returns 200",
        "route /users/:id and /auth/login",
        "/goal set ship the parser",
        "/help",
        "regex /^a+b$/g and s/foo/bar/",
        "src/a.rs, ./b.rs, ../c.rs, ../../x, a/home/b",
        "~/notes.md and ~/.config",
        ">/dev/null 2>&1",
        "#!/usr/bin/env python3",
        "#!/bin/sh",
        "the /tmp and /home directories",
        "app/home/page.tsx",
        "</div> <br/> <a href=\"/about\">",
        "// comment",
        "/* comment */",
        "a // b",
        "Plan B:\nfirst",
        "option a:\\nfirst",
        "C: drive",
        "x:/y",
        "std::fs::read, a::b",
        "\\d+\\w* and \\n\\t",
        "/src/main.ts",
        "10/20/30",
    ]);
}
