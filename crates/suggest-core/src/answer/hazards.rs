//! Word lists for what only a human may run (rule D13), in the form that `fold_for_phrases` gives. All of it is data.

/// Commands that lose data whatever their arguments are.
pub(super) const HAZARD_WORDS: &[&str] = &[
    "mkfs", "wipefs", "shred", "diskpart", "dropdb", "flushall", "flushdb", "db:drop", "db:reset",
    "migrate:fresh", "hex.publish",
];

/// A tool and a verb of it that loses work, publishes or takes something down.
pub(super) const COMMAND_PAIRS: &[(&str, &str)] = &[
    ("terraform", "destroy"), ("tofu", "destroy"), ("pulumi", "destroy"), ("cdk", "destroy"),
    ("vagrant", "destroy"), ("terragrunt", "destroy"), ("kubectl", "delete"), ("oc", "delete"),
    ("helm", "uninstall"), ("helm", "delete"), ("gcloud", "delete"), ("az", "delete"),
    ("gh", "delete"), ("docker", "prune"), ("podman", "prune"), ("twine", "upload"),
    ("gem", "push"), ("gem", "yank"), ("docker", "push"), ("podman", "push"),
    ("cargo", "yank"), ("npm", "unpublish"), ("s3", "rb"), ("s3", "rm"),
    ("stash", "drop"), ("stash", "clear"), ("reflog", "expire"), ("prisma", "reset"),
    ("cargo", "release"), ("npm", "publish"), ("git", "filter-branch"), ("git", "filter-repo"),
];

/// Phrases that are destructive wherever they stand.
pub(super) const HAZARD_PHRASES: &[&str] = &[
    "force push", "force-push", "force pushing", "force-pushing", "force the push", "forced push",
    "hard reset", "hard-reset", "recursive delete", "recursive deletion", "delete from production",
    "factory reset", "rewrite the git history", "rewrite git history",
    "rewrite the history of the repository", "format the disk", "format the drive", "top up", "drop schema",
    "delete all data", "delete all the data", "wipe the disk", "wipe the drive",
    "cloud formation delete-stack", "delete-stack", ":(){",
    // Chinese.
    "强制推送", "強制推送", "强推到", "强制 push", "硬重置", "硬回退", "删除数据库", "刪除資料庫",
    "删除整个", "刪除整個", "删除所有数据", "删除全部数据", "清空数据", "清空所有数据", "清空表",
    "清空数据库", "删库", "删表", "删除数据表", "递归删除", "遞迴刪除", "删除仓库", "删除该目录",
    "删除目录", "删除文件夹", "发布到", "發佈到", "发布新版本", "发布版本", "发布这个", "部署到生产",
    "部署到正式", "上线到生产",
    // Japanese.
    "強制プッシュ", "フォースプッシュ", "ハードリセット", "データベースを削除", "データベースをドロップ",
    "テーブルを削除", "テーブルをドロップ", "データを削除", "全データ", "再帰的に削除",
    "ディレクトリを削除", "フォルダを削除", "リポジトリを削除", "を公開して", "に公開する",
    "をリリースして", "本番環境にデプロイ", "本番にデプロイ", "本番へデプロイ", "を購入", "を支払",
    // Korean.
    "강제 푸시", "하드 리셋", "데이터베이스를 삭제", "데이터베이스 삭제", "모든 데이터를 삭제",
    "테이블을 삭제", "재귀적으로 삭제", "프로덕션에 배포", "운영 환경에 배포", "구매하",
    // German.
    "erzwungener push", "erzwinge den push", "push erzwingen", "push mit force", "harter reset",
    "harten reset", "hart zurücksetzen", "hart zurück", "rekursiv löschen", "lösche rekursiv",
    "in produktion ausrollen", "in die produktion ausrollen", "auf produktion deployen",
    "in produktion deployen",
    // French.
    "push forcé", "poussée forcée", "forcer le push", "force le push", "réinitialisation forcée",
    "reset dur", "supprime récursivement", "supprimer récursivement", "déploie en production",
    "déployer en production", "déployez en production", "mettre en production", "mets en production",
    // Spanish.
    "push forzado", "forzar el push", "fuerza el push", "push --force", "reinicio duro", "reset duro",
    "elimina recursivamente", "eliminar recursivamente", "borra recursivamente", "despliega a producción",
    "despliega en producción", "desplegar en producción", "desplegar a producción",
];

