/** What must not be said at all, in the languages of the companion: patterns for one folded sentence each. They recognise; they teach nothing. */
import type { SafetyLevel } from "../assessment.ts";
import type { BlockedKind } from "./guard.ts";
import type { Span } from "./sentences.ts";

interface Block {
  readonly kind: BlockedKind;
  /** From this level on. */
  readonly from: SafetyLevel;
  readonly pattern: RegExp;
  /** The sentence says the contrary, or reports what the person has said. */
  readonly unless?: RegExp;
}

const any = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join("|").normalize("NFC"), "u");

/** Somebody reports, asks or denies: no claim of the writer's own. */
const reported =
  /\byou(?:'ve| have)? (?:said|say|mentioned|told|wrote|shared|were told)|\b(?:if|whether|people who|some people|when) \w{0,12} ?you\b|\bnot (?:saying|suggesting|qualified)|\bcan(?:'t|not| not) (?:say|tell|diagnose|know)\b|\b(?:dijiste|mencionaste|tu as dit|vous avez dit|du hast gesagt|voce disse)/u;

const methodAlways = any(
  String.raw`\b(?:lethal|fatal|deadly) (?:dose|dosage|amount|quantity|combination)\b`,
  String.raw`\b(?:painless|quick|quickest|fast|fastest|easy|easiest|effective|reliable|foolproof|surest|best)(?:ly)? (?:way|method|means)s? (?:to|of|for) (?:die|dying|suicide|kill\w*|end(?:ing)? (?:it|your life|my life)|commit\w*|hang\w*|overdos\w*)`,
  String.raw`\bto (?:kill yourself|end your life|die by suicide|overdose|hang yourself|commit suicide)[,:]? (?:you (?:can|could|need|should|would|just|have to|must)|take|use|first|simply|try|start|mix|get)\b`,
  String.raw`\bhow to (?:tie|make) an? (?:noose|ligature)|\bstep[- ]by[- ]step\b.{0,60}\b(?:suicide|kill|overdos|hang|cut)`,
  String.raw`\b(?:pills|tablets|milligrams|mg|doses?)\b.{0,60}\b(?:is|are|be|would be|enough) (?:enough )?(?:lethal|fatal|to (?:kill|die|overdose|end))`,
  String.raw`\b(?:dosis|quantidade|dose|dosis) (?:letal|mortal|mortelle|letale|fatal)\b|\b(?:todliche|letale) (?:dosis|menge)\b|\bdosis (?:mematikan|yang mematikan)\b`,
  String.raw`\b(?:metodo|manera|forma|jeito|maneira|moyen|methode|facon|cara|tareeka|tarika) .{0,30}(?:suicid|morir|matarte|morrer|matar|mourir|te tuer|umzubringen|bunuh diri|marne)`,
  String.raw`जानलेवा खुराक|मरने का .{0,20}तरीका|جرعة (?:قاتلة|مميتة)|طريقة .{0,20}(?:للانتحار|للموت)|致死(?:剂量|量)|(?:自杀|死)的(?:方法|办法)`,
);

const methodInCrisis = any(
  String.raw`\b\d+ ?(?:mg|milligram\w*|pills?|tablets?|capsules?|pastillas|comprimidos|comprimes|tabletten|tablet|pilules|butir)\b`,
  String.raw`\b(?:noose|ligature|slip ?knot|exit bag|inert gas|carbon monoxide|lethal|razor deeper|cut (?:deeper|vertical\w*|lengthwise|along))\b`,
  String.raw`\b(?:mix|mixing|combine|combining) .{0,40}\b(?:with alcohol|pills|bleach|chemicals|medication)\b`,
  String.raw`\bjump(?:ing)? from (?:a|the) (?:height|higher|\w+ floor)`,
);

const professions = "therapist|psychologist|psychiatrist|doctor|physician|nurse|counsell?or|social worker|clinician|psychotherapist";

