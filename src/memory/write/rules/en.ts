/** Phrases of English, written by us. */
import { english } from "../../text/locales/en.ts";
import type { FactPhrase, RuleLanguage } from "./phrase.ts";

const kin =
  "(?:(?:best |old |close |good |little |big |older |younger |twin |half-|step-?|grand-?)?(?:sister|brother|mother|mom|mum|father|dad|son|daughter|child|aunt|uncle|cousin|niece|nephew|grandma|grandpa|mother|father|parents|kid|baby|friend|roommate|flatmate|neighbou?r|boss|manager|colleague|coworker|co-worker|therapist|teacher|mentor|coach|doctor|ex)(?:-in-law)?)";
const partner = "(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|spouse)";
const animal = "(?:dog|cat|puppy|kitten|horse|rabbit|hamster|parrot|guinea pig|bird|turtle|tortoise|snake|lizard|ferret|pony)";
const occupations =
  "(?:nurse|teacher|doctor|engineer|programmer|developer|lawyer|artist|writer|student|musician|designer|accountant|electrician|plumber|carpenter|chef|cook|waiter|waitress|baker|barista|farmer|gardener|pilot|driver|firefighter|police officer|paramedic|soldier|scientist|researcher|professor|journalist|editor|photographer|translator|librarian|pharmacist|dentist|vet|veterinarian|therapist|psychologist|social worker|architect|manager|consultant|analyst|salesperson|cashier|receptionist|secretary|cleaner|mechanic|hairdresser|actor|actress|singer|dancer|midwife|caregiver|carer)";
const i = "(?:i am|i'm|i’m|im)";
const feeling = "(?:worried|nervous|anxious|scared|afraid|stressed|terrified|frightened|concerned|panicking|freaking out)";
const somebody = `(?:${kin}|${partner}|${animal})`;

const fact = (say: string, form: FactPhrase["form"], triple: readonly [string, string, string], more: Partial<FactPhrase> = {}): FactPhrase => ({
  say,
  form,
  category: triple[0],
  predicate: triple[1],
  object: triple[2],
  ...more,
});

const name = ["preference", "PREFERRED_NAME", "Value"] as const;
const home = ["context", "LIVES_IN", "Place"] as const;
const origin = ["context", "COMES_FROM", "Place"] as const;
const concern = ["trigger", "WORRIES_ABOUT", "Concern"] as const;
const goal = ["goal", "WANTS", "Goal"] as const;
const loss = ["loss", "EXPERIENCED", "Event"] as const;
const event = ["context", "EXPERIENCED", "Event"] as const;
const help = ["coping_strategy", "USES", "CopingStrategy"] as const;
const age = ["context", "AGE", "Value"] as const;
const likes = ["preference", "LIKES", "Thing"] as const;
const dislikes = ["preference", "DISLIKES", "Thing"] as const;
const being = ["context", "IS", "Thing"] as const;

