//! What must go (rule P2).

use pretty_assertions::assert_eq;

use super::scrub;

const PEM_BODY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";

/// Text and what it becomes.
fn check(rows: &[(&str, &str)]) {
    let scrubbed: Vec<_> = rows.iter().map(|(text, _)| (*text, scrub(text))).collect();
    let expected: Vec<_> = rows.iter().map(|(text, expected)| (*text, (*expected).to_owned())).collect();
    assert_eq!(scrubbed, expected);
}

#[test]
fn keys_with_a_published_prefix() {
    check(&[
        (
            "key sk-ant-api03-AbCdEf0123456789AbCdEf0123456789-AbCdEf_0123AA here",
            "key [secret:anthropic-key#1] here",
        ),
        ("sk-proj-AbCdEfGhIjKlMnOp0123456789", "[secret:openai-key#1]"),
        ("sk-svcacct-AbCdEfGhIjKlMnOp0123456789", "[secret:openai-key#1]"),
        ("sk-AbCdEfGhIjKlMnOpQrStT3BlbkFJ0123456789abcdefghij", "[secret:openai-key#1]"),
        ("sk-0123456789abcdef0123456789abcdef", "[secret:deepseek-key#1]"),
        (
            "sk-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "[secret:openrouter-key#1]",
        ),
        ("gsk_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKl", "[secret:groq-key#1]"),
        ("AIzaSyA0123456789abcdefghijklmnopqrstuv", "[secret:google-key#1]"),
        ("ya29.a0AfH6SMBx0123456789abcdefghij", "[secret:google-key#1]"),
        ("hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", "[secret:huggingface-token#1]"),
        ("xai-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "[secret:xai-key#1]"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "[secret:github-token#1]"),
        ("gho_0123456789abcdefghijABCDEFGHIJ012345.", "[secret:github-token#1]."),
        ("ghu_0123456789abcdefghijABCDEFGHIJ012345", "[secret:github-token#1]"),
        ("ghs_0123456789abcdefghijABCDEFGHIJ012345", "[secret:github-token#1]"),
        ("ghr_0123456789abcdefghijABCDEFGHIJ012345", "[secret:github-token#1]"),
        ("(github_pat_11ABCDEFG0123456789_abcdefghijklmnop)", "([secret:github-token#1])"),
        ("glpat-AbCdEfGh0123456789xy", "[secret:gitlab-token#1]"),
        ("xoxb-1234567890-0987654321-AbCdEfGhIjKlMnOpQrStUvWx", "[secret:slack-token#1]"),
        (
            "https://hooks.slack.com/services/T00000000/B00000000/AbCdEfGhIjKlMnOpQrStUvWx",
            "https://[secret:slack-token#1]",
        ),
        ("AKIAIOSFODNN7EXAMPLE", "[secret:aws-key-id#1]"),
        ("sk_live_AbCdEfGhIjKlMnOpQrStUvWx", "[secret:stripe-key#1]"),
        ("rk_test_AbCdEfGhIjKlMnOpQrStUvWx", "[secret:stripe-key#1]"),
        ("npm_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "[secret:npm-token#1]"),
        ("pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMA", "[secret:pypi-token#1]"),
        ("SG.AbCdEfGhIjKlMnOpQrStUv.AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefg", "[secret:sendgrid-key#1]"),
        ("SK0123456789abcdef0123456789abcdef", "[secret:twilio-key#1]"),
        ("bot 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1 runs", "bot [secret:telegram-token#1] runs"),
        (
            "MTIzNDU2Nzg5MDEyMzQ1Njc4.GAbCdE.AbCdEfGhIjKlMnOpQrStUvWxYz0123456789ab",
            "[secret:discord-token#1]",
        ),
        (
            "https://discord.com/api/webhooks/123456789012345678/AbCdEfGhIjKlMnOpQrSt",
            "https://[secret:discord-token#1]",
        ),
        ("hvs.CAESIAbCdEfGhIjKlMnOpQrStUv0", "[secret:service-token#1]"),
        ("dckr_pat_AbCdEfGhIjKlMnOpQrStUv0", "[secret:service-token#1]"),
        ("x\\nghp_0123456789abcdefghijABCDEFGHIJ012345", "x\\n[secret:github-token#1]"),
        ("令牌sk-ant-api03-AbCdEf0123456789AbCdEf01。", "令牌[secret:anthropic-key#1]。"),
    ]);
}

#[test]
fn keys_that_a_narrow_terminal_broke_over_two_lines() {
    check(&[
        ("ghp_0123456789abcdefghij\nABCDEFGHIJ012345 end", "[secret:github-token#1] end"),
        ("ghp_0123456789abcdefghij\r\n  ABCDEFGHIJ012345", "[secret:github-token#1]"),
        ("sk-ant-api03-AbCdEf0123456789AbCdEf0123456789\nAbCdEf0123456789", "[secret:anthropic-key#1]"),
        ("sk-ant-api03-AbCdEf0123456789AbCdEf0123456789\nand then", "[secret:anthropic-key#1]\nand then"),
    ]);
}

#[test]
fn structures() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    check(&[
        (jwt, "[secret:jwt#1]"),
        (&format!("token: {jwt}"), "token: [secret:jwt#1]"),
        (&format!("Authorization: Bearer {jwt}"), "Authorization: Bearer [secret:jwt#1]"),
        (
            "curl -H \"Authorization: Bearer abcDEF123456\" x",
            "curl -H \"Authorization: Bearer [secret:authorization#1]\" x",
        ),
        ("Authorization: Basic YWxpY2U6aHVudGVyMg==", "Authorization: Basic [secret:authorization#1]"),
        (
            "{\"authorization\": \"Bearer abcDEF123456\"}",
            "{\"authorization\": \"Bearer [secret:authorization#1]\"}",
        ),
        ("send Bearer 0a1B2c3D4e5F6g7H8i9J please", "send Bearer [secret:authorization#1] please"),
        ("Cookie: sid=abcdef; theme=dark", "Cookie: [secret:cookie#1]"),
        ("-H 'Cookie: sid=abcdef; theme=dark' -v", "-H 'Cookie: [secret:cookie#1]' -v"),
        ("Set-Cookie: session=Zm9vYmFy; Path=/; HttpOnly\nok", "Set-Cookie: [secret:cookie#1]\nok"),
        ("https://alice:hunter2@example.com/x", "https://alice:[secret:url-password#1]@example.com/x"),
        ("https://x:p%40ss@example.com", "https://x:[secret:url-password#1]@example.com"),
        (
            "git clone https://oauth2:glpat-AbCdEfGh0123456789xy@gitlab.com/a/b.git",
            "git clone https://oauth2:[secret:url-password#1]@gitlab.com/a/b.git",
        ),
        (
            "https://ghp_0123456789abcdefghijABCDEFGHIJ012345@github.com/a/b",
            "https://[secret:github-token#1]@github.com/a/b",
        ),
        ("postgres://app:s3cr3t@db:5432/main", "postgres://app:[secret:connection-password#1]@db:5432/main"),
        (
            "postgresql+asyncpg://app:p/w@d@db/main",
            "postgresql+asyncpg://app:[secret:connection-password#1]@db/main",
        ),
        (
            "mongodb+srv://u:pw1@c0.mongodb.net/?retryWrites=true",
            "mongodb+srv://u:[secret:connection-password#1]@c0.mongodb.net/?retryWrites=true",
        ),
        ("redis://:letmein@cache:6379/0", "redis://:[secret:connection-password#1]@cache:6379/0"),
        ("amqp://guest:guest@mq/", "amqp://guest:[secret:connection-password#1]@mq/"),
        (
            "host=db user=me password=letmein dbname=x",
            "host=db user=me password=[secret:password#1] dbname=x",
        ),
        (
            "Server=db;User Id=sa;Password=Pa55w0rd!;Encrypt=true",
            "Server=db;User Id=sa;Password=[secret:password#1];Encrypt=true",
        ),
        (
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=AbCdEfGh0123456789+/AbCdEfGh0123456789==;EndpointSuffix=core",
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=[secret:azure-key#1];EndpointSuffix=core",
        ),
    ]);
}

#[test]
fn assignments() {
    check(&[
        (
            "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "AWS_SECRET_ACCESS_KEY=[secret:aws-secret#1]",
        ),
        (
            "\"SecretAccessKey\": \"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\"",
            "\"SecretAccessKey\": \"[secret:aws-secret#1]\"",
        ),
        ("API_KEY=abc123def456ghi7", "API_KEY=[secret:assigned-secret#1]"),
        (
            "export SERVICE_TOKEN='a8f5f167f44f4964e6c998dee827110c'",
            "export SERVICE_TOKEN='[secret:assigned-secret#1]'",
        ),
        (
            "{\"api_key\": \"Zx81kQp29LmN\", \"n\": 1}",
            "{\"api_key\": \"[secret:assigned-secret#1]\", \"n\": 1}",
        ),
        ("{\\\"api_key\\\": \\\"Zx81kQp29LmN\\\"}", "{\\\"api_key\\\": \\\"[secret:assigned-secret#1]\\\"}"),
        ("client_secret: Zx81kQp29LmNvv7", "client_secret: [secret:assigned-secret#1]"),
        ("secret_key = \"Zx81kQp29LmNvv7\"", "secret_key = \"[secret:assigned-secret#1]\""),
        (
            "const apiKey: string = \"Zx81kQp29LmNvv7\";",
            "const apiKey: string = \"[secret:assigned-secret#1]\";",
        ),
        (
            "const API_KEY: &str = \"Zx81kQp29LmNvv7\";",
            "const API_KEY: &str = \"[secret:assigned-secret#1]\";",
        ),
        (
            "let token = String::from(\"Zx81kQp29LmNvv7\");",
            "let token = String::from(\"[secret:assigned-secret#1]\");",
        ),
        (
            "os.environ[\"API_TOKEN\"] = \"Zx81kQp29LmNvv7\"",
            "os.environ[\"API_TOKEN\"] = \"[secret:assigned-secret#1]\"",
        ),
        ("'token' => 'Zx81kQp29LmNvv7',", "'token' => '[secret:assigned-secret#1]',"),
        (
            "https://x.test/a?api_key=Zx81kQp29LmNvv7&n=1",
            "https://x.test/a?api_key=[secret:assigned-secret#1]&n=1",
        ),
        ("x-api-key: Zx81kQp29LmNvv7", "x-api-key: [secret:assigned-secret#1]"),
        ("run --api-key Zx81kQp29LmNvv7 --n 1", "run --api-key [secret:assigned-secret#1] --n 1"),
        ("run --token=Zx81kQp29LmNvv7", "run --token=[secret:assigned-secret#1]"),
        ("API_KEY=f47ac10b-58cc-4372-a567-0e02b2c3d479", "API_KEY=[secret:assigned-secret#1]"),
        ("sessionid=Zx81kQp29LmNvv7abCD99XyZ", "sessionid=[secret:assigned-secret#1]"),
        ("PASSWORD=hunter2", "PASSWORD=[secret:password#1]"),
        ("DB_PASSWORD=letmein", "DB_PASSWORD=[secret:password#1]"),
        ("DB_PASSWORD=p@ss,w0rd;x&y", "DB_PASSWORD=[secret:password#1]"),
        ("password = \"hunter2\"", "password = \"[secret:password#1]\""),
        ("\"password\": \"correct-horse\"", "\"password\": \"[secret:password#1]\""),
        ("  password: hunter2\n", "  password: [secret:password#1]\n"),
        ("- db_password: letmein\n", "- db_password: [secret:password#1]\n"),
        ("mysql --password hunter2 -u root", "mysql --password [secret:password#1] -u root"),
        ("mysql --password 'hunter2 x9' db", "mysql --password 'hunter2 x9' db"),
        ("curl --user alice:hunter2 https://x", "curl --user alice:[secret:password#1] https://x"),
        ("<password>hunter2</password>", "<password>[secret:password#1]</password>"),
        ("the password is Xy7!kk29.", "the password is [secret:password#1]."),
        ("passphrase = \"correct horse battery staple\"", "passphrase = \"[secret:password#1]\""),
        ("password = \"pässwört9\"", "password = \"[secret:password#1]\""),
        ("OPENAI_API_KEY=sk-proj-AbCdEfGhIjKlMnOp0123456789", "OPENAI_API_KEY=[secret:openai-key#1]"),
        ("SECRET_KEY=\"django-insecure-8x!k2#9vq\"", "SECRET_KEY=\"[secret:assigned-secret#1]\""),
    ]);
}

#[test]
fn private_key_blocks_whole_cut_and_escaped() {
    let whole = format!(
        "a\n-----BEGIN RSA PRIVATE KEY-----\n{PEM_BODY}\n{PEM_BODY}\nAb9=\n-----END RSA PRIVATE KEY-----\nb"
    );
    assert_eq!(scrub(&whole), "a\n[secret:private-key#1]\nb");
    let encrypted = format!(
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\n{PEM_BODY}\n-----END RSA PRIVATE KEY-----"
    );
    assert_eq!(scrub(&encrypted), "[secret:private-key#1]");
    let open = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{PEM_BODY}\n{PEM_BODY}\n\nThat was the key.");
    assert_eq!(scrub(&open), "[secret:private-key#1]\n\nThat was the key.");
    let headless = format!("see\n{PEM_BODY}\nAb9=\n-----END PRIVATE KEY-----\nb");
    assert_eq!(scrub(&headless), "see\n[secret:private-key#1]\nb");
    let json = format!(
        "{{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{PEM_BODY}\\n{PEM_BODY}\\n-----END PRIVATE KEY-----\\n\", \"x\": 1}}"
    );
    let scrubbed = scrub(&json);
    assert!(!scrubbed.contains("MIIE") && scrubbed.ends_with("\"x\": 1}"), "{scrubbed}");
    let quoted =
        format!("> -----BEGIN PRIVATE KEY-----\n> {PEM_BODY}\n> {PEM_BODY}\n> -----END PRIVATE KEY-----\n");
    assert_eq!(scrub(&quoted), "> [secret:private-key#1]\n");
}

#[test]
fn a_private_key_of_short_lines_goes_whole_and_talk_of_its_lines_stays() {
    for block in [
        "-----BEGIN EC PRIVATE KEY-----\nMHQCAQEE\nabcdef\n-----END EC PRIVATE KEY-----",
        "-----BEGIN EC PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234567890\nabcdef\n-----END EC PRIVATE KEY-----",
        "-----BEGIN EC PRIVATE KEY-----\\nMHQCAQEE\\nabcdef\\n-----END EC PRIVATE KEY-----",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----",
    ] {
        assert_eq!(scrub(&format!("a {block} b")), "a [secret:private-key#1] b");
    }
    let talk = "Put the key between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----.";
    assert_eq!(scrub(talk), talk);
}

#[test]
fn private_paths_get_a_mark_and_paths_of_the_workspace_become_relative() {
    check(&[
        ("see /home/alice/private/x.rs now", "see [path#1] now"),
        ("`/home/alice/x`", "`[path#1]`"),
        ("(/Users/bob/x.rs).", "([path#1])."),
        ("\"/home/alice/My Documents/x.rs\"", "\"[path#1]\""),
        ("'/opt/private/x'", "'[path#1]'"),
        ("/home/alice/x.rs:12:3: error", "[path#1]:12:3: error"),
        ("open /root/.ssh/id_rsa, please", "open [path#1], please"),
        ("file:///home/alice/x.rs", "[path#1]"),
        ("vscode://file/home/alice/x.rs", "vscode:[path#1]"),
        ("PATH=/usr/local/bin:/home/alice/bin", "PATH=[path#1]:[path#2]"),
        ("cc -I/home/alice/include x.c", "cc -I[path#1] x.c"),
        ("**/home/alice/x.rs**", "**[path#1]**"),
        ("在/home/alice/文件/x。好", "在[path#1]。好"),
        ("{\"p\":\"\\/home\\/alice\\/x\"}", "{\"p\":\"[path#1]\"}"),
        ("scp alice@host:/home/alice/x .", "scp alice@host:[path#1] ."),
        ("C:\\Users\\alice\\x.rs is", "[path#1] is"),
        ("\"C:\\\\Users\\\\alice\\\\x.rs\"", "\"[path#1]\""),
        ("C:/Users/alice/x.rs", "[path#1]"),
        ("c:\\users\\Alice Smith\\x.rs", "[path#1]"),
        ("\\\\fileserver\\share\\x.docx", "[path#1]"),
        ("~bob/notes", "[path#1]"),
        ("/workspace/src/a.rs", "src/a.rs"),
        ("`/workspace/src/a.rs:12`", "`src/a.rs:12`"),
        ("cd /workspace && ls", "cd . && ls"),
        ("in /workspace.", "in ./."),
        ("file:///workspace/src/a.rs", "src/a.rs"),
        ("/workspace2/a.rs", "[path#1]"),
        ("/workspace-old/a.rs", "[path#1]"),
        ("/workspace.bak/a", "[path#1]"),
        ("/workspace/../etc/passwd", "[path#1]"),
        ("/elsewhere/project/main.rs", "[path#1]"),
        ("/data/customers/list.csv", "[path#1]"),
        ("error in\\n/home/alice/x", "error in\\n[path#1]"),
        ("/tmp/build-1/log.txt /etc/hosts", "[path#1] [path#2]"),
    ]);
}

#[test]
fn a_secret_inside_a_workspace_path_goes_too() {
    assert_eq!(
        scrub("/workspace/ghp_0123456789abcdefghijABCDEFGHIJ012345.txt"),
        "[secret:github-token#1].txt"
    );
}

#[test]
fn passwords_that_hold_list_marks() {
    check(&[
        ("password: X&yabc9zz", "password: [secret:password#1]"),
        ("password: X&y7kq!zz9", "password: [secret:password#1]"),
        ("  password: X&y7kq!zz9", "  password: [secret:password#1]"),
        ("my password: X&y7kq!zz9 ok", "my password: [secret:password#1] ok"),
        ("the db password: ab&cd7efg,hi;jk9", "the db password: [secret:password#1]"),
        ("password=abc,def;ghi9X", "password=[secret:password#1]"),
        ("db_password=abc,def;ghi9X", "db_password=[secret:password#1]"),
        ("use password=abc,def;ghi9X please", "use password=[secret:password#1] please"),
    ]);
}

#[test]
fn headers_and_keys_in_groups() {
    check(&[
        ("X-Api-Key: abcd-efgh-1234", "X-Api-Key: [secret:assigned-secret#1]"),
        ("X-Api-Key: 9f8e7d6c5b4a", "X-Api-Key: [secret:assigned-secret#1]"),
        ("curl -H \"X-Api-Key: Zx81kQp29LmNvv7\"", "curl -H \"X-Api-Key: [secret:assigned-secret#1]\""),
        ("curl -H 'X-Api-Key: secretvalue123'", "curl -H 'X-Api-Key: [secret:assigned-secret#1]'"),
        ("X-Auth-Token: abcdefgh1234", "X-Auth-Token: [secret:assigned-secret#1]"),
        ("\"apiKey\":\"abcd-efgh-1234\"", "\"apiKey\":\"[secret:assigned-secret#1]\""),
        (
            "{\"apiKey\": \"abcd-efgh-1234\", \"n\":1}",
            "{\"apiKey\": \"[secret:assigned-secret#1]\", \"n\":1}",
        ),
    ]);
}

#[test]
fn full_width_signs_and_names_of_other_languages() {
    check(&[
        ("password＝hunter2abc", "password＝[secret:password#1]"),
        ("password：hunter2abc", "password：[secret:password#1]"),
        ("PASSWORD＝hunter2", "PASSWORD＝[secret:password#1]"),
        ("密码：hunter2abc", "密码：[secret:password#1]"),
        ("密碼：hunter2abc", "密碼：[secret:password#1]"),
        ("密码是 hunter2abc", "密码是 [secret:password#1]"),
        ("密码: hunter2", "密码: [secret:password#1]"),
        ("口令：hunter2abc", "口令：[secret:password#1]"),
        ("密钥：Zx81kQp29LmNvv7", "密钥：[secret:assigned-secret#1]"),
        ("Passwort: hunter2", "Passwort: [secret:password#1]"),
        ("Passwort: geheim99", "Passwort: [secret:password#1]"),
        ("Kennwort: geheim99", "Kennwort: [secret:password#1]"),
        ("das Passwort ist geheim99", "das Passwort ist [secret:password#1]"),
        ("contraseña: hunter2", "contraseña: [secret:password#1]"),
        ("la contraseña es hunter29", "la contraseña es [secret:password#1]"),
        ("mot de passe : hunter2", "mot de passe : [secret:password#1]"),
        ("mot de passe: hunter2", "mot de passe: [secret:password#1]"),
        ("le mot de passe est hunter29", "le mot de passe est [secret:password#1]"),
        ("パスワード：hunter2", "パスワード：[secret:password#1]"),
        ("パスワードは hunter29", "パスワードは [secret:password#1]"),
    ]);
}

#[test]
fn values_on_the_line_below() {
    check(&[
        ("пароль: hunter2", "пароль: [secret:password#1]"),
        ("senha: hunter2", "senha: [secret:password#1]"),
        ("password:\n  hunter2", "password:\n  [secret:password#1]"),
        ("password: >\n  hunter2secret", "password: >\n  [secret:password#1]"),
    ]);
}

#[test]
fn columns_and_rows_of_tables() {
    check(&[
        ("password: |\n  hunter2secret", "password: |\n  [secret:password#1]"),
        (
            "  password: >-\n    hunter2secret\n  user: bob",
            "  password: >-\n    [secret:password#1]\n  user: bob",
        ),
        (
            "| user | password |\n| --- | --- |\n| alice | hunter2 |\n| bob | letmein |",
            "| user | password |\n| --- | --- |\n| alice | [secret:password#1] |\n| bob | [secret:password#2] |",
        ),
    ]);
}

#[test]
fn short_flags_of_commands() {
    check(&[
        (
            "| user | password | role |\n|---|:---:|---|\n| alice | hunter2 | admin |",
            "| user | password | role |\n|---|:---:|---|\n| alice | [secret:password#1] | admin |",
        ),
        (
            "user | password\n--- | ---\nalice | hunter2",
            "user | password\n--- | ---\nalice | [secret:password#1]",
        ),
        ("curl -u a:b", "curl -u [secret:password#1]"),
        ("curl -u alice:hunter2 https://x", "curl -u alice:[secret:password#1] https://x"),
        ("curl -ualice:hunter2 https://x", "curl -ualice:[secret:password#1] https://x"),
        ("curl -u 'alice:hunter2' https://x", "curl -u 'alice:[secret:password#1]' https://x"),
        ("mysql -pSecret db", "mysql -p[secret:password#1] db"),
        ("mysql -u root -pSecret db", "mysql -u root -p[secret:password#1] db"),
        ("mysqldump -uroot -pS3cret! db > x", "mysqldump -uroot -p[secret:password#1] db > x"),
        ("sshpass -p hunter2 ssh x", "sshpass -p [secret:password#1] ssh x"),
        ("sshpass -phunter2 ssh x", "sshpass -p[secret:password#1] ssh x"),
        ("sshpass -p 'hunter2' ssh x", "sshpass -p '[secret:password#1]' ssh x"),
        ("redis-cli -a hunter2", "redis-cli -a [secret:password#1]"),
        ("docker login -u bob -p hunter2", "docker login -u bob -p [secret:password#1]"),
    ]);
}

#[test]
fn passwords_of_addresses_with_signs_and_slashes() {
    check(&[
        ("postgres://u:p@ss/w0rd@h", "postgres://u:[secret:connection-password#1]@h"),
        ("postgres://u:p@ss/w0rd@h/db", "postgres://u:[secret:connection-password#1]@h/db"),
        ("postgres://u:p@ss/w0rd@h:5432/db?x=1", "postgres://u:[secret:connection-password#1]@h:5432/db?x=1"),
        ("postgres://u:pa/ss@h/db", "postgres://u:[secret:connection-password#1]@h/db"),
        ("https://u:p@ss/w0rd@h/x", "https://u:[secret:url-password#1]@h/x"),
    ]);
}

#[test]
fn a_row_of_a_table_that_names_a_password_tells_its_value() {
    check(&[(
        "| Setting | Value |\n|---|---|\n| password | hunter2 |\n| host | db1 |",
        "| Setting | Value |\n|---|---|\n| password | [secret:password#1] |\n| host | db1 |",
    )]);
}

#[test]
fn names_of_two_words_attributes_and_values_beside_their_name() {
    check(&[
        (
            "machine github.com login alice password hunter2xyz",
            "machine github.com login alice password [secret:password#1]",
        ),
        ("my password is: hunter2", "my password is: [secret:password#1]"),
        ("password `hunter2`", "password `[secret:password#1]`"),
        ("the password `hunter2`", "the password `[secret:password#1]`"),
        ("password \"hunter2\"", "password \"[secret:password#1]\""),
        ("API key is abc123def456ghi7", "API key is [secret:assigned-secret#1]"),
        ("api key: abc123def456ghi7", "api key: [secret:assigned-secret#1]"),
        (
            "SECRET_KEY_BASE=0123456789abcdef0123456789abcdef0123456789abcdef",
            "SECRET_KEY_BASE=[secret:assigned-secret#1]",
        ),
        (
            "https://s3.amazonaws.com/b/k?X-Amz-Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "https://s3.amazonaws.com/b/k?X-Amz-Signature=[secret:assigned-secret#1]",
        ),
        ("ENV DB_PASSWORD hunter2", "ENV DB_PASSWORD [secret:password#1]"),
        (
            "<add key=\"Password\" value=\"hunter2\" />",
            "<add key=\"Password\" value=\"[secret:password#1]\" />",
        ),
        ("<password value=\"hunter2\"/>", "<password value=\"[secret:password#1]\"/>"),
    ]);
}
