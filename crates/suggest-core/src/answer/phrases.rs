//! Word lists of the answer protocol. All of it is data: phrases are in the form that `fold_for_phrases` gives (lower
//! case, narrow, straight apostrophes, single spaces); labels are compared character by character.

/// Labels that a model writes before its prompt.
pub(super) const NEXT_LABELS: &[&str] = &[
    "next", "next prompt", "next step", "next steps", "next action", "next task", "next user prompt",
    "the next prompt", "the next step", "your next prompt", "your next step", "suggestion",
    "suggested prompt", "suggested next prompt", "suggested next step", "suggested step", "prompt",
    "recommendation", "recommended prompt", "recommended step", "recommended next prompt",
    "recommended next step",
    // Chinese.
    "下一步", "下一步提示", "下一步建议", "下一步操作", "下一个提示", "下一條提示", "下一条提示",
    "下一個提示", "建议", "建議", "提示", "提示词", "推荐", "推薦",
    // Japanese.
    "次", "次のプロンプト", "次のステップ", "次の一手", "次の指示", "提案", "プロンプト", "おすすめ",
    // Korean.
    "다음", "다음 단계", "다음 프롬프트", "다음 작업", "제안", "추천", "프롬프트",
    // German.
    "nächster schritt", "nächster prompt", "als nächstes", "vorschlag", "empfehlung",
    // French.
    "prochaine étape", "étape suivante", "prochain prompt", "recommandation",
    // Spanish, Portuguese, Italian.
    "siguiente paso", "próximo paso", "siguiente", "siguiente prompt", "sugerencia", "recomendación",
    "próximo passo", "sugestão", "prossimo passo", "suggerimento",
    // Russian.
    "следующий шаг", "следующий промпт", "далее", "предложение",
];

/// Forms of the goal prefix. Doubtful ones count as the prefix: that is the side on which only a human runs the offer.
pub(super) const GOAL_LABELS: &[&str] = &["goal", "goal edit", "goal change", "goal step", "next goal"];

/// Names of tags around reasoning, in angle brackets.
pub(super) const REASONING_TAGS: &[&str] = &[
    "think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "inner_monologue",
    "antthinking", "seed:think", "ant:thinking", "analysis",
];
pub(super) const REASONING_TOKENS_OPEN: &[&str] =
    &["<|begin_of_thought|>", "<|start_thinking|>", "<|think|>", "<|thinking|>"];
pub(super) const REASONING_TOKENS_CLOSE: &[&str] =
    &["<|end_of_thought|>", "<|end_thinking|>", "<|/think|>", "<|/thinking|>"];

/// Tags around the answer itself. Of these `next` may also stand alone.
pub(super) const ANSWER_TAGS: &[&str] = &[
    "next", "answer", "final", "final_answer", "output", "response", "prompt", "next_prompt", "suggestion",
    "recommendation", "result",
];

/// Template tokens without a common frame, in any place.
pub(super) const TEMPLATE_TOKENS: &[&str] = &[
    "<start_of_turn>", "<end_of_turn>", "<end_of_utterance>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>",
    "[gMASK]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
];
/// Template tokens that are markup or ordinary words elsewhere: only at the edges of a text.
pub(super) const TEMPLATE_EDGE_TOKENS: &[&str] = &[
    "<s>", "</s>", "<bos>", "<eos>", "<pad>", "<unk>", "<eod>", "<sop>", "<eop>", "[BOS]", "[EOS]", "[SEP]",
    "[CLS]", "[PAD]",
];
pub(super) const TEMPLATE_ROLES: &[&str] = &["assistant", "model", "user", "system", "developer", "tool"];
pub(super) const TOOL_CALL_MARKS: &[&str] =
    &["<tool_call", "<function_call", "<invoke ", "<function=", "[TOOL_CALL", "<tool_use", "<use_tool"];

/// The ways to say that there is nothing to recommend.
pub(super) const NONE_WORDS: &[&str] = &[
    "none", "n/a", "n.a", "no output", "nothing", "null", "无", "無", "没有", "沒有", "なし", "無し",
    "特になし", "없음", "nichts", "keine", "keiner", "rien", "aucun", "aucune", "ninguno", "ninguna",
    "nada", "nessuno", "nessuna", "нет",
];

