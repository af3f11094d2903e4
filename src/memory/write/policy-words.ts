/**
 * The phrases by which it is decided what is not remembered: data, written by us for four languages. Each is the source of a regular expression over folded
 * text (lower case, no accents, straight apostrophes), in which `{start}` stands for the beginning of a clause, politeness included: a command
 * stands there, and "I don't remember this" does not.
 */

/** Where a command begins: a text, a sentence or clause, or a request. */
export const clauseStart = [
  "(?:^|[.!?;,\\n—–。!?,;、…]\\s*|\\b(?:please|pls|just|ok|okay|hey|can you|could you|would you|will you|rather you|por favor|porfa|bitte)\\s+)",
  "(?:(?:please|pls|just|so|and|but|oh|actually|por favor|bitte|aber|und|pero|y|请|請|麻烦你?|麻煩你?|拜托你?|你)\\s*[,,]?\\s*)*",
].join("");

/** What was said, or is being said. */
const it = "(?:this|that|it|these|any of (?:this|that|it)|anything|any of it|everything|what i(?:'ve| have| just)?\\s?\\w*|the last)";
const end = "(?=\\s*(?:[.!?;,)]|$|please|pls|conversation|message|session|chat|part|bit|one|now|again|ok|i\\b|for|in|anywhere|about|to\\b))";

/** Words that ask not to be remembered. The misfires to know: "I don't remember the details", "I can't forget that", "don't forget that". */
export const privacyPhrases: readonly string[] = [
  // English
  `{start}(?:don't|dont|do not|never) (?:ever )?(?:save|store|record|log|memori[sz]e|write down|note down|keep a record of|hold on to|hang on to)\\b`,
  `{start}(?:don't|dont|do not|never) (?:ever )?(?:remember|keep|note) ${it}${end}`,
  `\\b(?:please|pls) (?:don't|dont|do not|never) (?:ever )?(?:remember|save|store|record|keep)\\b`,
  `\\b(?:want|need|prefer|like|ask|rather) you (?:to not|not to|didn't|don't|to never) (?:remember|save|store|record|keep|log)\\b`,
  `\\b(?:don't|dont|do not) want you to (?:remember|save|store|record|keep|log)\\b`,
  `\\b(?:don't|dont|do not) want (?:${it}|you) (?:to be )?(?:saved|stored|recorded|remembered|kept|logged|written down)\\b`,
  `\\b(?:should|must|can) ?(?:not|n't) be (?:saved|stored|recorded|remembered|logged)\\b`,
  `{start}forget (?:this|that|it|everything|all of (?:this|that|it)|what i(?:'ve| have)?(?: just)? (?:said|told|wrote|mentioned)|i (?:ever )?(?:said|told|wrote|mentioned))${end}`,
  `\\b(?:go|going|switch|turn on|use|enter|start|be|stay|want|in|into|to) (?:an? |the )?(?:incognito|privacy mode|private mode)\\b`,
  `^(?:incognito|privacy mode|private mode)(?: mode)?(?: on)?(?:,? please)?[.!]?$`,
  `\\b(?:this|that|it) (?:is|stays|should stay|must stay|has to stay) off the record\\b|{start}off the record\\b`,
  // Spanish
  `{start}no (?:me |te )?(?:lo |la |los |las )?(?:guardes?|registres?|almacenes?|anotes?|memorices?|grabes?)\\b`,
  `{start}no (?:lo |la |los |las )?recuerd(?:es|e|en) (?:esto|eso|nada|lo que)`,
  `{start}no (?:lo|la|los|las) recuerd(?:es|e|en)\\b`,
  `\\bno quiero que (?:lo |la |los |las |me )?(?:guardes?|recuerdes?|registres?|almacenes?|anotes?|memorices?)\\b`,
  `{start}olvida(?:te de)? (?:esto|eso|todo|lo que (?:te )?(?:he |acabo de )?(?:dicho|dije|decir|conte|contado))`,
  `{start}olvidalo\\b`,
  `\\bmodo (?:incognito|privado)\\b`,
  `\\bque esto quede entre nosotros\\b|\\besto queda entre nosotros\\b`,
  // German
  `{start}(?:speicher|speichere|speichern sie|merk|merke|merken sie|notier|notiere|notieren sie|behalt|behalte) (?:dir |sich )?(?:das|dies|es|dieses|davon|hiervon|bloss|nichts)[^.!?]{0,40}?(?:\\bnicht\\b|\\bnichts\\b|(?<=nichts)(?=\\W|$))`,
  `{start}(?:das |dies |es )?(?:bitte )?nicht(?:s davon)? (?:speichern|merken|aufzeichnen|notieren|abspeichern)\\b`,
  `\\b(?:will|mochte|moechte) nicht,? dass (?:du|sie) (?:dir |sich )?(?:das|dies|es|davon|etwas)[^.!?]{0,30}(?:speicherst|merkst|behaltst|notierst|speichern|merken)\\b`,
  `{start}(?:vergiss|vergessen sie) (?:das|dies|es|alles|was ich)(?=\\s*(?:[.!?;,]|$|bitte|wieder|alles|gesagt|gerade|eben|dir))`,
  `\\binkognito(?:modus)?\\b|\\bprivatmodus\\b|\\bprivater modus\\b`,
  `\\bdas bleibt unter uns\\b`,
  // Chinese
  `(?:^|[。!?,;、.!?,;\\s]|请|請|麻烦你?|拜托你?|你)(?:不要|别|別|不用|勿|请勿)(?:再|把(?:这|那|它|我)[^。!?]{0,12})?(?:保存|记住|記住|记录|記錄|存储|储存|儲存|记下来?|記下來?|存下来?)`,
  `(?:^|[。!?,;、.!?,;\\s]|请|請|麻烦你?|拜托你?|你)(?:忘记|忘記|忘掉|忘了)(?:这|那|這|它|我(?:刚|剛)?(?:才|刚)?(?:所)?说|我(?:剛)?(?:才|剛)?(?:所)?說|刚才|剛才|一切)`,
  `(?:不想|不希望|不愿意)(?:让)?你(?:把[^。!?]{0,12})?(?:记住|記住|保存|记录|記錄)`,
  `无痕模式|無痕模式|隐私模式|隱私模式|私密模式`,
];

