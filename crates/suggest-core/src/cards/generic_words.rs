//! Words that name nothing of one session in particular, and the aims that every session could have. Folded: lower
//! case, without accents.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Aims that could stand in any session.
const AIMS: &str = "test tests testing retest review reviews recheck check checks inspect audit verify validate confirm \
    continue continuing proceed resume keep carry going work working document documentation docs readme comments docstrings \
    performance speed optimise optimize optimising optimizing optimisation optimization faster efficiency efficient improve \
    improving improvement improvements enhance enhancing enhancement enhancements clean cleanup tidy refactor refactoring \
    restructure reorganise reorganize simplify readability maintainability quality polish finalise finalize finish coverage \
    bug bugs debug fix lint linter format commit push deploy release security secure robust robustness edge handling logging \
    explore investigate brainstorm plan discuss summarise summarize double best modernise modernize upgrade everything run \
    uberprufe prufe prufen teste tests testen weiter arbeite arbeiten fortfahren setze fort dokumentation dokumentiere leistung \
    performanz verbessere verbessern optimiere optimieren raume aufraumen bereinige bereinigen refaktoriere uberarbeite fuhre \
    behebe fehler qualitat lesbarkeit abdeckung kommentare \
    ejecuta ejecutar corre pruebas prueba tests revisa revisar comprueba verifica continua continuar sigue documentacion \
    documenta rendimiento mejora mejorar optimiza optimizar limpia limpiar refactoriza refactorizar calidad legibilidad \
    cobertura errores corrige comentarios \
    execute executer lance lancer relis relire revois verifie verifier continue continuer poursuis poursuivre documente \
    documenter documentation performances ameliore ameliorer optimise optimiser nettoie nettoyer refactorise refactoriser \
    qualite lisibilite couverture corrige corriger commentaires teste tester";

/// Words that are at home everywhere.
const WORDS: &str = "a about above accordingly across actual actually add added adding additional adjust after again ahead all \
    already also always an and another any anything anywhere app application applications apply approach appropriate are area \
    areas around as ask at available back base based basic be because been before being below better between big both break \
    bring build builds but by call can case cases cause change changed changes clear clearer close code codebase coding come \
    common complete completed completely component components confirm consider consistency consistent consistently correct \
    correctly correctness could cover create created current currently deep deeper define dependencies describe design detail \
    detailed details develop development did different direction dive do does doing done down e.g each easier edge effort else \
    end ensure ensuring enough entire error errors especially etc even every everyone everywhere example examples existing \
    expect expected explain extend extra far feature features feedback few file files final find first fine five flow follow \
    following for forward found four from full fully function functional functionality functions further future general get \
    give given go goal good great had handle happen happy has have help helpful here high higher how i i.e idea ideas if \
    implement implementation implemented implementing important in include including increase instead integration interface \
    into is issue issues it items its just kind know known large last later latest lead leave left less let like ll line lines \
    list little ll load heavy local long look looking looks loose ends lot low made main make makes making manual many me mean \
    meet methods might minor missing modern module modules more most move much must my necessary need needed needs new newly \
    next nice no not note nothing now number obvious of off ok okay on once one only open option options or order other our out \
    over overall own parts part pass passes passing path pattern patterns people perform phase piece place please point \
    possible potential practice practices prefer previous problem problems process production progress project projects proper \
    properly provide put question questions quick quickly quite re read ready real really recent recently reduce regression \
    regressions related remaining remove repo repository required requirements rest result results right rid s safe same save \
    say scenario scenarios second section see sense set several shall share short should show side simple simpler since small \
    smoothly so software solid solution some something soon sound sounds source specific standards start started state status \
    step steps still stop strategy structure stuff style such suggest suggestion suggestions suite sure system t take takes \
    tackle task tasks team tell than that the their them then there these they thing things think third this those thorough \
    thoroughly three through time times to today together too tool tools top total track try turn two type types ui under unit \
    until up update updated updates use used useful user users using usual various ve very via want was way ways we well were \
    what whatever when where whether which while who whole why will with within without worked works worth would write \
    written wrote yet you your yours code's user's unnecessary unused dead duplicate duplicated smell smells cleaner changelog \
    e2e end-to-end follow-up follow-ups up-to-date double-check re-run rerun executed execution behaves behaviour behavior \
    experience appearance usability \
    der die das den dem des ein eine einen einer und oder aber mit von fur auf an in im am zu zum zur aus ab bei nach noch alle \
    alles allen code quellcode projekt datei dateien anwendung programm bitte ist sind war werden wird nochmal erneut jetzt nun \
    dann auch mehr neue neuen neuer weitere weiteren nachste nachsten schritt schritte aufgabe aufgaben hinzu fuge auf stelle \
    sicher dass funktioniert mach mache tue es du sie wir ihr ob wie was wo gesamte gesamten ganze ganzen gut besser \
    el la los las un una unos unas y o pero con de del para por en a al que se su sus todo todos toda todas codigo proyecto \
    archivo archivos aplicacion ahora luego tambien mas nuevo nueva nuevos nuevas siguiente siguientes paso pasos tarea tareas \
    anade anadir agrega agregar asegurate funciona trabajando trabajo trabajar es son bien mejor favor lo le \
    le la les un une des du de d l et ou mais avec pour par en a au aux dans sur que qui se son ses tout tous toute toutes code \
    projet fichier fichiers application maintenant ensuite aussi plus nouveau nouvelle nouveaux nouvelles prochain prochaine \
    suivant suivante etape etapes tache taches ajoute ajouter assure toi fonctionne travail travaille est sont bien mieux il \
    elle nous vous sil te plait y c ce cette ces n s";