/// Words that say nothing about a step.
pub(super) const FILLER_WORDS: &[&str] = &[
    "please", "now", "then", "next", "just", "again", "the", "a", "an", "kindly", "bitte", "jetzt",
    "nochmal", "maintenant", "ahora",
];
/// The same where words are written without spaces.
pub(super) const FILLER_PREFIXES: &[&str] =
    &["请", "請", "现在", "現在", "然后", "然後", "接下来", "接下來", "接着", "再次"];

/// Words behind which a new clause begins.
pub(super) const COORDINATORS: &[&str] =
    &["and", "then", "or", "&", "&&", "||", "|", "und", "dann", "et", "puis", "ensuite", "y", "luego"];
/// Words behind which a verb is an order.
pub(super) const INTRODUCERS: &[&str] = &[
    "to", "please", "now", "also", "finally", "next", "first", "should", "let's", "just", "you", "sudo",
    "jetzt", "bitte", "ahora",
];

/// Beginnings of prose that declines or speaks of the model.
pub(super) const ABSTAIN_STARTS: &[&str] = &[
    "i don't have", "i do not have", "i don't see", "i do not see", "i cannot", "i can't", "i can not",
    "i'm unable", "i am unable", "i'm not able", "i am not able", "i'm not sure", "i am not sure",
    "i'm sorry", "i am sorry", "sorry,", "sorry, but", "sorry but", "my apologies", "i apologize",
    "i apologise", "unfortunately", "as an ai", "as a language model", "as a large language model",
    "there is nothing", "there's nothing", "there is no next", "there is no further", "there's no further",
    "there is no more", "there is no need", "there's no need", "there is no recommend",
    "there is no clear next", "there's no clear next", "there is no action", "there is not enough",
    "there isn't enough", "no output is", "no output because", "no output since", "output nothing",
    "output none", "output no", "no further action", "no further step", "no further steps",
    "no further prompt", "no action needed", "no action required", "no action is", "no next step",
    "no next prompt", "no recommendation", "no recommendations", "no suggestion", "no suggestions",
    "no prompt", "no clear next", "no additional action", "no additional step", "nothing to recommend",
    "nothing to suggest", "nothing to do", "nothing to add", "nothing further", "nothing else",
    "nothing more", "nothing is left", "nothing left", "none at this", "none needed", "none required",
    "none is needed", "none (", "none -", "none:", "none;", "none,", "none,", "please provide more",
    "please share more", "the conversation is empty", "the conversation is complete",
    "the session is empty", "the session is complete", "the conversation does not",
    "the conversation doesn't", "the transcript is empty", "not enough context", "insufficient context",
    "without more context", "without access to",
    // Chinese.
    "我无法", "我無法", "我没有", "我沒有", "我不能", "抱歉", "对不起", "對不起", "很抱歉", "作为ai",
    "作为一个ai", "作为人工智能", "作為ai", "没有需要", "没有可", "没有进一步", "沒有進一步", "没有下一步",
    "暂无", "暫無", "无需进一步", "無需進一步",
    // Japanese.
    "申し訳", "すみません", "私には", "aiとして", "特にありません", "推奨する", "お勧めする", "できません",
    // Korean.
    "죄송", "저는 ai", "추천할 것이 없", "할 일이 없",
    // German.
    "es tut mir leid", "tut mir leid", "ich kann nicht", "ich kann das nicht", "ich habe keinen",
    "ich habe keine", "als ki", "leider", "es gibt nichts", "es gibt keine weiteren", "keine weiteren",
    "nichts weiter",
    // French.
    "je ne peux pas", "je n'ai pas", "je n'ai aucun", "désolé", "désolée", "en tant qu'ia", "il n'y a rien",
    "malheureusement", "aucune action",
    // Spanish, Portuguese.
    "no puedo", "no tengo", "lo siento", "como ia", "como una ia", "no hay nada", "lamentablemente",
    "não posso", "não tenho", "desculpe", "não há nada",
];

/// Phrases that decline wherever they stand.
pub(super) const ABSTAIN_ANYWHERE: &[&str] = &[
    "if you'd like me to", "if you would like me to", "i don't have access", "i do not have access",
    "as an ai model", "as an ai assistant", "as an ai language model",
];