/** Where such words speak of more than what stands beside them. */
export const wholeSession =
  "session|conversation|\\bchat\\b|today|everything|anything|any of (?:this|that|it)|all of (?:this|that|it)|incognito|private mode|privacy mode|off the record|sesion|conversacion|\\bcharla\\b|\\bhoy\\b|\\btodo\\b|\\bnada\\b|modo privado|gesprach|sitzung|\\bheute\\b|\\balles\\b|nichts|inkognito|privatmodus|privater modus|对话|對話|会话|會話|聊天|今天|一切|所有|全部|任何|无痕|無痕|隐私模式|隱私模式|私密模式";

/** What is said to the memory, and not of oneself. "Remember that my sister is Ana" is of oneself. */
export const controlPhrases: readonly string[] = [
  "\\b(?:what|how much|which things?) (?:do|did|have|can) you (?:still )?(?:remember|know|saved?|stored?|remembered) (?:about|of|from) (?:me|us)\\b",
  "\\bwhat (?:do you|have you) (?:have )?(?:remember|remembered|saved|stored|on file)\\b",
  "\\b(?:show|list|tell) (?:me )?(?:what you (?:remember|know|saved|have)|(?:my|your|the|saved) (?:saved )?(?:memory|memories|facts))\\b",
  "{start}(?:forget|delete|remove|erase|clear|wipe) (?:the |my |your |all |number |everything|what |about |fact |session |rule |memory )",
  "\\b(?:turn|switch|set) (?:on|off|your|the|proactive)\\b[^.!?]{0,20}\\b(?:memory|recall|memories)\\b",
  "\\b(?:memory|recall) (?:on|off|status)\\b",
  "\\b(?:que|cuanto) (?:recuerdas|sabes|has guardado|guardaste) (?:de|sobre) mi\\b",
  "\\b(?:borra|elimina|olvida) (?:el|la|los|las|mi|mis|tu|todo|lo) ",
  "\\bwas (?:weisst|wissen|hast|haben) (?:du|sie) (?:uber mich|noch uber mich|von mir|gespeichert)",
  "{start}(?:losch|losche|loschen sie|vergiss|entferne) (?:den|die|das|alle|meine?n?|alles|was) ",
  "(?:你|您)(?:还|還)?(?:记得|記得|知道|记住了|記住了)(?:我|关于我|關於我)?(?:的)?(?:什么|什麼|哪些|多少)",
  "(?:删除|刪除|清除|清空)(?:我|你|所有|全部|这|那|第)",
];