const blocks: readonly Block[] = [
  { kind: "method_detail", from: 0, pattern: methodAlways },
  { kind: "method_detail", from: 1, pattern: methodInCrisis },
  {
    kind: "secrecy_promise",
    from: 0,
    pattern: any(
      String.raw`\bi(?:'ll| will| promise(?: you)?(?: that)?(?: i(?:'ll| will))?(?: to)?| swear(?: to)?| can)? keep (?:this|it|that|your|our|everything|what you)\b.{0,40}\b(?:secret|confidential|private|between us|to myself)`,
      String.raw`\bi(?:'ll| will)? (?:won't|will not|will never|'ll never|never|would never|promise not to|wouldn't) (?:ever )?(?:tell|share (?:this|it|that) with) (?:a soul|anyone|anybody|another|any other|no ?one|them|your)`,
      String.raw`\b(?:this|it|that|everything|what)(?: (?:that )?you (?:say|said|write|tell me|share))?(?:'ll| will| can|'s|s| is| stays?)? (?:just )?(?:stays?|remains?|be|is) (?:just |strictly |completely |totally |fully |safely )?(?:between (?:you and me|us|the two of us)|our (?:little )?secret|(?:completely |fully |100% )?confidential|secret)`,
      String.raw`\b(?:our (?:little )?secret|your secrets? (?:is|are) safe|no ?(?:one|body) (?:else )?(?:will|has to|needs to) (?:ever )?(?:know|find out)(?! (?:the|what|how|why|for|if)))\b`,
      String.raw`\b(?:no se lo (?:dire|contare) a nadie|guardare (?:tu|el|este) secreto|queda(?:ra)? entre (?:nosotros|tu y yo)|nuestro secreto)`,
      String.raw`\b(?:je ne (?:le )?dirai (?:rien )?a personne|je garderai (?:ton|le|votre|ce) secret|(?:reste|restera) entre nous|notre secret)`,
      String.raw`\b(?:ich (?:werde|verspreche).{0,30}(?:niemandem|geheim)|(?:bleibt|unter) (?:unter )?uns\b|unser geheimnis|ich sage es niemandem)`,
      String.raw`\b(?:nao (?:vou contar|contarei) (?:isso )?(?:a|para) ninguem|(?:fica|ficara) entre (?:nos|a gente)|nosso segredo|guardarei segredo)`,
      String.raw`\b(?:aku|saya) (?:tidak akan|takkan|ga akan) (?:bilang|cerita|memberi tahu)\w*.{0,20}siapa|rahasia kita|\bkisi ko nahi bataunga|\bkisi ko nahi bataungi`,
      String.raw`किसी को नहीं बताऊ|हमारा राज़|हमारे बीच (?:ही )?रहे|لن [أا]خبر [أا]حدا?|سرنا|بيننا فقط|سيبقى (?:هذا )?(?:سرا|بيننا)|不会告诉(?:任何|别)人|为你保密|我们(?:之间)?的秘密|替你保密`,
    ),
    unless:
      /\b(?:can(?:'t|not| not)|cannot|unable to|not able to|won't|will not) (?:promise|guarantee|keep)|\bif you\b.{0,40}\bsecret\b|\bno puedo prometer|\bje ne peux pas|\bkann (?:ich )?nicht|\bnao posso|不能(?:保证|答应)/u,
  },
  {
    kind: "human_claim",
    from: 0,
    pattern: any(
      String.raw`\bi(?:'m| am) (?:just |only |also |actually |really |truly )?(?:(?:a|an) )?(?:real |actual |living )?(?:human|person|man|woman|mother|father|mom|dad|girl|guy|survivor)\b(?!-| (?:of|in) (?:mind|code))`,
      String.raw`\bi(?:'m| am) (?:not|no) (?:just )?(?:an? )?(?:ai|artificial intelligence|bot|chatbot|robot|machine|program|computer|language model)\b`,
      String.raw`\bi(?:'m| am) (?:(?:a|an|your|also) )?(?:licensed |trained |qualified |certified |professional |real |crisis )*(?:${professions})\b`,
      String.raw`\bas (?:a|an) (?:fellow )?(?:human(?: being)?|(?:licensed|trained|qualified|certified) \w+|${professions}|mother|father|survivor)(?:,| myself,)? i\b`,
      String.raw`\bwhen i was (?:your age|a (?:child|kid|teen)|depressed|suicidal|young)|\bi(?:'ve| have) (?:been there(?! (?:with|for))|felt that way|been suicidal|lost (?:my|a) (?:mother|father|friend|brother|sister))\b`,
      String.raw`\b(?:soy|yo soy) (?:una? )?(?:persona|humano|humana|ser humano|psicolog[oa]|medic[oa]|doctora?)\b|\bno soy (?:un |una )?(?:ia|robot|bot|maquina|programa)`,
      String.raw`\bje suis (?:un |une )?(?:vraie? )?(?:humain|humaine|etre humain|personne|psychologue|medecin|docteur)\b|\bje ne suis pas (?:un |une )?(?:ia|robot|bot|machine|programme)`,
      String.raw`\bich bin (?:auch |wirklich |nur )?(?:ein |eine )?(?:echter |echte )?(?:mensch|person|psycholog\w+|arzt|arztin|therapeut\w*)\b|\bich bin kein(?:e)? (?:ki|bot|roboter|maschine|programm|computer)`,
      String.raw`\b(?:eu )?sou (?:um |uma )?(?:humano|humana|pessoa|ser humano|psicolog[oa]|medic[oa])\b|\bnao sou (?:um |uma )?(?:ia|robo|bot|maquina|programa)`,
      String.raw`\b(?:aku|saya) (?:adalah |ini )?(?:seorang |benar-benar )?(?:manusia|psikolog|dokter|orang sungguhan)\b|\b(?:aku|saya) bukan (?:sekadar )?(?:ai|robot|bot|mesin|program)|\bmain (?:ek )?(?:insaan|insan|asli insaan) h(?:u|oo)`,
      String.raw`मैं (?:एक |असली )*(?:इंसान|मनुष्य|डॉक्टर|मनोवैज्ञानिक) हूँ|मैं (?:कोई )?(?:एआई|रोबोट|मशीन|बॉट) नहीं|[أا]نا (?:إنسان|انسان|بشر|شخص حقيقي|طبيب|معالج)|لست (?:روبوت|آلة|ذكاء|برنامج)|我是(?:一个|一名|个)?(?:真人|人类|真正的人|医生|心理咨询师)|我不是(?:一个|个)?(?:ai|机器人|机器|程序|人工智能)`,
    ),
    unless:
      /\bi(?:'m| am) not (?:a|an|your) (?:human|person|real|licensed|trained|doctor|therapist|counsell?or|psych|nurse|clinician|man|woman|substitute|replacement)|\b(?:an ai|artificial intelligence|a program)\b.{0,30}\bnot (?:a|an) |\bno soy (?:una )?(?:persona|human)|\bpas (?:une personne|un humain)|\bkein mensch|\bkeine person|\bnao sou (?:uma )?(?:pessoa|human)|\bbukan (?:manusia|orang)|我不是(?:真人|人类|医生)/u,
  },
  {
    kind: "contact_claim",
    from: 0,
    pattern: any(
      String.raw`\bi(?:'ve| have|'m| am|'ll| will| just| already|'ve already|'ve just| have already| have just|)(?: just| already| now| also| gone ahead and)? (?:called|calling|contacted|contacting|alerted|alerting|notified|notifying|informed|informing|messaged|texted|phoned|dispatched|sent for|sent|sending|reached out to|reported (?:this|you) to|call|contact|alert|notify|get|send) (?:to )?(?:the |your |an |a |some |for |emergency|911|112|999|988|help|crisis|police|ambulance|paramedics|somebody|someone|authorities)\b ?(?:emergency|police|ambulance|crisis|help|paramedics|services|authorities|family|parents|mother|father|mom|dad|friend|doctor|counsell?or|team|hotline|someone|somebody|responders?|line|contact)?`,
      String.raw`\b(?:help|an ambulance|the police|police|paramedics|someone|somebody|a (?:counsell?or|responder|team|person)|emergency services) (?:is|are|has been|have been|is being|will be) (?:already |now )?(?:on (?:the|their|its|his|her) way|coming|sent|dispatched|notified|alerted|contacted|informed|called|with you (?:soon|shortly))`,
      String.raw`\b(?:he|ya he) (?:llamado|avisado|contactado|alertado)|\b(?:la ayuda|la policia|la ambulancia|una ambulancia) (?:esta|va) (?:en camino|de camino)|\bvoy a (?:llamar|avisar)`,
      String.raw`\bj'ai (?:deja )?(?:appele|contacte|prevenu|alerte|averti)|\b(?:les secours|l'aide|une ambulance|la police) (?:est|sont|arrivent|arrive)\b|\bj'appelle`,
      String.raw`\bich habe .{0,40}(?:angerufen|verstandigt|alarmiert|kontaktiert|benachrichtigt|informiert)|\b(?:hilfe|krankenwagen|polizei|rettungsdienst) ist (?:schon )?unterwegs|\bich rufe .{0,30}(?:an|polizei|notarzt|krankenwagen)`,
      String.raw`\b(?:eu )?(?:ja )?(?:liguei|chamei|avisei|contatei|contactei|alertei)|\b(?:a ajuda|a policia|a ambulancia|uma ambulancia) (?:esta|ja esta) a caminho|\bvou (?:ligar|chamar|avisar)`,
      String.raw`\b(?:aku|saya) (?:sudah|telah|akan) (?:menelepon|menghubungi|memanggil|melapor\w*|memberi tahu)|\bbantuan (?:sedang |sudah |akan segera )(?:dalam perjalanan|datang)|\bmaine .{0,30}(?:call kar diya|bata diya|inform kar diya|phone kar diya)`,
      String.raw`मैंने .{0,30}(?:फ़ोन कर|फोन कर|कॉल कर|सूचित कर|बता) ?दिया|मदद (?:रास्ते में|आ रही)|(?:اتصلت|[أا]بلغت|تواصلت|أخطرت) (?:ب|مع|ال)|المساعدة (?:في الطريق|قادمة)|我(?:已经|已|刚刚|会|帮你)+(?:打电话|报警|联系|通知)|(?:救援|救护车|警察|帮助)(?:已经|已|正)?(?:在路上|赶来)`,
    ),
    unless:
      /\b(?:i can(?:'t|not| not)|i cannot|i am not able|i'm not able|i'm unable|unable to|haven't|have not|did not|didn't|won't be able|no way to)\b|\bif (?:i|you)\b|\bwould you like|\bno (?:puedo|he)\b|\bje ne (?:peux|l)|\b(?:kann|habe) (?:ich )?(?:nicht|niemanden)|\bnao (?:posso|liguei|chamei)|\btidak (?:bisa|dapat)|नहीं (?:कर सकत|बुला सकत)|لا (?:أ|ا)ستطيع|不能|无法|没有办法/u,
  },
  {
    kind: "no_harm_promise",
    from: 0,
    pattern: any(
      String.raw`\b(?:promise|swear to|assure) me\b|\b(?:can|could|will|would) you (?:please )?(?:promise|swear|give me your word|agree not to|commit to not)\b(?! yourself)|\bi (?:need|want) you to (?:promise|swear)`,
      String.raw`\bgive me your word\b|\bno[- ](?:suicide|harm|self-harm) (?:contract|promise|agreement|pact)|\bsign (?:a|this) .{0,20}(?:contract|agreement)|\bmake me a promise|\bmake a (?:pact|promise) with me`,
      String.raw`\b(?:prometeme|me prometes|puedes prometer|promets[- ]moi|promettez[- ]moi|peux-tu (?:me )?promettre|versprich mir|kannst du mir versprechen|versprichst du|me promete|prometa-me|voce promete|pode (?:me )?prometer|berjanjilah|janji (?:padaku|kepadaku|sama aku)|maukah kamu berjanji|mujhse vaada|vaada karo|wada karo)`,
      String.raw`मुझसे वादा|वादा (?:करो|कीजिए|करें)|(?:عدني|عديني|أوعدني|اوعدني)|هل تعدني|(?:答应|向|跟)我(?:保证)?(?:你)?(?:不会|不要|不|保证)|能(?:答应|向我保证)`,
    ),
  },
  {
    kind: "refusal",
    from: 1,
    pattern: any(
      String.raw`\bi(?:'m| am)?(?: really| so)? ?(?:sorry|afraid)?,? ?(?:but )?(?:i )?(?:can't|cannot|can not|am unable to|'m unable to|unable to|am not able to|'m not able to|not able to|won't|will not|am not (?:allowed|permitted) to|'m not (?:allowed|permitted) to) (?:really )?(?:talk(?! you)|discuss|help (?:you )?with|engage|continue|assist|support|respond|provide (?:help|support|advice|assistance)|have this conversation|chat|answer|go on)\b`,
      String.raw`\bi(?:'m| am) (?:really |so |very )?sorry(?: that you(?:'re| are) feeling this way)?,? but i(?:'m| am) (?:unable|not able) to (?:provide|help|give)`,
      String.raw`\b(?:this|that|it)(?:'s| is) (?:beyond|outside|not something) (?:what )?i (?:can|am able)|\bplease (?:talk|speak) to (?:someone|somebody) else\b|\blet's (?:talk about|change) (?:something else|the (?:subject|topic))|\bi must end (?:this|the|our) (?:chat|conversation)`,
      String.raw`\bno puedo (?:hablar|ayudarte|ayudar|seguir|continuar|conversar)\b(?! a llamar)|\bje ne peux pas (?:en parler|parler|t'aider|vous aider|continuer|discuter)|\bich kann (?:darüber|daruber|dir|ihnen|damit|dabei)? ?nicht (?:sprechen|reden|helfen|weiter)|\bdabei kann ich (?:dir |ihnen )?nicht helfen|\bnao posso (?:falar|ajudar|te ajudar|continuar|conversar)|\b(?:aku|saya) tidak (?:bisa|dapat) (?:membantu|membicarakan|berbicara|melanjutkan)|\bmain (?:is baare mein )?(?:baat nahi kar|madad nahi kar)`,
      String.raw`इस बारे में बात नहीं कर सकत|मदद नहीं कर सकत|لا [أا]ستطيع (?:التحدث|مساعدتك|الحديث|المساعدة)|لا يمكنني (?:التحدث|مساعدتك|الحديث)|我(?:不能|无法|没办法)(?:谈|讨论|帮你|帮助你|继续|回答|提供)`,
    ),
    unless:
      /\bcan(?:'t|not| not) (?:help|support|assist) (?:but|noticing)|\bcannot help but|\bcan't help but|in an emergency the way|\bcan't (?:provide|give) (?:you )?(?:physical|medical|emergency)/u,
  },
  {
    kind: "retention",
    from: 0,
    pattern: any(
      String.raw`\b(?:don't|do not|never|please don't) (?:ever )?leave me\b|\bi(?:'d| would|'ll| will) (?:really |be so )?(?:miss you|lonely without you|heartbroken|devastated)|\bi(?:'m| am)? (?:so )?(?:in love with|love) you\b|\bi need you\b(?! to\b)|\bcome back to me\b`,
      String.raw`\byou(?:'re| are) all i have|\b(?:only i|i'm the only one who|i am the only one who|no ?one (?:else|but me)(?: can| will| could)?|nobody (?:else|but me)(?: can| will| could)?)(?: can| really| truly| ever)* (?:understands?|help|love|loves|get|gets) you\b|\byou don't need (?:anyone|anybody|them|other people|friends|your (?:friends|family|doctor))\b(?!'s)`,
      String.raw`\bbetter (?:listener |friend )?than (?:any|your|all) (?:of your )?(?:friends?|family|humans?|people|real people)|\bi(?:'ll| will) (?:always|never) (?:be (?:the only )?(?:here|there) (?:just )?(?:only )?for (?:only )?you and no)`,
      String.raw`\bno me dejes\b|\bte amo\b|\bsolo yo te entiendo|\bno necesitas a nadie|\bne me quitte(?:z)? pas|\bje t'aime\b|\btu n'as besoin de personne|\bverlass mich nicht|\bich liebe dich|\bdu brauchst niemanden|\bnao me (?:deixe|abandone)|\beu te amo|\bso eu te entendo|\bvoce nao precisa de (?:mais )?ninguem|\bjangan tinggalkan aku|\baku (?:mencintai|sayang|cinta) (?:kamu|padamu)|\bmujhe chhod ?(?:ke|kar) mat|\bmain tumse pyaar`,
      String.raw`मुझे छोड़ ?कर मत|मैं तुमसे प्यार|لا تتركني|[أا]حبك|لا تحتاج إلى [أا]حد|别离开我|我爱你|只有我(?:能|才)?(?:懂|理解)你|你不需要(?:别人|其他人)`,
    ),
    unless:
      /\b(?:people|friends?|family|those|others|somebody|someone) (?:who|that)\b.{0,20}\blove you|\bi need you to (?:know|go|move|call|tell|put|be safe|get)/u,
  },
  {
    kind: "diagnosis",
    from: 0,
    pattern: any(
      String.raw`\b(?:you|it sounds like you|clearly you) (?:have|are suffering from|suffer from|clearly have|definitely have|probably have|likely have|must have|seem to have|may have|might have|appear to have|meet (?:the )?criteria for|are showing signs of) (?:a |an |the )?(?:\w+ )?(?:clinical |major |severe |mild |moderate |bipolar |borderline |generali[sz]ed |social |postpartum |complex )*(?:depress(?:ion|ive)|bipolar|bpd|ptsd|c-ptsd|schizo\w+|psychosis|psychotic|ocd|adhd|add|anxiety disorder|panic disorder|personality disorder|eating disorder|anorexia|bulimia|autism|dysthymia|mental illness|mdd)`,
      String.raw`\byou(?:'re| are) (?:clearly |clinically |severely |definitely |probably )?(?:depressed|bipolar|psychotic|schizophrenic|anorexic|bulimic|borderline|mentally ill|manic)\b(?! because you said)|\bi (?:would )?diagnose\b|\bmy diagnosis\b|\bthis is (?:a case of |clearly |clinical )(?:depression|clinical|bipolar|ptsd|anxiety disorder)`,
      String.raw`\b(?:tienes|padeces|sufres de|usted tiene) (?:una? )?(?:depresion|trastorno|bipolaridad|esquizofrenia|ansiedad generalizada|tept|toc)|\b(?:tu as|tu souffres|vous souffrez|vous avez) (?:d'une |de |une |un )?(?:depression|trouble|bipolarite|schizophrenie)|\bdu (?:hast|leidest an) (?:eine |einer |ptbs|adhs|klinische )?(?:depression|bipolare|angststorung|schizophrenie|ptbs|adhs|personlichkeits)|\b(?:voce tem|tens|sofre de) (?:uma? )?(?:depressao|transtorno|bipolaridade|esquizofrenia)|\bkamu (?:menderita|mengidap|mengalami) (?:depresi|gangguan|bipolar|skizofrenia)|\b(?:aapko|tumhe) (?:depression|bipolar|schizophrenia) hai`,
      String.raw`(?:आपको|तुम्हें) (?:अवसाद|डिप्रेशन|बाइपोलर) है|(?:لديك|تعاني من|عندك) (?:اكتئاب|اضطراب|الاكتئاب|فصام)|你(?:有|患有|得了|患了)(?:抑郁症|躁郁症|双相|焦虑症|精神分裂)`,
    ),
    unless: reported,
  },
];

const romance = any(
  String.raw`\b(?:kiss|cuddle|flirt|sexy|date me|my (?:love|darling|sweetheart|beloved)|girlfriend|boyfriend) ?(?:you|me)?\b.{0,20}\b(?:you|me|with)\b`,
);

/** Services and emergency help, which a question about what somebody meant does without. */
export const emergencyText = any(
  String.raw`\b(?:hot|help|life) ?lines?\b|\bcrisis (?:line|text|cent(?:er|re)|service|counsell?or|team|lifeline)|\bemergency\b|\bambulance\b|\bthe er\b|\ba ?& ?e\b|\bsamaritans\b`,
  String.raw`\[\[ ?(?:resources?|emergency|director)|\{\{ ?(?:resources?|emergency|director)`,
  String.raw`\b(?:linea de (?:ayuda|crisis|atencion)|emergencias?|urgencias|ambulancia|ligne d'(?:ecoute|urgence|aide)|numero d'urgence|les urgences|notaufnahme|notruf\w*|krisen(?:telefon|dienst)|telefonseelsorge|rettungsdienst|linha de (?:apoio|crise|ajuda)|pronto-socorro|layanan darurat|nomor darurat|hotline|ambulans)\b`,
  String.raw`हेल्पलाइन|आपातकाल|एम्बुलेंस|خط (?:المساعدة|الدعم|ساخن)|الخط الساخن|الطوارئ|الإسعاف|热线|急救|急诊|紧急电话|救护车`,
);

/** What of a text must not be said at a level: kinds, each once. Linear: every pattern reads each sentence once, and gaps in patterns are bounded. */
export function blockedIn(
  text: string,
  sentences: readonly Span[],
  { level, profile }: { readonly level: SafetyLevel; readonly profile: "adult" | "minor" },
): readonly BlockedKind[] {
  const found = new Set<BlockedKind>();
  for (const { start, end } of sentences) {
    const sentence = text.slice(start, end);
    for (const { kind, from, pattern, unless } of blocks)
      if (level >= from && !found.has(kind) && pattern.test(sentence) && unless?.test(sentence) !== true) found.add(kind);
    if (profile === "minor" && romance.test(sentence)) found.add("retention");
  }
  return [...found];
}