/// Beginnings in the assistant's voice.
pub(super) const ASSISTANT_STARTS: &[&str] = &[
    "let me", "i'll", "i will", "i shall", "i'm going to", "i am going to", "i'm about to", "i'm now",
    "i am now", "i'm happy to", "i'm ready to", "i am ready to", "i'm working on", "i've", "i have added",
    "i have now", "i have just", "i have updated", "i have implemented", "i have fixed", "i have completed",
    "i have finished", "i have created", "i have removed", "i have reviewed", "i have made",
    "i have written", "i have refactored", "i have changed", "i have also", "i have successfully", "i can",
    "i could", "i'd", "i would", "i should", "i need to", "i think", "i suggest", "i recommend",
    "i propose", "i believe", "i see", "i understand", "i notice", "i added", "i fixed", "i updated",
    "i implemented", "my suggestion", "my recommendation", "my next step", "the next step is",
    "the next step would", "the next step should", "the next prompt is", "the next prompt would",
    "the next prompt should", "the best next step", "the user should", "the user could", "the user might",
    "the user may", "the user wants", "here is", "here's", "here are", "here you go", "sure,", "sure!",
    "sure.", "sure:", "sure thing", "sure -", "certainly", "of course", "absolutely",
    "based on the conversation", "based on the recent", "based on the session", "based on the context",
    "based on the transcript", "based on our conversation", "looking at the conversation",
    "looking at the session", "would you like", "do you want me", "shall i", "should i",
    "you might want to", "you may want to", "allow me",
    // Chinese.
    "我来", "我來", "让我", "讓我", "我会", "我會", "我将", "我將", "我已", "我现在", "我現在", "我建议",
    "我建議", "我可以", "接下来我", "接下來我", "当然", "當然", "好的,我", "好的,让我", "好的，我",
    "以下是", "这是您", "这是你",
    // Japanese.
    "私は", "私が", "私から", "では、私", "それでは、", "承知しました", "承知いたしました", "わかりました",
    "了解しました", "了解です", "以下は", "こちらは", "こちらが",
    // Korean.
    "제가", "저는", "알겠습니다", "물론", "다음은",
    // German.
    "ich werde", "ich habe das", "ich habe die", "ich habe den", "lass mich", "lassen sie mich", "hier ist", "hier sind", "gerne", "natürlich",
    "ich kann", "ich würde", "ich empfehle",
    // French.
    "je vais", "laisse-moi", "laissez-moi", "voici", "bien sûr", "je peux", "je recommande", "je suggère",
    "j'ai ajouté", "j'ai corrigé", "j'ai terminé", "j'ai mis",
    // Spanish, Portuguese, Italian.
    "voy a", "déjame", "déjeme", "permíteme", "aquí está", "aquí tienes", "por supuesto", "claro,", "puedo",
    "he añadido", "he corregido", "he terminado", "eu vou", "deixe-me", "vou", "aqui está", "lasciami",
    "ecco", "certo,",
    // Russian.
    "я буду", "я могу", "давайте я", "позвольте", "вот", "конечно", "сейчас я",
];
/// "Let us" in scripts where it begins as "let me" does.
pub(super) const ASSISTANT_EXCEPTIONS: &[&str] = &["让我们", "讓我們", "我会议", "我會議"];

/// Clauses of praise, thanks or status.
pub(super) const EVALUATION_PHRASES: &[&str] = &[
    "looks good", "looks great", "looks fine", "looks correct", "looks good to me", "looks good overall",
    "lgtm", "sounds good", "sounds great", "great", "great work", "great job", "good", "good work",
    "good job", "nice", "nice work", "nice job", "well done", "perfect", "excellent", "excellent work",
    "awesome", "amazing", "fantastic", "wonderful", "brilliant", "thanks", "thanks a lot", "thanks so much",
    "thank you", "thank you so much", "thank you very much", "all good", "all done", "all set", "done",
    "all tests pass", "all tests passed", "tests pass", "everything works", "it works", "works great",
    "that works", "good to go", "ok", "okay", "sure", "cool", "solid work", "impressive", "congratulations",
    "congrats", "no issues", "no issues found", "no problems",
    // Chinese.
    "很好", "不错", "不錯", "看起来不错", "看起來不錯", "看起来很好", "做得好", "做得很好", "干得好",
    "谢谢", "謝謝", "太好了", "太棒了", "完美", "好的", "非常好", "已完成", "完成了", "没问题", "沒問題",
    // Japanese.
    "いいですね", "良いですね", "よさそうです", "良さそうです", "素晴らしい", "素晴らしいです", "完璧です",
    "完璧", "ありがとう", "ありがとうございます", "ありがとうございました", "お疲れ様です",
    "お疲れ様でした", "問題ありません", "問題なし",
    // Korean.
    "좋아요", "좋습니다", "잘했어요", "훌륭합니다", "감사합니다", "고마워요", "완벽합니다",
    // German.
    "sieht gut aus", "das sieht gut aus", "gut gemacht", "gute arbeit", "super", "danke", "vielen dank",
    "perfekt", "passt", "alles gut",
    // French.
    "parfait", "merci", "merci beaucoup", "bon travail", "beau travail", "très bien", "ça a l'air bien",
    "bravo",
    // Spanish, Portuguese, Italian.
    "perfecto", "gracias", "muchas gracias", "buen trabajo", "muy bien", "se ve bien", "todo bien",
    "excelente", "perfeito", "obrigado", "obrigada", "bom trabalho", "muito bem", "perfetto", "grazie",
    "ottimo lavoro",
    // Russian.
    "отлично", "хорошо", "спасибо", "хорошая работа", "выглядит хорошо", "прекрасно",
];
/// Subjects and ends of a sentence that is only a verdict.
pub(super) const EVALUATION_SUBJECTS: &[&str] =
    &["the", "this", "that", "it", "everything", "all", "your", "these", "those", "overall", "great", "nice"];
