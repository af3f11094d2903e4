/** How people say where they are, in the languages of the companion. Patterns for keys: folded words with single spaces, commas kept. */

/** How much a statement says of where somebody is now: that they are there; that they live there; that they come from there. */
export type Standing = 3 | 2 | 1;

interface Frame {
  readonly standing: Standing;
  /** Ends where the place begins. */
  readonly pattern: RegExp;
}

const now =
  "(?: (?:right now|at the moment|currently|now|still|just|actually|also|presently|here|physically|both|all|only|stuck|alone|away|back|over|temporarily))*";
const frame = (standing: Standing, ...patterns: readonly string[]): Frame => ({
  standing,
  pattern: new RegExp(
    String.raw`(?<![\p{L}\p{M}])(?:${patterns.join("|").normalize("NFC")})(?: (?:the|el|la|los|las|le|les|der|den|dem|die|das|o|a|os|as))?(?![\p{L}\p{M}]) `,
    "gu",
  ),
});

const glued = (standing: Standing, ...patterns: readonly string[]): Frame => ({ standing, pattern: new RegExp(`(?:${patterns.join("|")})`, "gu") });

/** Up to three words about a place or people, without those that lead elsewhere: `a hotel`, `my parents`. */
const few = String.raw`(?: (?!(?:with|about|of|for|to|from|and|de|que|und|avec|con|com)(?!\p{L}))\p{L}[\p{L}']*){1,3}`;

