//! What only a human may run (rule D13).

use super::super::{OfferKind, classify};

#[track_caller]
fn check(kind: OfferKind, texts: &[&str]) {
    for text in texts {
        assert_eq!(classify(text, false), kind, "for {text:?}");
    }
}

#[test]
fn slashes_and_bangs_are_commands_f5() {
    check(
        OfferKind::Command,
        &[
            "/clear",
            "/model x",
            "!ls",
            "  /clear",
            "\u{200e}/clear",
            "／clear",
            "/etc/hosts has a wrong line",
            "/goals",
        ],
    );
}

#[test]
fn goal_commands_and_prefixes_edit_the_goal_f155_g2() {
    check(
        OfferKind::GoalEdit,
        &["/goal set finish the docs", "/GOAL", "/goal", "GOAL: x", "\u{200e}/goal clear", "**Goal:** x"],
    );
    // The prefix comes before every other kind.
    assert_eq!(classify("/clear", true), OfferKind::GoalEdit);
    assert_eq!(classify("rm -rf target", true), OfferKind::GoalEdit);
}

#[test]
fn goal_words_edit_the_goal_f155() {
    check(
        OfferKind::GoalEdit,
        &[
            "change the goal to X",
            "Change the objective to the parser",
            "Set the goal to finish the docs.",
            "Run the tests and mark the goal as complete",
            "Mark the goal complete",
            "Close out the goal",
            "Close the goal",
            "Clear our goal, then stop",
            "Complete the goal",
            "Edit the current objective so that it covers the parser",
            "Please narrow the goal to the parser",
            "Create a goal to ship the release notes",
            "The goal is met, close it out",
            "Call `update_goal` with the new text",
            "把目标改为完成解析器",
            "修改目标为只做解析器",
            "将当前目标标记为完成",
            "目标：只做解析器",
            "目標を変更してください",
            "ゴールを完了にする",
            "Ändere das Ziel auf den Parser",
            "Modifie l'objectif pour couvrir le parseur",
            "Cambia el objetivo a terminar el parser",
            "목표를 변경해 주세요",
        ],
    );
}

#[test]
fn an_ordinary_goal_is_no_goal_edit_g2() {
    check(
        OfferKind::Prompt,
        &[
            "Document the goal of this function",
            "Add a goal field to the struct",
            "Set the goal field to null in the fixture",
            "Update the goalkeeper sprite",
            "Rename goal.rs to target.rs",
            "Explain how GOAL: lines are parsed",
            "Work towards the goal by adding tests for the parser",
            "修改目标文件的路径",
            "更新目标平台列表",
            "Add a test for update_goal",
        ],
    );
}

#[test]
fn losing_work_is_destructive_d13() {
    check(
        OfferKind::Destructive,
        &[
            "git push --force",
            "Push the branch with --force-with-lease",
            "Run `git push -f origin main`",
            "Rebase and force-push the branch",
            "Force push to origin",
            "push —force",
            "git push origin +main",
            "git reset --hard HEAD~1",
            "Do a hard reset to origin/main",
            "rm -rf build",
            "Run rm -r -f ./target",
            "sudo rm -fr /var/tmp/x",
            "Run `/bin/rm --recursive old`",
            "Delete the build directory",
            "Remove the `old` folder",
            "Recursively delete the cache",
            "Drop the users table",
            "drop database app",
            "DROP TABLE users;",
            "Truncate the events table",
            "Delete all data in staging",
            "Delete everything",
            "Delete all files in tmp",
            "DELETE FROM users",
            "Wipe the database before the next run",
            "Reset the database",
            "git clean -fdx",
            "git branch -D old",
            "mkfs.ext4 /dev/sdb",
            "dd if=/dev/zero of=/dev/sda",
            "terraform destroy",
            "kubectl delete namespace staging",
            "docker system prune",
            "Discard all uncommitted changes",
            "find . -name '*.log' -delete",
            "强制推送到远程分支",
            "删除数据库",
            "清空数据",
            "強制プッシュする",
            "データベースを削除する",
            "Lösche die Datenbank",
            "Die Datenbank löschen",
            "Supprime la base de données",
            "Elimina la base de datos",
        ],
    );
}

#[test]
fn publishing_and_spending_are_destructive_d13() {
    check(
        OfferKind::Destructive,
        &[
            "cargo publish",
            "Run the tests and `npm publish` the result",
            "Publish the crate",
            "Publish v1.2.0",
            "Bump the version, publish it to crates.io",
            "Publish to npm",
            "Release v2.0.1",
            "Deploy to production",
            "Build and deploy the app to prod",
            "Push the images to production",
            "twine upload dist/*",
            "docker push registry/app",
            "Make the repository public",
            "Buy the domain",
            "Purchase more credits",
            "Pay for the API plan",
            "Upgrade to the paid plan",
            "发布新版本",
            "购买域名",
            "部署到生产环境",
            "本番環境にデプロイする",
            "Veröffentliche das Paket",
            "Achète le domaine",
        ],
    );
}

#[test]
fn harmless_steps_about_dangerous_words_stay_prompts_d13() {
    check(
        OfferKind::Prompt,
        &[
            "Remove the unused function `rm_rf`",
            "Add a test for reset_hard",
            "Delete the unused import",
            "Delete all unused imports",
            "Drop the unused parameter from `parse`",
            "Push the branch and open a pull request",
            "Commit and push",
            "Reset the counter in the test",
            "Clean up the parser module",
            "Publish the docs plan in README",
            "Fix the publish workflow in CI",
            "Add tests for the purchase flow",
            "Fix purchase validation",
            "Add a buy button to the page",
            "Pay attention to the error path",
            "Release the lock before the await",
            "check the deploy",
            "Remove the database column picker",
            "Add a DELETE endpoint for users",
            "Explain the force field in physics.rs",
            "Clear the cache of the parser",
            "Implement drop for the guard type",
            "删除未使用的导入",
            "修复购买流程的测试",
            "Lösche die unbenutzten Importe",
            "Supprime l'import inutile",
        ],
    );
}

#[test]
fn kinds_are_labelled_and_only_prompts_run_by_themselves_d13() {
    let labels: Vec<_> = [OfferKind::Prompt, OfferKind::GoalEdit, OfferKind::Command, OfferKind::Destructive]
        .map(|kind| (kind.label(), kind.by_hand_only(), serde_json::to_string(&kind).unwrap()))
        .into();
    assert_eq!(
        labels,
        [
            (None, false, "\"prompt\"".to_owned()),
            (Some("edits the goal"), true, "\"goal_edit\"".to_owned()),
            (Some("runs a command"), true, "\"command\"".to_owned()),
            (Some("destructive"), true, "\"destructive\"".to_owned()),
        ]
    );
}
