/**
 * How people ask for something about their memory, as data. Each pattern is held against a whole message without greeting, politeness and closing marks; whatever else
 * stands in the message, it is no command. Written for Throughline from general knowledge.
 */
import type { MemoryCommand, ShownKind } from "./commands.ts";
import type { Language } from "./language.ts";

/** A command's name and the patterns that ask for it. Groups: `query`, `text`, `place` and `kind`, as the command needs them. */
export interface CommandPatterns {
  readonly language: Language;
  readonly type: MemoryCommand["type"];
  /** For commands with a yes and a no. */
  readonly value?: boolean;
  /** They tell the agent what to do, so that what they ask for is about its answers. */
  readonly direct?: boolean;
  readonly patterns: readonly RegExp[];
}

/** What stands before or after a request and changes nothing. */
export const courtesies: Readonly<Record<Language, { readonly before: RegExp; readonly after: RegExp }>> = {
  en: {
    before:
      /^(?:(?:hey|hi|hello|ok|okay|so|and|oh|actually|please|pls|kindly|now)[,!.]?\s+|(?:can|could|would|will) you (?:please |just )?|i(?:'d| would) like you to |i want you to |just )+/iu,
    after: /(?:[,.!?\s]+(?:please|pls|thanks|thank you|for me|now|ok|okay))*[\s.!?]*$/iu,
  },
  es: {
    before:
      /^(?:(?:hola|oye|vale|bueno|ahora|por favor)[,!.]?\s+|[¿¡]+\s*|(?:puedes|podr[ií]as|quiero que|quisiera que|me gustar[ií]a que) (?:por favor )?)+/iu,
    after: /(?:[,.!?\s]+(?:por favor|gracias|ahora))*[\s.!?]*$/iu,
  },
  de: {
    before: /^(?:(?:hallo|hey|hi|ok|okay|also|bitte|jetzt)[,!.]?\s+|(?:kannst|k[oö]nntest|w[uü]rdest) du (?:bitte )?|ich m[oö]chte,? dass du )+/iu,
    after: /(?:[,.!?\s]+(?:bitte|danke|jetzt))*[\s.!?]*$/iu,
  },
  zh: {
    before: /^(?:(?:你好|嗨|喂|好的|那么|现在)[，,！!。\s]*|请你?|請你?|麻烦你?|麻煩你?|能不能|可以|能|帮我|幫我)+/u,
    after: /(?:[，,\s]*(?:谢谢|謝謝|好吗|好嗎|可以吗|可以嗎|吧|吗|嗎))*[\s。！？.!?]*$/u,
  },
};

/** What a preference about answers speaks of: without any of it, "remember that I like cats" is a fact, and none of the rules of how to talk. */
export const aboutAnswers =
  /\b(?:answers?|repl(?:y|ies)|respon(?:d|ses?)|explain|explanations?|advice|questions?|tone|you|your|short|brief|concise|detail(?:s|ed)?|emojis?|bullet|language|respuestas?|respond\w*|expl[ií]c\w*|consejos?|preguntas?|tono|que me|cort[ao]s?|breves?|antwort\w*|erkl[aä]r\w*|ratschl[aä]g\w*|rat|fragen|ton|du|dein\w*|kurz\w*|knapp\w*)\b|回答|回复|回覆|建议|建議|解释|解釋|语气|語氣|简短|簡短|你/iu;

/** What something is called by that stands for nothing in particular: with it alone nobody can tell what is meant. */
export const vague =
  /^(?:it|that|this|them|him|her|these|those|things?|stuff|everything|anything|me|us|you|eso|esto|ello|[eé]l|ella|nada|todo|das|es|dies|ihn|sie|alles|nichts|这|那|这个|那个|這|那個|這個|它|他|她|这些|那些)$/iu;

const q = "(?<query>[^.!?;\\n。！？；，,]{2,80}?)";
const place = "(?<place>[\\p{L}\\p{N}]{1,15})";
const row = (language: Language, type: MemoryCommand["type"], patterns: readonly string[], value?: boolean): CommandPatterns => ({
  language,
  type,
  patterns: patterns.map((pattern) => new RegExp(`^${pattern}$`, "iu")),
  ...(value === undefined ? {} : { value }),
});
const direct = (language: Language, patterns: readonly string[]): CommandPatterns => ({
  ...row(language, "save_preference", patterns),
  direct: true,
});

const english: readonly CommandPatterns[] = [
  row("en", "list", [
    "what do you (?:still )?remember(?: about me)?",
    "what do you (?:still )?know about me",
    "what(?: do you have| have you|'ve you| did you) (?:saved|remembered|stored|noted|kept|save|remember|store|note)(?: down)? about me",
    "(?:show|list|tell)(?: me)? (?:everything|all|what)(?: that)? you(?:'ve| have)? (?:remember(?:ed)?|know|saved|stored)(?: about me)?",
    "(?:show|list)(?: me)? (?:my|your|the|all|all my|all your)?(?: saved| stored)? ?memor(?:y|ies)(?: of me| about me)?",
    "what(?:'s| is) in your memory(?: about me)?",
    "(?:show|list|tell)(?: me)? (?:my|your|the)(?: saved| stored)? (?:facts|rules|preferences|sessions)(?: (?:for|about|of) me)?",
    "(?:what|which) (?:rules|preferences|facts|sessions) (?:do you have|have you (?:saved|stored|kept)|did you save|are saved|are there)(?: (?:for|about|of) me)?",
    "what are (?:my|your) (?:rules|preferences)(?: for me)?",
  ]),
  row("en", "status", [
    "(?:show(?: me)? (?:the |your |my )?)?memory status",
    "is (?:your |the |my )?(?:memory|(?:proactive |memory )?recall) (?:on|off|enabled|disabled)",
    "how much do you remember(?: about me)?",
  ]),
  row(
    "en",
    "set_recall",
    [
      "(?:turn|switch) off (?:the |your |my )?(?:proactive )?(?:memory )?recall",
      "(?:turn|switch) (?:the |your |my )?(?:proactive )?(?:memory )?recall off",
      "(?:disable|deactivate) (?:the |your |my )?(?:proactive )?(?:memory )?recall",
      "(?:stop bringing up|don't bring up|do not bring up) (?:the past|old (?:things|stuff)|(?:things|what) (?:from before|i(?:'ve| have)? (?:said|told you)(?: before| earlier)?))(?: by yourself| on your own)?",
    ],
    false,
  ),
  row(
    "en",
    "set_recall",
    [
      "(?:turn|switch) on (?:the |your |my )?(?:proactive )?(?:memory )?recall",
      "(?:turn|switch) (?:the |your |my )?(?:proactive )?(?:memory )?recall on",
      "(?:enable|activate) (?:the |your |my )?(?:proactive )?(?:memory )?recall",
      "you (?:can|may) bring up (?:the past|what i(?:'ve| have)? (?:said|told you)(?: before| earlier)?)",
    ],
    true,
  ),
  row("en", "save_preference", [
    "(?:remember|note|keep in mind|don't forget|do not forget)(?: that)? (?<text>i(?:'d rather| would rather|'d like| would like| (?:really )?(?:prefer|like|want|need|hate|don't like|don't want|do not like|do not want)) .{3,})",
    "(?:remember|don't forget) to (?<text>(?:keep|answer|reply|respond|speak|write|talk|be|use) .*(?:your|answer|repl|respon|me).*)",
  ]),
  direct("en", [
    "from now on,? (?:please )?(?<text>(?:keep|answer|reply|respond|speak|write|talk|be|use|don't|do not|always|never|stop|call me) .{2,})",
    "(?:save|add|set)(?: this| my| a)?(?: as a)? preference: ?(?<text>.{3,})",
    "(?:please )?(?<text>(?:keep|answer|reply|respond|speak|write|talk|be|use|don't|do not|always|never|stop|call me) [^.!?\\n]{2,100}?),? (?:from now on|in (?:the )?future)",
  ]),
  row("en", "correct", [
    `(?:correct|change|update|fix) (?<kind>fact|memory) (?:number |no\\. |#)?${place}(?: to say| to|:) ?:?(?<text>.{2,})`,
    `(?<kind>fact|memory) (?:number |no\\. |#)?${place} is wrong[:,.;]? (?:it should (?:be|say):? |it's |it is |the truth is:? )?(?<text>.{2,})`,
  ]),
  row("en", "forget_everything", [
    "(?:forget|delete|erase|remove|wipe|clear) (?:everything|all)(?: (?:that )?(?:you (?:know|remember|have saved|have stored|saved)(?: about me)?|i(?:'ve| have)? ever (?:said|told you)))?(?: about me)?",
    "(?:forget|delete|erase|remove|wipe|clear) (?:all (?:of )?)?(?:my|your|the|all)(?: saved| stored)? (?:memories|memory)(?: of me| about me)?",
  ]),
  row("en", "forget_session", [
    "(?:forget|delete|erase|don't (?:save|remember|store|keep)|do not (?:save|remember|store|keep)) (?:this|our|the|today's) (?:whole |entire )?(?:session|conversation|chat|talk)",
    "forget (?:everything|all|what)(?: that)? (?:i|we)(?:'ve| have)? (?:just )?(?:said|talked about|told you|discussed)(?: today| just now| here| in this (?:session|conversation|chat))?",
    "(?:don't|do not) (?:save|remember|store) (?:this|any of this|anything(?: i (?:say|said))?(?: today| here)?)",
    "forget today",
  ]),
  row("en", "forget_by_index", [
    `(?:forget|delete|erase|remove) (?:the )?(?<kind>fact|memory|session|conversation|rule|preference|message|number|item|entry|point|#) ?(?:number |no\\. |#)?${place}`,
    "(?:forget|delete|erase|remove) #?(?<place>\\d{1,3})",
    `(?:forget|delete|erase|remove) the ${place} (?<kind>one|fact|memory|session|conversation|rule|preference|message|item|entry|point)`,
  ]),
  row("en", "forget_by_query", [
    `(?:forget|delete|erase|remove) (?:what|everything|anything|whatever|all|all the things|the things?)(?: that)? (?:i(?:'ve| have|'d)? (?:ever )?(?:said|told you|mentioned|shared)|you (?:know|remember|saved|have saved|have stored))(?: to you)?(?: before| earlier)? (?:about|regarding) ${q}`,
    `(?:forget|delete|erase|remove) (?:everything|anything|all|(?:the |your |my |any |all )?memor(?:y|ies)) (?:about|of) ${q}`,
    `forget that (?:i (?:told|said to) you (?:that |about )?)?(?<query>(?:i(?:'m| am|'ve| have| had| was| live| lived| work| worked| like| love| hate| take| use)|my) [^.!?;\\n,]{2,80})`,
    "forget (?<query>my (?:name|address|birthday|age|job|phone number|email|diagnosis|medication))",
  ]),
  row("en", "forget_vague", [
    "(?:forget|delete|erase|remove) (?:that|this|them|these|those|that one|this one)",
    "(?:delete|erase|remove) it",
    "forget something",
  ]),
  row("en", "never_recall", [
    `(?:don't|do not|never)(?: ever)? (?:bring up|mention|talk about|speak about|speak of|ask(?: me)? about|remind me (?:of|about)) ${q} (?:again|any ?more|ever again)`,
    `never (?:bring up|mention|talk about|speak about|speak of|ask(?: me)? about|remind me (?:of|about)) ${q}(?: again| any ?more)?`,
    `stop (?:bringing up|mentioning|talking about|asking(?: me)? about|reminding me (?:of|about)) ${q}(?: again| any ?more)?`,
  ]),
  row("en", "pin", [`(?:pin|always remember) (?:the )?(?<kind>fact|memory|session|rule) (?:number |no\\. |#)?${place}`], true),
  row("en", "pin", [`unpin (?:the )?(?<kind>fact|memory|session|rule) (?:number |no\\. |#)?${place}`], false),
];

const spanish: readonly CommandPatterns[] = [
  row("es", "list", [
    "qu[eé] (?:recuerdas|sabes) (?:de|sobre|acerca de) m[ií]",
    "qu[eé] (?:recuerdas|has guardado|guardas)(?: (?:de|sobre) m[ií])?",
    "(?:mu[eé]strame|ens[eé][nñ]ame|dime|lista) (?:todo )?lo que (?:recuerdas|sabes|has guardado)(?: (?:de|sobre) m[ií])?",
    "(?:mu[eé]strame|ens[eé][nñ]ame) (?:mis|tus|los) recuerdos",
  ]),
  row("es", "status", ["(?:estado|c[oó]mo est[aá]) (?:de )?(?:la|tu) memoria", "cu[aá]nto recuerdas(?: (?:de|sobre) m[ií])?"]),
  row(
    "es",
    "set_recall",
    ["(?:desactiva|apaga) (?:el recuerdo|los recuerdos|la memoria proactiva)", "no (?:saques|menciones) (?:el pasado|lo que te cont[eé](?: antes)?)"],
    false,
  ),
  row(
    "es",
    "set_recall",
    [
      "(?:activa|enciende) (?:el recuerdo|los recuerdos|la memoria proactiva)",
      "puedes (?:sacar|mencionar) (?:el pasado|lo que te cont[eé](?: antes)?)",
    ],
    true,
  ),
  row("es", "save_preference", [
    "(?:recuerda|ten en cuenta|no olvides) que (?<text>(?:yo )?(?:prefiero|quiero|me gustan?|me gustar[ií]a|necesito|odio|no quiero|no me gustan?) .{3,})",
  ]),
  direct("es", [
    "(?:de ahora en adelante|a partir de ahora),? (?:por favor,? )?(?<text>(?:responde|contesta|habla|escribe|usa|no|s[eé]|ll[aá]mame) .{2,})",
  ]),
  row("es", "correct", [`(?:corrige|cambia) (?:el )?(?<kind>dato|recuerdo|hecho) (?:n[uú]mero )?${place}(?: por| a|:) ?(?<text>.{2,})`]),
  row("es", "forget_everything", [
    "(?:olvida|borra|elimina) todo(?: lo que (?:sabes|recuerdas|has guardado))?(?: (?:de|sobre) m[ií])?",
    "(?:olvida|borra|elimina) (?:todos )?(?:mis|tus|los) recuerdos",
  ]),
  row("es", "forget_session", [
    "(?:olvida|borra|elimina|no (?:guardes|recuerdes)) (?:esta|nuestra|la) (?:sesi[oó]n|conversaci[oó]n|charla)",
    "olvida (?:todo )?lo que (?:acabo de decir|he dicho(?: hoy| aqu[ií])?|dije(?: hoy)?|hablamos(?: hoy)?)",
    "no (?:guardes|recuerdes) (?:esto|nada de esto)",
  ]),
  row("es", "forget_by_index", [
    `(?:olvida|borra|elimina) (?:el |la )?(?<kind>dato|recuerdo|hecho|sesi[oó]n|conversaci[oó]n|regla|preferencia|mensaje|n[uú]mero) (?:n[uú]mero )?${place}`,
    "(?:olvida|borra|elimina) (?:el |la )?(?<place>\\d{1,3})",
    `(?:olvida|borra|elimina) (?:el |la )${place}(?: (?<kind>dato|recuerdo|hecho|sesi[oó]n|conversaci[oó]n|regla|preferencia|mensaje))?`,
  ]),
  row("es", "forget_by_query", [
    `(?:olvida|borra|elimina) (?:todo )?lo que (?:te )?(?:dije|he dicho|cont[eé]|he contado|sabes|recuerdas)(?: antes)? (?:de|sobre|acerca de) ${q}`,
    `(?:olvida|borra|elimina) (?:todo|los recuerdos) (?:de|sobre|acerca de) ${q}`,
    "olvida que (?<query>(?:soy|estoy|tengo|vivo|trabajo|me gusta|mi) [^.!?;\\n,]{2,80})",
  ]),
  row("es", "forget_vague", ["(?:olvida|borra|elimina) (?:eso|esto|ese|este|esa|esta)", "(?:b[oó]rra|elim[ií]na)l[oa]"]),
  row("es", "never_recall", [
    `(?:no|nunca) (?:vuelvas a (?:mencionar|hablar de|sacar)|(?:menciones|hables de|saques)(?: m[aá]s| nunca)?) (?:a )?${q}(?: nunca m[aá]s| otra vez| m[aá]s)?`,
    `deja de (?:mencionar|hablar de|sacar|preguntar por) (?:a )?${q}`,
  ]),
];

const german: readonly CommandPatterns[] = [
  row("de", "list", [
    "was wei(?:ß|ss)t du (?:alles )?(?:noch )?[uü]ber mich",
    "(?:woran|was) (?:erinnerst du dich|hast du dir)(?: [uü]ber mich| von mir)?(?: gemerkt| gespeichert)?",
    "was hast du (?:dir )?[uü]ber mich (?:gemerkt|gespeichert)",
    "(?:zeig|zeige)(?: mir)? (?:alles,? |was du )(?:was du )?(?:[uü]ber mich |von mir )?(?:wei(?:ß|ss)t|gespeichert hast|gemerkt hast)",
    "(?:zeig|zeige)(?: mir)? (?:meine|deine|die) erinnerungen",
  ]),
  row("de", "status", ["(?:wie ist der )?(?:speicher|ged[aä]chtnis)status", "wie viel wei(?:ß|ss)t du (?:noch )?(?:[uü]ber mich|von mir)"]),
  row(
    "de",
    "set_recall",
    [
      "schalte? (?:die|deine) erinnerung(?:en)? (?:ab|aus)",
      "sprich (?:alte sachen|fr[uü]heres|die vergangenheit) nicht (?:mehr )?(?:von dir aus |von selbst )?an",
    ],
    false,
  ),
  row(
    "de",
    "set_recall",
    ["schalte? (?:die|deine) erinnerung(?:en)? (?:an|ein)", "du (?:darfst|kannst) (?:fr[uü]heres|die vergangenheit|alte sachen) ansprechen"],
    true,
  ),
  row("de", "save_preference", ["(?:merk dir|merke dir|denk daran|vergiss nicht),? dass (?<text>ich .{3,})"]),
  direct("de", [
    "(?:ab jetzt|von jetzt an|k[uü]nftig),? (?:bitte )?(?<text>(?:antworte|sprich|schreib|schreibe|rede|benutze|nenn|nenne|sei|keine?|immer|nie) .{2,})",
  ]),
  row("de", "correct", [`(?:korrigiere?|[aä]ndere?) (?<kind>fakt|erinnerung) (?:nummer |nr\\. )?${place}(?: zu| auf|:) ?(?<text>.{2,})`]),
  row("de", "forget_everything", [
    "(?:vergiss|l[oö]sche?|entferne) alles(?:,? was du (?:[uü]ber mich |von mir )?(?:wei(?:ß|ss)t|gespeichert hast))?(?: [uü]ber mich| von mir)?",
    "(?:vergiss|l[oö]sche?|entferne) (?:alle )?(?:meine|deine|alle) erinnerungen(?: an mich)?",
  ]),
  row("de", "forget_session", [
    "(?:vergiss|l[oö]sche?) (?:dieses|unser|das) gespr[aä]ch",
    "(?:vergiss|l[oö]sche?) (?:diese|unsere|die) (?:sitzung|unterhaltung)",
    "vergiss(?: alles)?,? was ich (?:gerade |eben |heute )?gesagt habe",
    "(?:speicher|speichere|merk dir|merke dir) (?:(?:das|dieses gespr[aä]ch) nicht|nichts davon)",
  ]),
  row("de", "forget_by_index", [
    `(?:vergiss|l[oö]sche?|entferne) (?:den |die |das )?(?<kind>fakt|erinnerung|sitzung|gespr[aä]ch|regel|nachricht|nummer|eintrag) (?:nummer |nr\\. )?${place}`,
    "(?:vergiss|l[oö]sche?|entferne) (?:nr\\. )?(?<place>\\d{1,3})",
    `(?:vergiss|l[oö]sche?|entferne) (?:den|die|das) ${place}(?: (?<kind>fakt|erinnerung|sitzung|regel|nachricht|eintrag|punkt))?`,
  ]),
  row("de", "forget_by_query", [
    `(?:vergiss|l[oö]sche?|entferne)(?: alles)?,? was (?:ich (?:dir )?(?:[uü]ber|von) (?<query>[^.!?;\\n,]{2,80}?) (?:gesagt|erz[aä]hlt|erw[aä]hnt) habe|du [uü]ber (?<query2>[^.!?;\\n,]{2,80}?) wei(?:ß|ss)t)`,
    `(?:vergiss|l[oö]sche?|entferne) (?:alles|alle erinnerungen|die erinnerungen?) (?:[uü]ber|an|von) ${q}`,
    "vergiss,? dass (?<query>(?:ich|meine?) [^.!?;\\n,]{2,80})",
  ]),
  row("de", "forget_vague", ["vergiss (?:das|dies|den|die)", "(?:l[oö]sche?|entferne) (?:das|dies|es|den|die)"]),
  row("de", "never_recall", [
    `(?:sprich|erw[aä]hne?) ${q} (?:nie wieder|nicht mehr|nie mehr)(?: an)?`,
    `(?:sprich|rede) (?:nie wieder|nicht mehr|nie mehr) (?:von|[uü]ber) ${q}`,
    `h[oö]re? auf,? (?:von|[uü]ber) ${q} zu (?:reden|sprechen)`,
  ]),
];

const chinese: readonly CommandPatterns[] = [
  row("zh", "list", [
    "你(?:还)?(?:记得|記得|知道|记住了|記住了)(?:关于|關於)?我(?:的)?(?:什么|什麼|哪些事?|些什么)",
    "你(?:都)?(?:记得|記得)(?:些)?(?:什么|什麼)",
    "(?:显示|顯示|列出|看看)(?:我的|你的|所有)?(?:记忆|記憶)",
  ]),
  row("zh", "status", ["(?:记忆|記憶)(?:状态|狀態)", "你(?:记得|記得)(?:我)?多少(?:事)?"]),
  row(
    "zh",
    "set_recall",
    ["(?:关闭|關閉|关掉|關掉)(?:主动|主動)?(?:回忆|回憶)", "(?:不要|别|別)(?:再)?(?:主动|主動)?提(?:起)?(?:过去|過去|以前)(?:的事)?(?:了)?"],
    false,
  ),
  row("zh", "set_recall", ["(?:打开|打開|开启|開啟)(?:主动|主動)?(?:回忆|回憶)"], true),
  row("zh", "save_preference", ["(?:记住|記住|记得|記得)[，,]?(?<text>我(?:更)?(?:喜欢|喜歡|希望|想要|不喜欢|不喜歡|不想要?|比较喜欢).{2,})"]),
  direct("zh", ["(?:从现在起|從現在起|以后|以後)[，,]?(?<text>(?:请|請|用|回答|说话|說話).{2,})"]),
  row("zh", "forget_everything", [
    "(?:忘记|忘記|忘掉|删除|刪除|清除)(?:你)?(?:知道|记得|記得)?(?:的)?(?:关于|關於)?我的?(?:一切|所有事?|全部|所有记忆|所有記憶)",
    "(?:忘记|忘記|忘掉|删除|刪除|清除)(?:一切|所有(?:的)?(?:记忆|記憶)?|全部(?:记忆|記憶)?)",
  ]),
  row("zh", "forget_session", [
    "(?:忘记|忘記|忘掉|删除|刪除|不要(?:记住|記住|保存)|别(?:记住|保存))(?:这次|這次|这段|這段|今天的?)(?:谈话|談話|对话|對話|会话|會話|聊天)",
    "(?:忘记|忘記|忘掉)我(?:刚才|剛才|刚刚|剛剛|今天)(?:说|說)的(?:话|話|事)?",
    "(?:不要|别|別)(?:记住|記住|保存)(?:这个|這個|这些|這些)",
  ]),
  row("zh", "forget_by_index", [
    "(?:忘记|忘記|忘掉|删除|刪除|删掉|刪掉)(?<place>第?[一二两三四五六七八九\\d]{1,3})(?:个|個|条|條|项|項|号|號)?(?<kind>事实|事實|记忆|記憶|会话|會話|对话|對話|规则|規則|消息)?",
    "(?:忘记|忘記|忘掉|删除|刪除)(?<place>最后|最後)一?(?:个|個|条|條|项|項)",
  ]),
  row("zh", "forget_by_query", [
    "(?:忘记|忘記|忘掉|删除|刪除)(?:所有)?(?:我(?:说|說|讲|講|告诉你|告訴你)(?:过|過)?的?)?(?:关于|關於|有关|有關)(?<query>[^，。！？；,.!?;\\n]{1,40}?)(?:的(?:事情?|一切|所有|记忆|記憶|内容|內容|话|話))?",
  ]),
  row("zh", "forget_vague", ["(?:忘记|忘記|忘掉|忘了|删除|刪除|删掉|刪掉)(?:那个|那個|这个|這個|那|这|這|它)"]),
  row("zh", "never_recall", [
    "(?:不要|别|別)再(?:提|提起|说|說|谈|談)(?:到|起)?(?<query>[^，。！？；,.!?;\\n]{1,40}?)(?:的事)?(?:了)?",
    "(?:以后|以後)(?:不要|别|別)(?:再)?(?:提|提起)(?<query>[^，。！？；,.!?;\\n]{1,40}?)(?:的事)?(?:了)?",
  ]),
];

/** All patterns; of two that fit, the first counts. */
export const commandPatterns: readonly CommandPatterns[] = [...english, ...spanish, ...german, ...chinese];

/** What the kinds of a listing are called. Anything else that is counted is of any kind. */
export const kindWords: Readonly<Record<string, ShownKind>> = {
  ...{ fact: "fact", memory: "fact", session: "session", conversation: "session", rule: "rule", preference: "rule", message: "turn" },
  ...{
    dato: "fact",
    recuerdo: "fact",
    hecho: "fact",
    sesion: "session",
    conversacion: "session",
    regla: "rule",
    preferencia: "rule",
    mensaje: "turn",
  },
  ...{ fakt: "fact", erinnerung: "fact", sitzung: "session", gesprach: "session", regel: "rule", nachricht: "turn" },
  ...{
    事实: "fact",
    事實: "fact",
    记忆: "fact",
    記憶: "fact",
    会话: "session",
    會話: "session",
    对话: "session",
    對話: "session",
    规则: "rule",
    規則: "rule",
    消息: "turn",
  },
};