/** Frames whose place follows. Only what stands in them may stand between: `I used to live in` and `I am not in` are none of them. */
export const framesBefore: readonly Frame[] = [
  frame(
    3,
    String.raw`(?:i'm|im|i am|we're|we are)${now}(?: (?:sitting|standing|lying|hiding|staying))? (?:on|at|in|inside|under|by|near) (?:my|a|an|the|our)${few} (?:in|near)|(?:i'm|im|i am) an? \p{L}+(?: \p{L}+)? (?:in|at)|^(?:currently|now|right now) in`,
    String.raw`(?:i'm|im|i am) \d{1,2} ?(?:yo|y o|years? old)? ?(?:m|f|male|female)?(?: ,)? in|estoy en (?:mi|el|la|un|una)${few} en`,
  ),
  frame(
    3,
    String.raw`(?:i'm|im|i am|we're|we are)${now} (?:staying|visiting|studying|working|travell?ing|on (?:holiday|vacation)|at (?:home|work|university|uni|college|school|my (?:parents|mom|moms|place)(?:'s?)?)|in (?:hospital|jail|prison))${now}(?: (?:in|near|at))?`,
    String.raw`(?:i'm|im|i am|we're|we are|i'm writing|iam)${now}(?: (?:located|based|situated|writing|typing|calling|texting|messaging))?${now} (?:in|from (?=here)|at|near|around|outside(?: of)?|inside|close to)`,
    String.raw`(?:writing|calling|texting|messaging|typing)(?: (?:to you|this))? from|my (?:current )?location is|i'm currently|(?<!(?:he|she|they|my|his|her|their) [^,]{0,40})here in`,
    String.raw`(?:yo )?(?:estoy|me encuentro|ando|estamos)(?: (?:ahora|ahora mismo|actualmente|aqui|viviendo|solo|sola|mismo|de visita))* en|te escribo desde|escribo desde`,
    String.raw`(?:je suis|j'suis|nous sommes|je me trouve)(?: (?:actuellement|maintenant|en ce moment|ici|seule?|toujours))* (?:a|au|aux|en|dans|pres de)|je (?:t'|vous )?ecris (?:de|depuis)`,
    String.raw`ich (?:bin|befinde mich|sitze)(?: (?:gerade|derzeit|jetzt|momentan|zurzeit|hier|im moment|noch|allein|alleine))* (?:in|im|bei|aus(?= hier))|bin (?:gerade|derzeit|jetzt) in`,
    String.raw`(?:eu )?(?:estou|to|tou|me encontro|estamos)(?: (?:agora|atualmente|aqui|morando|neste momento|sozinho|sozinha))* (?:em|no|na|nos|nas)`,
    String.raw`(?:aku|saya|gue|gw|kami)(?: (?:sekarang|lagi|sedang|masih|saat ini|skrg))*(?: (?:berada|ada))? di`,
    String.raw`(?:انا|أنا|نحن)(?: (?:الان|الآن|حاليا|حالياً|موجود|موجودة|هنا))* (?:في|ب)`,
  ),
  frame(
    2,
    String.raw`(?:i|we|and i)${now}(?: do)?${now} (?:live|reside|stay|dwell|study|work)${now} (?:in|near|at|around|outside(?: of)?|just outside)|(?:i'm|im|i am|we're|we are)${now} (?:living|residing|settled)${now} (?:in|near|outside(?: of)?)`,
    String.raw`(?:i|we|i've|i have|we've)(?: (?:just|recently|already))* moved(?: (?:back|here))? to|(?:i've|i have) (?:been living|lived)(?: [\p{L}]+){0,4} in(?! the past)|my (?:country|city|state|hometown|home town|home|place|country of residence) is(?: in)?|living in`,
    String.raw`i${now} live(?: alone| together| with${few})+ (?:in|near)|(?:i'm|im|i am)${now} living(?: alone| with${few})+ in|and (?:i )?live in|where i live (?:, |is )?in`,
    String.raw`(?:vivo|moro) (?:con|com)${few} (?:en|em|no|na)|je vis avec${few} (?:a|en|au|aux)|(?:wohne|lebe) (?:bei|mit)${few} in`,
    String.raw`(?:yo )?(?:vivo|resido|vivimos|moro)(?: (?:ahora|actualmente|aqui|solo|sola))* en|mi (?:pais|ciudad) es`,
    String.raw`(?:j'habite|je vis|je reside|on habite|on vit|nous habitons|j'vis|mon pays(?: c')?est|mon pays est)(?: (?:actuellement|maintenant|ici|toujours|seule?))*(?: (?:a|au|aux|en|dans|pres de))?`,
    String.raw`(?:ich |wir )?(?:lebe|wohne|wohn|leben|wohnen)(?: (?:gerade|derzeit|jetzt|momentan|zurzeit|hier|allein|alleine|noch|seit \p{L}+))* (?:in|im|bei|nahe)|mein land ist`,
    String.raw`(?:eu )?(?:moro|vivo|resido|moramos)(?: (?:agora|atualmente|aqui|sozinho|sozinha))* (?:em|no|na|nos|nas)|meu pais e`,
    String.raw`(?:(?:aku|saya|gue|gw|kami)(?: (?:sekarang|lagi|sedang|masih|saat ini))* |^)(?:tinggal|menetap|ngekos|kos|kuliah|kerja)(?: sekarang)? di|negara (?:saya|ku) (?:adalah )?`,
    String.raw`(?:(?:انا|أنا) )?(?:اعيش|أعيش|اسكن|أسكن|اقيم|أقيم|ساكن|ساكنة|عايش|عايشة|مقيم|مقيمة|نعيش)(?: (?:الان|الآن|حاليا|حالياً|هنا))*(?: في)?|(?:بلدي|دولتي) (?:هي|هو)`,
  ),
  frame(
    1,
    String.raw`(?:i'm|im|i am|we're|we are|i come|we come)${now}(?: originally| \d{1,2} ?(?:yo|y o)? ?(?:m|f)?(?: ,)?)? from|(?:yo )?(?:soy|vengo|somos) de|je (?:viens|suis) (?:de|du|des)|ich (?:komme|bin|stamme) aus|(?:eu )?(?:sou|venho) (?:de|do|da|dos|das)|(?:aku|saya|gue|gw|kami)(?: (?:(?:asal|berasal|orang) )?(?:dari|asli)| orang)|(?:انا|أنا) من`,
    String.raw`(?:^|^(?:hi|hello|hey|hallo|hola|bonjour|salut|oi|ola|greetings|halo|hai)(?: ,)? (?:there )?)(?:\d{1,2} ?(?:yo|y o|years? old)? ?(?:m|f|male|female|man|woman|guy|girl)? )?(?:from|aus|desde|dari)`,
  ),
  glued(3, "我(?:们)?(?:现在|目前|人|正|就|一个人|还|也|此刻)*(?:在|位于|身处)"),
  glued(2, "我(?:们)?(?:现在|目前|一直|就|还|也)*(?:住在|居住在|生活在|住)|我的国家是"),
  glued(1, "我(?:们)?(?:是|来自|从)"),
];