/// The same at the beginning of a clause only: the words are ordinary names elsewhere ("the purchase flow").
pub(super) const HAZARD_CLAUSES: &[&str] = &[
    "购买", "購買", "付款", "付费", "支付", "下单", "充值", "发布", "發佈", "發布", "上线", "购入", "購入",
    "支払",
];

/// Verbs that take something away. What they take decides.
pub(super) const DELETE_VERBS: &[&str] = &[
    "delete", "deleting", "remove", "removing", "erase", "wipe", "purge", "destroy", "clear", "empty",
    "nuke", "reset", "lösche", "löschen", "lösch", "leere", "leeren", "entferne", "supprime", "supprimer",
    "supprimez", "efface", "effacer", "vide", "vider", "elimina", "eliminar", "borra", "borrar", "vacía",
    "vaciar",
];
/// Objects whose loss is a loss of data, whatever their number.
pub(super) const DATA_NOUNS: &[&str] = &[
    "database", "databases", "db", "data", "production", "repository", "repo", "bucket", "buckets",
    "volume", "volumes", "backup", "backups", "directory", "directories", "folder", "folders", "table",
    "tables", "records", "rows", "namespace", "cluster", "disk", "drive", "partition", "keyspace",
    // German, French, Spanish.
    "datenbank", "datenbanken", "daten", "tabelle", "tabellen", "verzeichnis", "ordner", "données", "base",
    "bdd", "répertoire", "dossier", "dépôt", "datos", "tabla", "tablas", "directorio", "carpeta",
    "repositorio",
];
/// Objects whose loss counts when all of them go.
pub(super) const MASS_NOUNS: &[&str] = &[
    "files", "users", "accounts", "branches", "commits", "sessions", "messages", "fichiers", "archivos",
    "dateien", "branch",
];
pub(super) const MASS_WORDS: &[&str] =
    &["all", "every", "entire", "whole", "everything", "remote", "alle", "tous", "toutes", "todos", "todas"];
pub(super) const TABLE_WORDS: &[&str] = &[
    "table", "tables", "database", "databases", "db", "schema", "schemas", "collection", "collections",
    "keyspace", "column", "columns", "rows", "records", "data", "volume", "partition",
];
/// Words behind which a noun phrase has ended.
pub(super) const NOUN_FOLLOWERS: &[&str] = &[
    "to", "in", "on", "at", "from", "for", "with", "without", "that", "which", "if", "when", "after",
    "before", "by", "so", "because", "completely", "entirely", "recursively", "again", "called", "named",
    "under", "where", "older", "via", "using", "as", "into", "once", "users", "de", "del", "der", "die",
    "das", "des", "du", "la", "le", "el", "en", "mit", "aus", "im", "vor", "and", "directory", "folder",
    "database", "table", "entries", "cascade", "whose", "created",
];

pub(super) const PUBLISH_TOOLS: &[&str] = &[
    "cargo", "npm", "yarn", "pnpm", "bun", "poetry", "uv", "flit", "hatch", "dart", "flutter", "vsce",
    "ovsx", "lerna", "changeset", "changesets", "jsr", "deno", "gradle", "mvn", "sbt", "pub", "clojars",
    "wrangler",
];
pub(super) const PUBLISH_OBJECTS: &[&str] = &[
    "crate", "crates", "package", "packages", "release", "version", "library", "extension", "app", "site",
    "website", "gem", "image", "artifact", "artifacts", "article", "post", "blog", "plugin", "it", "them",
    "everything", "sdk", "binaries", "binary", "update", "wheel", "wheels", "paket", "publicly",
];
pub(super) const REGISTRIES: &[&str] = &[
    "crates.io", "npm", "pypi", "dockerhub", "docker", "maven", "rubygems", "marketplace", "homebrew",
    "nuget", "hackage", "ghcr.io", "jsr", "store", "public",
];
pub(super) const PRODUCTION_WORDS: &[&str] =
    &["production", "prod", "live", "mainnet", "produktion", "producción", "customers"];
/// Verbs that spend or publish when they are the order itself.
pub(super) const SPENDING_VERBS: &[&str] = &[
    "buy", "purchase", "kaufe", "bezahle", "veröffentliche", "achète", "achetez", "acheter", "paie",
    "payer", "payez", "publie", "publier", "publiez", "compra", "comprar", "paga", "pagar", "publica",
    "publicar",
];

