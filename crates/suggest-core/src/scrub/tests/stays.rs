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

#[test]
fn other_languages_talk_about_passwords() {
    check(&[
        "密码：至少8位",
        "密码是8位数字，不能为空",
        "密码为空3次后锁定",
        "Passwort: erforderlich",
        "Passwort: mindestens 8 Zeichen",
        "das Passwort ist falsch",
        "Le mot de passe est obligatoire",
        "mot de passe : 8 caractères minimum",
        "La contraseña es obligatoria",
        "パスワードは8文字以上",
        "パスワード：必須",
        "Die Nachricht ist test123",
        "der Token ist abgelaufen",
    ]);
}

#[test]
fn flags_of_commands_that_take_no_password() {
    check(&[
        "curl -u option",
        "curl -u user:password https://x",
        "curl -u $USER:$PASS https://x",
        "curl -u \"$USER:$PASS\" https://x",
        "curl -u <user>:<password> x",
        "mysql -p db",
        "mysql -u root -p",
        "mysql -P 3306 -h db",
        "mysql -p$PASS",
        "mysql -p\"$PASS\" db",
        "sshpass -p \"$PASS\" ssh x",
        "sshpass -e ssh x",
        "use sshpass -p to pass a password",
        "use sshpass -p option here",
        "docker run -p 8080:80 nginx",
        "docker run -d -p 127.0.0.1:8080:80 x",
        "mkdir -p src/a/b",
        "cargo test -p suggest-core",
        "cargo nextest run -p suggest-llm --lib",
        "git commit -a message1",
        "ps -p 1234",
        "scp -P 2222 a b",
        "python -u main.py:app",
        "uvicorn -u main:app9",
        "psql -U postgres -d db1",
        "redis-cli -h x -p 6379",
        "http -a",
        "`--password-stdin`",
        "echo $X | docker login -u bob --password-stdin",
        "sudo -u postgres:postgres x",
        "chown -R a:b x",
        "docker run -u 1000:1000 x",
        "zip -P 8 ",
    ]);
}

#[test]
fn addresses_with_signs_in_their_paths() {
    check(&[
        "https://registry.npmjs.org/@scope/pkg",
        "https://user@host.com/path/@scope/x",
        "https://example.com:8443/x@y",
        "git+https://github.com/a/b@v1.2.3",
        "https://github.com/a/b@v1",
        "https://cdn.jsdelivr.net/npm/a@1.2.3/x@y",
        "postgres://localhost:5432/db@main",
        "postgres://host/db",
        "https://u@h",
        "https://example.com/@user/post",
        "https://medium.com/@user:x/post@z",
    ]);
}

#[test]
fn lists_blocks_tables_and_code_around_such_names() {
    check(&[
        "password = getPassword()",
        "password=getPassword(), user=x",
        "connect(user=a, password=pw, db=b)",
        "connect(password=password,timeout=30)",
        "f(password=None, retries=3)",
        "fn f(password: &str, n: u32)",
        "def f(password: str, retries: int = 3)",
        "const { password, user } = req.body;",
        "{ user, password, role }",
        "password: user.password,",
        "password: process.env.DB_PASSWORD,",
        "password: config.get('db.password'),",
        "password:\n  type: string",
        "password:\n  - min: 8",
        "password:\n  required: true\n",
        "password:\n  required",
        "password:\n    type: string\n    minLength: 8",
        "Then set the password:\n  cargo run",
        "Set the token:\n  export TOKEN=abc",
        "token:\n  refresh-token\n",
        "Enter your password:\n\nThen go on",
        "password |\n  grep x",
        "def password():\n    return 1",
        "password=\n  next",
        "| user | password |\n| --- | --- |\n| required | required |",
        "| Field | Type |\n|---|---|\n| password | string |",
        "| Field | Type |\n|---|---|\n| password | varchar255 |",
        "| Field | Type |\n|---|---|\n| password | VARCHAR(255) |",
        "| Feature | Password | Token |\n|---|---|---|\n| login | yes | no |\n| reset | bcrypt | sha256 |",
        "| name | tokens |\n|---|---|\n| gpt | 4096 |",
        "| test | token |\n|---|---|\n| test_login_2 | test_token_3 |",
        "a | b\n--- | ---\n1 | 2",
        "token: test-data-v2",
        "\"token\": \"refresh-token-2\"",
        "\"apiKey\": \"openai-key-2\"",
        "X-Api-Key: required",
        "X-Api-Key: <your key>",
        "X-Request-Id: 9f8e7d6c5b4a",
        "X-Api-Version: 2024-10-21",
        "X-Auth-Token: token",
        "the x-api-key: header is missing",
        "password: hunter or not",
        "the password: it must be long, and so on",
        "password: foo, bar & baz",
        "my password: yes; no",
        "password=a&b=c",
        "?password=&token=",
        "password=x,y",
        "token=abc,def;ghi",
        "password: 12 characters",
        "password: 8",
        "pass: 12345",
        "test_password_reset_2: ok",
        "tests passed: 1234567",
        "passed=123456",
        "test result: ok. 15 passed; 0 failed",
        "tokens: 123456",
        "max_tokens: 128000",
        "password_hash: sha256",
        "the password, e.g. \"x\"",
        "password:: Type",
        "the key is abc123",
        "api_key:\n  Ref: x",
        "password:\n  - hunter2",
    ]);
}

#[test]
fn words_beside_the_names_of_secrets() {
    check(&[
        "the password `auth_v2` field",
        "the password \"step 2\" label",
        "reset password (see step2)",
        "reset password (RFC6749)",
        "password `test_login_2`",
        "login with password or token",
        "then login with password reset",
        "the login password must be set",
        "login and password step2 fail",
        "Use the api key: it is in the vault",
        "the api key is missing",
        "api key is required",
        "public key: abc123def456ghi7",
        "cache key: user:42:profile",
        "The key is abc123",
        "<input name=\"password\" value=\"\">",
        "<option value=\"token1\">Token</option>",
        "<button value=\"reset\">",
        "<property name=\"retries\" value=\"3\"/>",
        "password is: required",
        "this is: good",
        "const base = 12",
        "secret_key_base: generated",
        "the password ('hunter') example",
        "passwords (12 of them)",
        "password manager 1Password",
    ]);
}