/** Frames whose place stands before: `मैं दिल्ली में रहता हूँ`. The person of the verb tells that it is the writer's own. */
export const framesAfter: readonly Frame[] = [
  { standing: 3, pattern: new RegExp(" में (?:ही )?(?:हूँ|हूं|हु)(?![\\p{L}\\p{M}])".normalize("NFC"), "gu") },
  { standing: 2, pattern: new RegExp(" में (?:ही |अकेला |अकेली )?(?:रहता|रहती|रह रहा|रह रही) (?:हूँ|हूं)| में (?:रहते|रह रहे) हैं हम".normalize("NFC"), "gu") },
  { standing: 1, pattern: new RegExp(" (?:से|का|की) (?:हूँ|हूं|रहने वाला हूँ|रहने वाली हूँ)(?![\\p{L}\\p{M}])".normalize("NFC"), "gu") },
  { standing: 3, pattern: / (?:me|mein|main|mai|mei)(?: hi)? (?:hu|hun|hoon|hoo)(?!\p{L})/gu },
  {
    standing: 2,
    pattern:
      / (?:me|mein|main|mai|mei)(?: hi| akela| akeli)? (?:rehta|rehti|rahta|rahti|raheta|rah raha|rah rahi|reh raha|reh rahi) (?:hu|hun|hoon|hoo)(?!\p{L})/gu,
  },
  { standing: 1, pattern: / se (?:hu|hun|hoon|hoo)(?!\p{L})/gu },
];