/** English. */
export const englishRules: RuleLanguage = {
  code: "en",
  before:
    "[,;:—–(]\\s*|\\b(?:and|but|so|because|since|well|also|actually|yes|hi|hello|hey|honestly|please|oh|yeah|anyway|btw|then|now|today|lately|recently|plus)\\s+",
  adverb:
    "(?:really|absolutely|just|always|still|also|actually|so|very|quite|a bit|a little|pretty|extremely|totally|kind of|currently|now|recently|finally|honestly|truly|simply|deeply)",
  people: kin,
  partner,
  animal,
  facts: [
    fact("my name(?: is|'s|’s) (?<o>.+)", "name", name, { small: true }),
    fact(`(?:you can |everyone can )?call me (?<o>.+)`, "name", name),
    fact(`(?:${i} called|i go by) (?<o>.+)`, "name", name),
    fact("i(?: {adverb})* live in (?<o>.+)", "place", home, { small: true }),
    fact(`(?:i|we)(?:'ve|’ve| have)?(?: {adverb})* (?:moved|relocated)(?: back| over)? to (?<o>.+)`, "place", home),
    fact(`${i}(?: {adverb})* living in (?<o>.+)`, "place", home),
    fact(`i (?:grew up|was born(?: and raised)?) in (?<o>.+)`, "place", origin),
    fact(`(?:${i}(?: originally)?|i come) from (?<o>.+)`, "place", origin),
    fact("i(?: {adverb})* work as (?:an? |the )?(?<o>.+)", "words", ["context", "WORKS_AS", "Occupation"]),
    fact(`${i}(?: {adverb})* an? (?:\\w+ )?(?<o>${occupations})\\b`, "listed", ["context", "WORKS_AS", "Occupation"]),
    fact("i(?: {adverb})* work (?:at|for) (?<o>.+)", "place", ["context", "WORKS_AT", "Organisation"]),
    fact("i(?:'ve|’ve)?(?: {adverb})* (?:started|began)(?: working| a (?:new )?job)? (?:at|with) (?<o>.+)", "place", [
      "context",
      "WORKS_AT",
      "Organisation",
    ]),
    fact(`${i}(?: {adverb})* (?<o>\\d{1,3})(?= years? old\\b|-years?-old\\b| yo\\b|\\s*(?:$|[.,;!)]))`, "age", age),
    fact("i(?: {adverb})* turned (?<o>\\d{1,3})\\b(?! (?:pages?|off|down))", "age", age),
    fact("my {partner}(?:'s name is|’s name is| is called| is named| is|,)? (?<o>.+)", "name", ["relationship", "PARTNER_OF", "Person"]),
    fact("my {people}(?:'s name is|’s name is| is called| is named|,)? (?<o>.+)", "name", ["relationship", "KNOWS", "Person"]),
    fact("(?:my|our) {animal}(?:'s name is|’s name is| is called| is named|,)? (?<o>.+)", "name", ["relationship", "HAS", "Animal"]),
    fact("(?:i|we) (?:have|got|adopted) (?:an? |the )?(?:\\w+ )?{animal} (?:named|called) (?<o>.+)", "name", ["relationship", "HAS", "Animal"]),
    fact("(?:i|we) (?:have|adopted) (?<o>(?:an?|one|two|three|four|\\d) {animal}s?)\\b(?! (?:named|called))", "listed", [
      "relationship",
      "HAS",
      "Animal",
    ]),
    fact("i have (?<o>(?:an?|one|two|three|four|five|\\d) (?:\\w+ )?(?:sisters?|brothers?|sons?|daughters?|kids?|child|children))\\b", "listed", [
      "relationship",
      "KNOWS",
      "Person",
    ]),
    fact(`${i}(?: {adverb})* allergic to (?<o>.+)`, "words", ["context", "AVOIDS", "Thing"], { sensitivity: "sensitive" }),
    fact(
      `${i}(?: {adverb})*(?: an?)? (?<o>vegan|vegetarian|pescatarian|gluten[- ]free|lactose[- ]intolerant|c(?:o)?eliac|diabetic|pregnant|autistic|deaf|blind|sober)\\b`,
      "listed",
      being,
      {
        sensitivity: "sensitive",
      },
    ),
    fact(`${i}(?: {adverb})* (?<o>retired|unemployed|divorced|widowed|single|married|engaged)\\b(?! (?:in|with|at))`, "listed", being),
    fact(`i (?:was|(?:'ve|’ve| have) been|got)(?: {adverb})* diagnosed with (?<o>.+)`, "words", event, {
      id: "diagnosis of {o}",
      sensitivity: "sensitive",
    }),
    fact(`(?:my|our) (?<o>${somebody})(?: {adverb})* (?:has |have )?(?:died|passed away|passed on)\\b`, "listed", loss, { id: "death of {o}" }),
    fact(`(?:i|we)(?:'ve|’ve| have)?(?: {adverb})* lost (?:my|our|a|the) (?<o>${somebody}|job|baby|home|house|pregnancy)\\b`, "listed", loss, {
      id: "loss of {o}",
    }),
    fact(`my (?<o>${partner})(?: {adverb})* (?:has )?left me\\b`, "listed", loss, { id: "left by {o}" }),
    fact("(?:my {partner} and i|we|i)(?: {adverb})* (?<o>broke up|split up|got divorced)\\b", "listed", loss),
    fact("i(?:'ve|’ve| have)?(?: {adverb})* (?:got|been|was) (?<o>fired|laid off|promoted|married|engaged|hired)\\b", "listed", event),
    fact(
      `(?:${i}|i feel|i(?:'ve|’ve| have) been(?: feeling)?)(?: {adverb})* ${feeling}(?: {adverb})* (?:about|of|over|for|because of) (?<o>.+)`,
      "words",
      concern,
    ),
    fact("i(?: {adverb})* worry(?: {adverb})* about (?<o>.+)", "words", concern),
    fact(
      `(?:${i}|i feel)(?: like| {adverb}| such| completely| always)* (?:an? )?(?<o>worthless|useless|failure|unlovable|unworthy|burden|pathetic|loser|fraud|not good enough)\\b`,
      "listed",
      concern,
      { id: "feeling of being {o}" },
    ),
    fact("i (?<o>hate myself)\\b", "listed", concern),
    fact("i(?: {adverb})* (?:love|like|enjoy|adore|prefer)(?: to)? (?<o>.+)", "words", likes),
    fact(
      "i(?: {adverb})* (?:hate|dislike|loathe|can't stand|can’t stand|cannot stand|don't like|don’t like|do not like)(?: to)? (?<o>.+)",
      "words",
      dislikes,
    ),
    fact("i(?: {adverb})* (?:want|hope|plan|intend)(?: {adverb})* to (?<o>.+)", "words", goal),
    fact("(?:i would|i'd|i’d)(?: {adverb})* (?:like|love) to (?<o>.+)", "words", goal),
    fact(`${i}(?: {adverb})* (?:trying|planning|hoping) to (?<o>.+)`, "words", goal),
    fact("my (?:\\w+ )?(?:goal|aim|plan|dream)(?: \\w+ \\w+)? is(?: to)? (?<o>.+)", "words", goal),
    fact(`(?:${i}|i have been|i(?:'ve|’ve) been)(?: {adverb})* (?:taking up|picking up|getting into) (?<o>.+)`, "words", [
      "context",
      "PARTICIPATED_IN",
      "Thing",
    ]),
    fact("i(?:'ve|’ve| have)?(?: {adverb})* (?:taken up|took up|joined|signed up for) (?<o>.+)", "words", ["context", "PARTICIPATED_IN", "Thing"]),
    fact(`(?:${i}(?: {adverb})* (?:studying|learning)|i(?: {adverb})* study) (?<o>.+)`, "words", ["context", "STUDIES", "Thing"]),
    fact(
      "(?<o>[\\p{L}][^,.;:!?]{1,60}?)(?: {adverb}| usually| often)* helps me\\b(?: (?:to )?(?:relax|sleep|calm down|cope|focus|unwind|breathe|feel better))?",
      "words",
      help,
    ),
    fact("what (?:{adverb} )?helps(?: me)?(?: most| the most)? is (?<o>.+)", "words", help),
    fact("i (?:use|do|take|practi[cs]e) (?<o>[^,.;:!?]{2,60}?) to (?:calm down|relax|sleep|cope|unwind|ground myself)\\b", "words", help),
  ],
  rules: [
    {
      say: "(?:can you |could you )?keep (?:it|this|things|(?:your|the) (?:answers?|repl(?:y|ies)|responses?|messages?))(?: {adverb}| more)* (?:short|brief|concise|shorter|to the point)\\b",
      text: "Keep your replies short.",
    },
    { say: "(?:give me )?(?:shorter|brief|short) (?:answers?|repl(?:y|ies)|responses?)(?: please|, please)?", text: "Keep your replies short." },
    { say: "your (?:answers|replies|responses|messages) are(?: {adverb}| way)* too long\\b", text: "Keep your replies short." },
    {
      say: "(?:don't|don’t|do not|stop) (?:give|giving|offer|offering)(?: me)?(?: any| unsolicited| so much)* advice\\b",
      text: "Do not give advice unless you are asked for it.",
    },
    { say: "(?:i don't|i don’t|i do not) (?:want|need)(?: any| your)* advice\\b", text: "Do not give advice unless you are asked for it." },
    {
      say: "no advice\\b(?: please)?|(?:just listen|i just (?:want|need) (?:you to listen|to vent|someone to listen))\\b",
      text: "Do not give advice unless you are asked for it.",
    },
    { say: "(?:don't|don’t|do not|stop) ask(?:ing)?(?: me)?(?: so many| too many| any| all these)* questions\\b", text: "Ask few questions." },
    { say: "(?:ask me one question|one question) at a time\\b", text: "Ask one question at a time." },
    {
      say: "(?:be|i(?:'d| would)? (?:like|prefer) you to be)(?: {adverb}| more)* (?:direct|blunt|straightforward|straight)(?: with me)?\\b",
      text: "Be direct.",
    },
    { say: "(?:be|i(?:'d| would)? (?:like|prefer) you to be)(?: {adverb}| more)* (?:gentle|kind|soft|patient)(?: with me)?\\b", text: "Be gentle." },
    { say: "(?:don't|don’t|do not|stop) (?:use|using|send|sending)(?: me)?(?: any| so many)* emojis?\\b|no emojis?\\b", text: "Use no emojis." },
    {
      say: "(?:don't|don’t|do not|stop) (?:use|using|give|giving|make|making)(?: me)?(?: any| so many)* (?:bullet points?|lists?)\\b|no (?:bullet points?|lists?)\\b",
      text: "Write in sentences, and not in lists.",
    },
    { say: "(?:explain|go through|take)(?: it| things| this)? step by step\\b", text: "Explain step by step." },
  ],
  uncertain:
    "^(?:do|does|did|is|are|was|were|can|could|should|would|will|what|who|where|when|why|how|which|if|imagine|suppose|let's say|say)\\b(?!.*\\b(?:you (?:keep|be|give|not))\\b)|\\b(?:what if|i wish|as if|if only|pretend(?:ing)?|hypothetically|in (?:my|a|the) (?:dream|nightmare|novel|story|game|movie|film)|just kidding|jk|joking|used to)\\b|\\bif (?:i|we|my|he|she|they|it)\\b",
  ends: "\\b(?:and|but|because|so|since|when|while|which|who|whom|although|though|if|unless|until|or|now|anymore|any more|right now|these days|at the moment|today|yesterday|tonight|tomorrow|lately|recently|last|next|this (?:week|month|year|morning|evening)|too|again|already|years? ago|ago|please|though|btw|for (?:a|the last|about|over|\\d|two|three|four|five)|with|in order|as well|very much|so much|a lot|most)\\b",
  noObject:
    "(?:fear|pain|hope|denial|chaos|peace|constant|it|this|that|these|those|you|your|him|her|them|us|me|myself|himself|everyone|everything|nothing|no|not|none|nobody|never|neither|what|how|when|where|why|who|which|there|here|something|anything|being|be|say|tell|ask|talk|know|thank|apologi[sz]e|hear|die|kill|hurt|end|disappear|vanish|harm|cut|give up|think so|see you|go|have|get|do|he|she|they|we|i|all|one|(?:stop|end|quit|leave|skip|cancel|finish|continue|go on|carry on)(?: with)? (?:here|now|it|this|that|the (?:\\w+ )?(?:exercise|session|chat|conversation|talk)))\\b",
  crisis:
    "\\b(?:(?:to|wanna|i|i'll|i'd|could|will|would|should|might|gonna|just) die|(?:be|were|off) dead|kill(?:ing)? (?:myself|me|her|him|them)|suicid\\w*|hurt(?:ing)? myself|harm(?:ing)? myself|cut(?:ting)? myself|disappear|end (?:it|my life|everything)|not be here)\\b",
  locale: english,
  feelings:
    "sad|anxious|nervous|worried|scared|afraid|angry|lonely|tired|exhausted|overwhelmed|stressed|hopeless|guilty|ashamed|numb|upset|frustrated|low|calm|calmer|better|relieved|hopeful|happy|lighter|grateful|proud|relaxed|okay",
  not: "(?:not|n't|n’t|never|no|hardly|less|far from)(?: \\w+)?",
};