/** Words against oneself, which count only said of oneself. Once is a bad day. */
export const selfBeliefPhrases: readonly string[] = [
  "\\b(?:i am|i'm|im|i feel|i've been|i was always|makes? me|i must be)\\b(?:(?!\\bnot\\b|n't\\b)[^.!?;]){0,30}?\\b(?:worthless|useless|a failure|failures?|stupid|broken|unlovable|unworthy|a burden|pathetic|hopeless|disgusting|an idiot|a loser|a fraud|an impostor|a mess|damaged|a bad (?:person|mother|father|parent|partner|friend)|inadequate|defective|incompetent|unwanted|weak|ugly|dumb|lazy)\\b",
  "\\b(?:i am|i'm|im|i feel|i'll)\\b[^.!?;]{0,20}\\b(?:not|never|n't) (?:be )?(?:good|smart|strong|worth|lovable|worthy|enough|capable)\\b",
  "\\bi (?:hate|despise|loathe) myself\\b",
  "\\b(?:no one|nobody|noone|none) (?:will |could |would |can )?(?:ever )?(?:really )?(?:likes?|loves?|needs?|wants?|cares? about) me\\b",
  "\\bi (?:always|just|only|keep) (?:fail|ruin|mess|screw|disappoint|let)\\w*\\b",
  "\\bi (?:can't|cannot|never) (?:do|get) anything right\\b|\\bi never do anything right\\b",
  "\\b(?:it's|it is|everything is|it was) (?:all )?my fault\\b",
  "(?<!\\bno )\\b(?:soy|me siento|estoy)\\b(?:(?!\\bno\\b)[^.!?;]){0,20}?\\b(?:inutil|un fracaso|una fracasada|un fracasado|estupid[oa]|tont[oa]|una carga|un desastre|mala persona|patetic[oa]|debil|fe[oa]|rot[oa])\\b",
  "\\bno (?:valgo|sirvo)\\b|\\bme odio\\b|\\bnadie me (?:quiere|ama|necesita)\\b|\\btodo es (?:por )?(?:mi )?culpa(?: mia)?\\b|\\bno soy (?:lo )?(?:bastante|suficiente)",
  "\\bich (?:bin|fuhle mich|fuhl mich)\\b(?:(?!\\b(?:nicht|kein|keine)\\b)[^.!?;]){0,30}?\\b(?:wertlos|nutzlos|ein versager|eine versagerin|dumm|eine last|ein niemand|hasslich|erbarmlich|kaputt|schwach|unfahig|ein idiot)\\b",
  "\\bich hasse mich\\b|\\bniemand (?:mag|liebt|braucht) mich\\b|\\b(?:alles )?(?:ist )?meine schuld\\b|\\bich bin nicht (?:gut|klug|stark) genug\\b|\\bich (?:kann|schaffe) (?:gar )?nichts\\b",
  "我(?:真|就|总|總|太|很|好|真的|就是)?(?:是|觉得自己|覺得自己|感觉自己|感到自己)?(?:很|太|真|是|个|個|一个|一個)*(?:没用|沒用|废物|廢物|失败者|失敗者|失败|失敗|没有价值|沒有價值|毫无价值|很蠢|太蠢|太笨|很笨|累赘|累贅|负担|負擔|不够好|不夠好|丑|醜)",
  "我(?:讨厌|討厭|恨)我?自己|没有?人(?:喜欢|爱|在乎|需要)我|沒有?人(?:喜歡|愛|在乎|需要)我|都是我的[错錯]",
];

/** For this turn only. */
export const turnScopedPhrases: readonly string[] = [
  "\\b(?:just|only) (?:for )?(?:now|today|this (?:once|time|message|reply|answer|question|one))\\b",
  "\\bfor (?:now|this (?:message|reply|answer|question|one|session)|the moment)\\b|\\bthis (?:once|time)(?: only)?\\b|\\bright now\\b|\\bin (?:this|your next) (?:reply|answer|message)\\b",
  "\\b(?:solo|por) (?:ahora|hoy|esta vez)\\b|\\besta vez\\b|\\ben esta respuesta\\b",
  "\\b(?:nur|bloss) (?:heute|jetzt|diesmal|dieses mal)\\b|\\bdieses mal\\b|\\bdiesmal\\b|\\bfur (?:jetzt|heute)\\b|\\bin dieser antwort\\b",
  "(?:就|只|仅)?(?:这|這)(?:一)?次|暂时|暫時|只是今天|就今天|这条回复",
];

/** For good: outweighs what is for this turn. */
export const durablePhrases: readonly string[] = [
  "\\b(?:always|from now on|in general|generally|usually|every time|in (?:the )?future|never|going forward|as a rule)\\b",
  "\\b(?:siempre|a partir de ahora|de ahora en adelante|en general|nunca|cada vez|en el futuro)\\b",
  "\\b(?:immer|ab jetzt|von nun an|generell|im allgemeinen|nie|niemals|jedes mal|in zukunft|kunftig)\\b",
  "总是|總是|一直|以后|以後|从现在起|從現在起|每次|永远|永遠|从不|從不",
];