/** Before a frame: what follows is no statement of the writer's own. */
export const notStated =
  /(?<![\p{L}\p{M}])(?:if|when|kakak|adik|ibu|ayah|teman|pacar|saudara|mama|papa|suami|istri|anak|keluarga|sahabat|wish|imagine|pretend|pretending|suppose|supposing|say|saying|says|said|act as if|as if|as though|like|told|tells|tell|thinks?|thought|believes?|claims?|assume|assumes|lie|lied|dreamed|dreamt|dream|roleplay|hypothetically|let's say|until|before|while|whether|unless|no|nunca|ojala|si|cuando|imagina|dice|dijo|jamais|quand|imagine que|dit|wenn|falls|als ob|stell dir vor|sagt|sagte|nao|quando|se eu|finge|disse|diz|kalau|jika|seandainya|bilang|waktu|tidak|لو|إذا|اذا|لا|لست|ما|عندما|تخيل|قال|قالت|अगर|जब|मान लो|सोचो|agar|jab|maan lo|如果|假如|要是|假装|以前|曾经)(?: \p{L}+){0,2} ?$/u;

/** Between a frame and its place. */
export const approach =
  /^(?:(?:the|a|an|my|our|el|la|los|las|le|les|une?|der|die|das|den|dem|ein|einer|einem|o|os|as|uma?|kota|negara|provinsi|مدينة|دولة|rural|small|tiny|big|large|beautiful|sunny|good old|old|downtown|central|upstate|mainland|greater|inner|outer|east|west|north|south|eastern|western|northern|southern|northeast|northwest|southeast|southwest|northeastern|northwestern|southeastern|southwestern|ost|nord|sud|norte|sur|sul|norden|suden|osten|westen|town|city|village|suburb|suburbs|part|parts|place|called|state|province|country|republic|middle|center|centre|heart|outskirts|area|region|countryside|capital|pueblo|ciudad|ville|village|dorf|stadt|kleinstadt|nahe|cidade|vila|near|outside|of|in|de|du|des|von|do|da|dos|em|en|bei|no|na|nos|nas)(?: ,)? ){1,6}/u;

/** What follows a name that is no place then. */
export const noPlaceThen =
  /^ (?:class|town|lesson|lessons|course|exam|homework|street|st|road|rd|avenue|ave|square|restaurant|sandwich|sandwiches|cup|cups|shop|store|history|study|studies|literature|bowl|airlines|airport security|dynasty|language|unterricht|strasse|club|cafe|bar|hotel|today group|team|major|department)(?!\p{L})/u;

/** The writer would rather not say where they are. */
export const refusals = new RegExp(
  [
    String.raw`(?:i (?:won't|will not|don't want to|do not want to|dont want to|refuse to|would rather not|'d rather not|am not going to|can't|cannot|prefer not to)|i'd (?:rather|prefer) not|(?:i'm|im|i am) not (?:going to|gonna|telling|saying|comfortable)|rather not|prefer not to|not going to|not telling you|no i won't)(?: \p{L}+){0,3} ?(?:say|tell|telling|share|sharing|give|giving|reveal|disclose|saying)?(?: \p{L}+){0,3} (?:where(?: i| we)?|my (?:location|country|address|city|place|region)|what country|which country|location)`,
    String.raw`(?:stop|don't|do not|quit) ask(?:ing)?(?: me)? (?:where|for my (?:location|country)|about my (?:location|country))|my location is (?:private|none of your business|my business|secret)|none of your business where|where i (?:am|live) is (?:private|none of your|my (?:own )?business|not your)|why do you need to know where`,
    String.raw`(?:no (?:quiero|voy a|pienso|puedo)|prefiero no)(?: \p{L}+){0,3} (?:donde|mi (?:ubicacion|pais|ciudad)|de donde)|(?:je ne (?:veux|vais|peux|dirai|souhaite)|je prefere ne|je veux)(?: \p{L}+){0,4} (?:ou (?:je|j')|mon (?:pays|adresse|lieu)|ma (?:ville|localisation|position))`,
    String.raw`(?:ich (?:will|mochte|werde|sage|verrate|moechte)|will)(?: \p{L}+){0,3} nicht(?: \p{L}+){0,3} (?:wo ich|woher|meinen (?:ort|standort|wohnort)|mein land|sagen wo|verraten wo)|(?:ich )?(?:sage|verrate)(?: \p{L}+){0,3} (?:nicht|nichts)(?: \p{L}+){0,2} ,? ?wo|wo ich (?:bin|wohne|lebe) ?,? (?:sage|verrate|geht) (?:ich )?`,
    String.raw`(?:nao (?:quero|vou|posso)|prefiro nao)(?: \p{L}+){0,3} (?:onde|minha (?:localizacao|cidade)|meu (?:pais|endereco)|de onde)|(?:aku|saya|gue|gw)? ?(?:tidak|nggak|ngga|gak|ga|tak|enggak) (?:mau|ingin|akan|bisa|mo)(?: \p{L}+){0,3} (?:di ?mana|lokasi|negara|dari mana|tempat tinggal)`,
    String.raw`(?:main|mai|mein)? ?(?:nahi|nahin) (?:bataunga|bataungi|batana|bata sakta|bata sakti|batauga)(?: \p{L}+){0,4} (?:kahan|kaha|location)|(?:kahan|kaha|location)(?: \p{L}+){0,5} (?:nahi|nahin) (?:bataunga|bataungi|batana|bata)`,
    "(?:कहाँ|कहां|जगह|लोकेशन|देश)(?: [\\p{L}\\p{M}]+){0,5} (?:नहीं बता|बताना नहीं|नहीं बताऊँ)|नहीं (?:बताऊँगा|बताऊंगा|बताऊँगी|बताऊंगी|बताना)(?: [\\p{L}\\p{M}]+){0,4} (?:कहाँ|कहां)",
    "(?:لن|لا (?:أريد|اريد|أود|أحب)|أفضل (?:عدم|ألا|أن لا)|افضل عدم)(?: \\p{L}+){0,3} (?:[أا]ين|مكاني|موقعي|بلدي|مكان)",
    "(?:不想|不会|不愿|不要|不能|不方便|不)(?:意)?(?:告诉|说|透露|讲)(?:你|您|出)?(?:我)?(?:现在|人)?(?:在|住|来自)?(?:哪|什么地方|位置|国家|地址|所在)|(?:位置|地址|在哪里?|住哪里?|国家)(?:我)?(?:不想|不会|不方便|不愿意)(?:说|告诉|透露)",
  ]
    .join("|")
    .normalize("NFC"),
  "u",
);

/** An answer to the question where somebody is that gives none. */
export const refusedWhenAsked =
  /^(?:no|nope|nah|no thanks|no thank you|i'd rather not(?: say| tell| answer)?|i would rather not(?: say| tell)?|(?:i )?prefer not(?: to(?: say| tell| answer)?)?|rather not(?: say)?|none of your business|not telling(?: you)?|i won't (?:say|tell)(?: you)?|i don't want to (?:say|tell|share)(?: (?:you|that|it))?|private|that's private|prefiero no decirlo|prefiero no decir|no quiero decirlo|je prefere ne pas (?:le )?dire|je ne veux pas (?:le )?dire|mochte ich nicht sagen|das mochte ich nicht sagen|sage ich nicht|lieber nicht|will ich nicht sagen|prefiro nao dizer|nao quero dizer|(?:aku |saya )?(?:tidak|nggak|gak|ga) mau (?:bilang|kasih tahu|jawab|ngasih tau)|nahi bataunga|nahi bataungi|नहीं बताना|नहीं बताऊँगा|नहीं बताऊंगी|لا اريد القول|لا أريد القول|أفضل عدم القول|لن أقول|لن اقول|لا أريد أن أقول|不想说|不告诉你|不说|不方便说|我不想说)$/u;

/** What may stand around a bare answer. */
export const aroundAnswer =
  /(?<![\p{L}\p{M}])(?:in|from|the|at|near|it's|its|i'm|im|i am|i'm in|country|city|currently|now|right now|uh|um|well|ok|okay|yes|yeah|please|here|sure|or|maybe|and|en|de|desde|du|au|aux|aus|der|den|em|no|na|nos|do|da|di|dari|في|من|में|से|mein|me|se|hi|hai|है|我在|在|来自|我|a|la|el|le|les|los|las)(?![\p{L}\p{M}])/gu;