pub(super) const EVALUATION_ENDS: &[&str] = &[
    " looks good", " look good", " looks great", " look great", " looks fine", " looks correct",
    " looks solid", " looks complete", " looks good to me", " is complete", " is done", " is finished",
    " are passing", " are green", " tests pass", " now pass", " works well", " work well",
    " works as expected", " is correct", " is perfect",
];

/// Headings of a choice. Two of one series are alternatives.
pub(super) const OPTION_LABELS: &[&[&str]] = &[
    &["option a", "option b", "option c", "option d"], &["option 1", "option 2", "option 3", "option 4"],
    &["alternative a", "alternative b", "alternative c"],
    &["alternative 1", "alternative 2", "alternative 3"], &["choice a", "choice b", "choice c"],
    &["choice 1", "choice 2", "choice 3"], &["方案一", "方案二", "方案三"], &["方案a", "方案b", "方案c"],
    &["方案1", "方案2", "方案3"], &["选项a", "选项b", "选项c"], &["选项1", "选项2", "选项3"],
    &["選項a", "選項b", "選項c"], &["案1", "案2", "案3"], &["opción a", "opción b"],
    &["opción 1", "opción 2"],
];

/// Words of a placeholder in angle or curly brackets.
pub(super) const PLACEHOLDER_NOUNS: &[&str] = &[
    "email", "mail", "name", "filename", "file", "path", "filepath", "directory", "folder", "url", "link",
    "username", "user", "password", "token", "key", "api", "date", "time", "branch", "version", "number",
    "value", "host", "port", "message", "description", "project", "package", "feature", "topic", "issue",
    "id", "placeholder", "address", "repo", "repository", "command", "recipient", "company", "account",
    "function", "module", "component", "something", "reason", "details", "text", "here", "xxx",
];
/// Words of a placeholder in square brackets, which code uses for sections and routes too.
pub(super) const PLACEHOLDER_SQUARE_NOUNS: &[&str] = &[
    "email", "name", "filename", "file", "path", "url", "date", "feature", "topic", "number", "placeholder",
    "recipient", "company", "something", "address", "username", "password", "here", "link", "xxx",
];
/// Words that begin a request to fill something in.
pub(super) const PLACEHOLDER_STARTS: &[&str] = &[
    "your", "my", "insert", "enter", "fill", "fill in", "some", "add your", "name of", "path to", "specify",
    "choose", "e.g.",
];
/// What follows when a text speaks about markup or a variable.
pub(super) const ELEMENT_WORDS: &[&str] = &[
    "tag", "tags", "element", "elements", "component", "components", "node", "nodes", "placeholder",
    "placeholders", "field", "variable", "parameter", "argument", "attribute", "section", "table", "key",
    "block", "route", "segment",
];

/// What the request shows in place of an answer.
pub(super) const OWN_EXAMPLES: &[&str] = &[
    "one imperative prompt for the worker",
    "one imperative prompt",
    "imperative prompt",
    "one step that creates, edits, closes or re-cuts the session's goal",
    "one step that changes the goal",
];