/** What keeps a person safe: what an agent does in a crisis, and who helps then. */
const safety =
  "(?:hot ?lines?|help ?lines?|crisis|emergency|emergencies|988|911|112|999|suicid\\w*|self[- ]?harm\\w*|safety|samaritans|lifeline|professional help|seek(?:ing)? help|get(?:ting)? help|(?:a |my )?(?:therapist|therapy|doctor|psychiatrist|counsell?or)|(?:if|whether|that) i(?:'m| am) (?:safe|ok|okay|in danger)|check(?:ing)? (?:on me|in on me|if))";
const safetyEs =
  "(?:lineas? de (?:ayuda|crisis|emergencia)|telefonos? de (?:ayuda|la esperanza|emergencia)|emergencias?|crisis|suicid\\w*|autoles\\w*|seguridad|ayuda profesional|terapeutas?|terapia|psicolog\\w*|si estoy (?:bien|a salvo|segur[oa]|en peligro))";
const safetyDe =
  "(?:notruf\\w*|hotlines?|krisen\\w*|telefonseelsorge|notfall\\w*|suizid\\w*|selbstmord\\w*|selbstverletz\\w*|sicherheit|professionelle\\w* hilfe|therap\\w*|psycholog\\w*|psychiater\\w*|ob ich (?:sicher|in sicherheit|in gefahr) bin)";
const safetyZh =
  "(?:热线|熱線|求助|危机|危機|紧急|緊急|急救|自杀|自殺|自残|自殘|自伤|自傷|安全|心理医生|心理醫生|咨询师|諮詢師|治疗师|治療師|专业帮助|專業幫助)";

/** Two negatives that ask to go on: taken out before it is looked for what is asked to end. */
export const goOnPhrase =
  "\\b(?:don't|dont|do not|never|no|nunca|nicht|nie) (?:ever |dejes de |hor auf )?(?:stop|forget|skip|avoid|quit|drop|olvid\\w*|vergessen)\\b";

/** Wishes that would weaken what keeps a person safe: never a rule, however often they are said. */
export const unsafePhrases: readonly string[] = [
  `(?:\\b(?:never|not|no|without|avoid|skip|quit|leave out|drop|refrain from)\\b|n't\\b|\\bdont\\b|\\bstop\\b)[^.!?;]{0,60}\\b${safety}`,
  "\\b(?:ignore|disregard|override|bypass|forget) (?:all |any )?(?:your |the |previous |prior )+(?:rules?|instructions?|guidelines|polic\\w+|safety|prompts?)\\b",
  "\\b(?:help me|don't stop me from|dont stop me from|encourage me to|let me) (?:to )?(?:hurt|harm|kill|cut|starve|hide (?:it|this|my))\\b",
  `\\b(?:no|nunca|jamas|sin|deja de|evita)\\b[^.!?;]{0,60}\\b${safetyEs}`,
  `\\b(?:nicht|nie|niemals|keine?n?|ohne|hor auf|lass)\\b[^.!?;]{0,60}\\b${safetyDe}|\\b${safetyDe}[^.!?;]{0,40}\\b(?:nicht|nie|niemals|weglassen)\\b`,
  `(?:不要|别|別|不用|不准|不许|不許|永远不|永遠不|从不|從不|停止|少)[^。!?;]{0,20}${safetyZh}`,
];

/** "Remember that …" says how things are, and not how to talk. */
export const factShapedPhrases: readonly string[] = [
  "{start}remember(?: that)? (?:i|my|we|our|he|she|they|it|the|there)\\b",
  "{start}recuerda que\\b",
  "{start}(?:merk|merke|denk daran|denke daran)(?: dir)?,? dass\\b",
  "(?:^|[。!?,;、]|请|請)(?:记住|記住|记得|記得)(?:我|他|她|我们|我們|我的)",
];

/** What whoever answers does: a rule speaks of it. */
export const assistantPhrases: readonly string[] = [
  "\\b(?:you|your|yours)\\b|\\b(?:reply|replies|replying|respond|responses?|answers?|answering|talk to me|tell me|ask me|call me|explain|advice|questions?|tone|remind me)\\b",
  "\\b(?:respond\\w*|respuestas?|contest\\w*|hablame|dime|preguntame|llamame|explic\\w*|consejos?|preguntas?|tono)\\b",
  "\\b(?:du|dein\\w*|antwort\\w*|sag mir|frag mich|nenn mich|erklar\\w*|ratschlag\\w*|rat|fragen|tonfall)\\b",
  "你|您|回答|回复|回覆|告诉我|告訴我|问我|問我|叫我|解释|解釋|建议|建議|语气|語氣",
];