/// Aims in scripts without spaces.
const AIM_PIECES: &str = "测试 测一下 单元 覆盖率 审查 审核 检查 复查 继续 接着 文档 注释 优化 性能 改进 完善 提高 提升 清理 整理 重构 质量 可读性 润色 \
    修复 验证 确认 調整 テスト レビュー 確認 検証 続ける 続けて 続行 継続 ドキュメント 文書 パフォーマンス 性能 改善 最適化 整理 掃除 \
    リファクタリング クリーンアップ 品質 可読性 カバレッジ 修正 見直 測試 審查 檢查 繼續 文檔 優化 重構";

/// Pieces that are at home everywhere, longest first where one holds another.
const PIECES: &str = "請確保 请确保 确保 保证 所有的 所有 全部 一下 代码库 代码 程式碼 程序 项目 專案 应用程序 应用 系统 功能 模块 工作 任务 剩余 剩下 其余 其他 下一步 步骤 \
    运行 执行 跑 添加 增加 补充 编写 写 更新 进行 处理 完成 实现 问题 错误 通过 现有 相关 必要 更多 更好 整体 当前 刚才 刚刚 最后 再次 重新 需要 可以 是否 如何 怎么样 怎么 \
    什么 这样 这些 这个 那些 开始 现在 并且 并 以及 以 和 与 或 及 的 地 得 了 吗 呢 吧 请 我 你 您 把 将 对 为 在 是 有 做 好 要 还 都 也 就 再 帮 给 用 新 更 \
    コードベース コード アプリケーション アプリ プロジェクト システム プログラム 機能 作業 タスク すべて 全て 全体 残り 次 ステップ 実行 追加 作成 書く 更新 対応 問題 エラー バグ 必要 \
    もっと さらに もう一度 全部 新しい してください ください します しましょう する して した せよ こと もの ため よう ます です から まで など を に は が の で と も へ や か ね よ お ご \
    る う い り れ く け げ め み さ し せ そ た て な ら";

static AIM_SET: LazyLock<BTreeSet<&str>> = LazyLock::new(|| AIMS.split_whitespace().collect());
static WORD_SET: LazyLock<BTreeSet<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());
static PIECE_LIST: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut pieces: Vec<&str> = AIM_PIECES.split_whitespace().chain(PIECES.split_whitespace()).collect();
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    pieces
});

/// Whether a folded word is an aim that every session could have.
pub(crate) fn is_common_aim(word: &str) -> bool {
    AIM_SET.contains(word) || word.split('-').any(|part| part.len() > 2 && AIM_SET.contains(part))
}

/// Whether a folded word names nothing in particular.
pub(crate) fn is_everyday(word: &str) -> bool {
    let known = |word: &str| AIM_SET.contains(word) || WORD_SET.contains(word);
    known(word) || word.contains('-') && word.split('-').all(|part| part.is_empty() || known(part))
}

/// Whether a run of a script without spaces has a common aim.
pub(crate) fn has_common_aim(run: &str) -> bool {
    AIM_PIECES.split_whitespace().any(|piece| run.contains(piece))
}

/// The run without its everyday pieces; a gap stands where one was.
pub(crate) fn without_everyday_pieces(run: &str) -> String {
    let mut left = String::with_capacity(run.len());
    let mut rest = run;
    while let Some(letter) = rest.chars().next() {
        if let Some(behind) = PIECE_LIST.iter().find_map(|piece| rest.strip_prefix(piece)) {
            rest = behind;
            if !left.ends_with(' ') {
                left.push(' ');
            }
        } else {
            left.push(letter);
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        }
    }
    left.trim().to_owned()
}