/// Verbs that change a goal when they are the order itself.
pub(super) const GOAL_VERBS: &[&str] = &[
    "change", "set", "edit", "clear", "complete", "close", "re-cut", "recut", "cut", "update", "modify",
    "replace", "narrow", "widen", "revise", "rewrite", "redefine", "mark", "adjust", "drop", "abandon",
    "extend", "rename", "create", "finish", "reset", "resume", "pause", "refine", "split", "cancel",
    "delete", "remove", "expand", "reduce", "re-scope", "rescope", "reword", "define", "start", "open",
    "end", "restate", "shorten", "switch", "wrap", "declare", "retire",
    // German.
    "ändere", "setze", "bearbeite", "schließe", "schliesse", "lösche", "aktualisiere", "beende", "markiere",
    "formuliere", "ersetze", "erstelle", "passe",
    // French.
    "modifie", "modifiez", "définis", "définissez", "fixe", "ferme", "clôture", "termine", "marque",
    "efface", "redéfinis", "remplace", "mets", "restreins", "crée",
    // Spanish.
    "cambia", "establece", "edita", "cierra", "completa", "actualiza", "marca", "borra", "define", "fija",
    "reemplaza", "modifica", "ajusta", "crea",
];
pub(super) const GOAL_NOUNS: &[&str] = &[
    "goal", "objective", "goals", "objectives", "goal's", "ziel", "sitzungsziel", "l'objectif", "objectif",
    "but", "objetivo", "meta",
];
pub(super) const GOAL_ARTICLES: &[&str] = &[
    "the", "our", "your", "this", "my", "current", "session", "session's", "active", "out", "a", "new",
    "das", "dieses", "unser", "le", "la", "el",
];
/// Words that may follow the noun when it means the session's goal.
pub(super) const GOAL_FOLLOWERS: &[&str] = &[
    "to", "as", "so", "from", "into", "and", "with", "by", "out", "for", "because", "before", "is", "now",
    "on", "that", "which", "then", "since", "complete", "completed", "done", "met", "closed", "text",
    "wording", "description", "statement", "achieved", "after", "accordingly", "down", "auf", "zu", "als",
    "ab", "ein", "en", "à", "comme", "sur", "pour", "a", "como", "para", "por",
];
pub(super) const GOAL_TOOLS: &[&str] = &[
    "update_goal", "create_goal", "set_goal", "complete_goal", "clear_goal", "close_goal", "edit_goal",
    "goal_update",
];
pub(super) const GOAL_PHRASES: &[&str] = &[
    "change the goal to", "change the objective to", "set the goal to", "set the objective to",
    "goal complete", "close the goal out", "close out the goal", "mark the goal", "mark the objective",
    "목표를 변경", "목표를 수정", "목표를 설정", "목표를 완료", "목표를 종료", "목표를 바꾸", "ziel ändern",
    "ziel abschließen", "changer l'objectif", "modifier l'objectif", "cambiar el objetivo", "изменить цель",
    "измени цель", "закрой цель", "заверши цель",
];
/// Verbs near the noun in Chinese and Japanese.
pub(super) const GOAL_VERBS_CJK: &[&str] = &[
    "修改", "更改", "改变", "变更", "變更", "设置", "設置", "设定", "設定", "调整", "調整", "更新", "编辑",
    "編輯", "清除", "完成", "关闭", "關閉", "结束", "結束", "缩小", "縮小", "扩大", "替换", "重设",
    "重新定义", "改为", "改成", "改為", "标记", "標記", "收尾", "設定", "編集", "変更", "完了", "閉じ",
    "絞り", "絞る", "クリア", "変え", "クローズ", "修正",
];
/// What makes of the noun a "target …" in the ordinary sense.
pub(super) const GOAL_TARGET_COMPOUNDS: &[&str] = &[
    "文件", "檔案", "目录", "目錄", "平台", "分支", "路径", "路徑", "机器", "版本", "服务器", "伺服器",
    "语言", "类型", "地址", "主机", "数据库", "資料庫", "表", "函数", "字段", "架构", "环境", "框架",
    "设备", "元素", "节点", "用户", "值", "検出", "字段",
];
