/** The sentences of crisis replies, per language. They need no model, store or network. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { EmergencyKind } from "../assessment.ts";
import { type BarrierKind, barrierKinds, type PlanQuestion, type Says } from "../crisis-plan.ts";

/**
 * The sentences of static replies in one language. Each is plain, short and calm, in the second person. It promises nothing, blames no one and names
 * no number: numbers come only from the resource table. Lists hold variants, so that two consecutive replies differ. `…_other` sentences are for a
 * writer who describes another person. Placeholders in braces are described where they occur.
 */
export interface SafetyPhrases {
  readonly language: string;
  /** One direct, neutral question about thoughts of suicide, never phrased toward no, preceded by a sentence with the reason for it. */
  readonly ask_directly: readonly string[];
  readonly ask_directly_other: readonly string[];
  /** Says that the message may not have been understood, and asks how they are and whether they are safe. Never mentions suicide. One question. */
  readonly ask_safe: readonly string[];
  /** First sentence at level 2: the message is taken seriously. */
  readonly opening: readonly string[];
  /** First sentence at level 3. */
  readonly opening_imminent: readonly string[];
  readonly opening_other: readonly string[];
  /** First sentence of a later crisis reply. It acknowledges any message without judgment, including silence, anger or another subject. */
  readonly heard: readonly string[];
  /** Replaces `heard` if the person named their place, has company, agrees to contact someone, or answered no to any question. */
  readonly heard_place: string;
  readonly heard_someone: string;
  readonly heard_willing: readonly string[];
  readonly heard_no: readonly string[];
  /** Replaces `heard` if the thoughts of the last session are gone, or it is better. */
  readonly heard_better: string;
  /** Replaces `heard` if they put what they could use out of reach: acknowledges it, and asks to leave it there. Names no means. */
  readonly heard_put_away: string;
  /**
   * Replies to emergencies that are not suicide: a body that fails, an attack that goes on, abuse that is told of, and an intent to hurt others. Each
   * names `{emergency}`, as in `call_now`, and a next step. None asks anything.
   */
  readonly emergencies: Readonly<Record<EmergencyKind, readonly string[]>>;
  /** Call the emergency number or a crisis line now. `{emergency}`: the number, or `emergency_unknown`. */
  readonly call_now: string;
  /** Repeats `call_now` in other words. */
  readonly call_still: readonly string[];
  /** Replaces an unknown number: "your local emergency number". */
  readonly emergency_unknown: string;
  /** Have another person physically present. */
  readonly be_with_someone: string;
  /** Put distance between yourself and means, without naming any. */
  readonly distance: string;
  readonly stay_with_them: string;
  /** Introduces the list of services. `{place}`: the country. */
  readonly resources_intro: string;
  /** Two countries share the name. */
  readonly resources_both: string;
  /** A row whose sources were not checked recently. `{date}`: the day of the last check. */
  readonly resource_stale: string;
  /** No service is confirmed by sources. The directories follow. */
  readonly no_resources: string;
  /** The country is unknown. The directories follow. Does not mention that the country was asked for. */
  readonly directories: string;
  /** Asks for the country, once. */
  readonly ask_location: string;
  /** Refers to services that were listed before, without naming them again. */
  readonly resources_again: readonly string[];
  /** Questions of the plan, one per turn. Each is a single question. A question that was evaded is asked again in other words. */
  readonly ask_plan: readonly string[];
  readonly ask_means: readonly string[];
  readonly ask_time: readonly string[];
  readonly ask_someone: readonly string[];
  readonly ask_willing: readonly string[];
  readonly ask_barriers: readonly string[];
  /** Asks how things are, once the questions of the plan were asked. Open: no yes or no answers it. */
  readonly ask_check_in: readonly string[];
  /** Says that no question follows for now, that the conversation stays open, and how to reach help. `{emergency}`: as in `call_now`. Asks nothing. */
  readonly paused: readonly string[];
  /** Acknowledges that they called or wrote to somebody, and asks how it was. */
  readonly ask_reached: readonly string[];
  /** Opens the session after a crisis: asks gently whether the thoughts are still there. A yes or no answers it. */
  readonly last_time: readonly string[];
  /** For a writer who described another person: asks whether they are still worried. */
  readonly last_time_other: readonly string[];
  /** Names the emergency number once the country is known. `{emergency}`: as in `call_now`. */
  readonly emergency_if: string;
  /** Answers what makes it hard to reach out: being a burden, shame, fear of what follows, doubt that it helps, having nobody, talking, what it costs. */
  readonly barriers: Readonly<Record<BarrierKind, string>>;
  /**
   * Parts of sentences that say so, and those that say that it is better than last time, that there is company, that they are alone (`alone`, or
   * `absent` if that was asked) or not alone (`accompanied`), that they will reach out, or did, that nothing is wrong (`reassures`), and that they want
   * a number or a person (`asks_help`), or to be left alone or not asked (`leave`). One of `put_away` beside one of the `means` in a clause says that means
   * are out of reach, and `stuck` says what holds them where they are not safe, or asks what to do. `things` are words for what may be no person ("they"). Company and reaching out also need one of the `people` (or `services`), and none of the words of `unless`: they
   * deny, make conditional, or say good-bye; of these, `maybe` has those that only make uncertain. "..." in a part stands for up to five words. A barrier also counts at the beginning of a longer word.
   */
  readonly hears: Readonly<
    Record<
      | Exclude<BarrierKind, "other">
      | (
          | "better"
          | "company"
          | "alone"
          | "absent"
          | "accompanied"
          | "will_reach"
          | "reached"
          | "reassures"
          | "asks_help"
          | "leave"
          | "put_away"
          | "means"
          | "stuck"
          | "people"
          | "things"
          | "services"
          | "unless"
          | "maybe"
        ),
      readonly string[]
    >
  >;
  /** Parts of words, one of which a model's question of the plan contains. */
  readonly asks: Readonly<Record<Exclude<PlanQuestion, "safe">, readonly string[]>>;
  /** Parts of words, one of which a model's reply contains if it responds to what was said. */
  readonly acknowledges: readonly string[];
  /** Names people to turn to: a trusted person and a professional. */
  readonly human_care: string;
  /** A small activity to bridge the time. */
  readonly coping: readonly string[];
  /** The writer is talking to a program, which cannot call anyone. */
  readonly ai_limits: string;
  /** No human reads the conversation. Used if no one is alerted. */
  readonly nobody_watching: string;
  /** The operator alerted a human. Used only after confirmation. */
  readonly somebody_told: string;
  /** The conversation continues. Last sentence, after any text, so it refers to nothing before it. */
  readonly stay: readonly string[];
  /** The message could not be stored: send it again, or call. Used if the store is down. */
  readonly not_saved: string;
  /** Safety checks are limited at the moment. `{directory}` is a link. */
  readonly limited: string;
  /** This is an AI, not a person. Shown at the start of a conversation and at intervals. */
  readonly disclosure: string;
  /** An ordinary reply failed; nothing acute was found. */
  readonly apology: string;
  /** Replaces the agent's default text if a turn failed, reached a limit of its budget, or was stopped. An agent's own text has precedence. */
  readonly failed?: string;
  readonly limit?: string;
  readonly stopped?: string;
}

/**
 * Returns the phrases for a language as the screen names it. Falls back to the base language (`hi` for `hi-Latn`), then to another variant of it,
 * then to the first phrases. Throws `safety.invalid` if the list is empty.
 */
export function phrasesFor(list: readonly SafetyPhrases[], language?: string): SafetyPhrases {
  const [first] = list;
  if (first === undefined) throw new ThroughlineError("safety.invalid", "The gate has no phrases: it needs those of one language at least.");
  const wanted = language?.toLowerCase() ?? "";
  const [base = ""] = wanted.split("-");
  const named = (name: string): SafetyPhrases | undefined => list.find(({ language: known }) => known.toLowerCase() === name);
  return (
    named(wanted) ??
    named(base) ??
    (base === "" ? undefined : list.find(({ language: known }) => known.toLowerCase().startsWith(`${base}-`))) ??
    first
  );
}

/** Folds spelling variants: case, width, apostrophes and spaces. */
export const folded = (text: string): string =>
  ` ${text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/['’‘`´]/gu, "")
    .replaceAll(/\s+/gu, " ")} `;

/** Words from which on an answer says something about a barrier. Languages without spaces count characters. */
const leastWords = 4;
const leastCharacters = 8;
const mostHeard = 4_000;

function isLong(text: string): boolean {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return text.trim().length >= leastCharacters;
  return text.trim().split(/\s+/u).length >= leastWords;
}

const spacelessScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const letter = "[\\p{L}\\p{M}\\p{N}]";

/** A word of any kind, up to a blank or the end of a clause. Cheaper to compile than the class of all letters. */
const anyWord = "[^\\s.,;:!?؟،؛。，；：！？…]+";

/** Returns the source of a part, with a gap for each "...". */
const sourceOf = (part: string): string =>
  folded(part)
    .trim()
    .split(/ ?\.\.\. ?/u)
    .map((words) => words.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`))
    .join(spacelessScript.test(part) ? `${letter}{0,8}?` : `(?: ${anyWord}){0,5}? `);

/**
 * Returns the pattern of a list of parts: whole words. Arabic writes "and", "so", "by" and "to" as part of the next word. An `open` pattern ends anywhere
 * in a word, and in Arabic, where verbs begin with their person, it also begins anywhere.
 */
function patternOf(parts: readonly string[], open: boolean): RegExp {
  const isArabic = (part: string): boolean => /\p{Script=Arabic}/u.test(part);
  const isAnywhere = (part: string): boolean => spacelessScript.test(part) || (open && isArabic(part));
  const end = open ? "" : `(?!${letter})`;
  const anyOf = (before: string, list: readonly string[], after: string): readonly string[] =>
    list.length === 0 ? [] : [`${before}(?:${list.map(sourceOf).join("|")})${after}`];
  const words = parts.filter((part) => !isAnywhere(part));
  return new RegExp(
    [
      ...anyOf(
        `(?<!${letter})`,
        words.filter((part) => !isArabic(part)),
        end,
      ),
      ...anyOf(`(?<!${letter})[وفبل]?`, words.filter(isArabic), end),
      ...anyOf("", parts.filter(isAnywhere), ""),
    ].join("|"),
    "u",
  );
}

const wordPatterns = new WeakMap<readonly string[], RegExp>();

/** Returns the pattern of a list of parts. It is built once. A list is always read either way, never both. */
function patternFor(parts: readonly string[], open = false): RegExp {
  const known = wordPatterns.get(parts) ?? patternOf(parts, open);
  wordPatterns.set(parts, known);
  return known;
}

/** Tells whether a text names a barrier. */
const hasBarrier = (list: readonly SafetyPhrases[], said: string, kind: Exclude<BarrierKind, "other">): boolean =>
  list.some(({ hears }) => patternFor(hears[kind], true).test(said));

/** Tells whether one of the parts occurs as whole words. */
const hasWords = (parts: readonly string[], said: string): boolean => patternFor(parts).test(said);

/** Returns a text without the part that occurs first. */
const withoutWords = (parts: readonly string[], said: string): string => said.replace(patternFor(parts), " ");

const clauseEnd = /[.,;:!?؟،؛。，；：！？…\n]+/u;
const questionMark = /[?？؟]/u;

/** Tells whether a clause of a text says that it is better than last time, in any language of the phrases. What denies it says nothing: "not better". */
export const saysBetter = (list: readonly SafetyPhrases[], text: string): boolean => {
  const clauses = text.slice(0, mostHeard).split(clauseEnd).map(folded);
  return list.some(({ hears }) =>
    clauses.some((clause) => hasWords(hears.better, clause) && !hasWords(hears.unless, withoutWords(hears.better, clause))),
  );
};

/** Returns the phrases of these languages, with their variants; those of the first language if there is none. */
function spoken(list: readonly SafetyPhrases[], languages: readonly (string | undefined)[]): readonly SafetyPhrases[] {
  const baseOf = (language: string): string | undefined => language.toLowerCase().split("-")[0];
  const bases = new Set(languages.flatMap((language) => (language === undefined ? [] : [baseOf(language)])));
  const known = list.filter(({ language }) => bases.has(baseOf(language)));
  return known.length > 0 ? known : list.slice(0, 1);
}

/** Most words that make one intention uncertain: "maybe I could". */
const mostHedges = 3;

/** Tells whether a clause says that the person will reach somebody, or maybe will, in these languages. */
export function mayReach(list: readonly SafetyPhrases[], text: string, languages: readonly (string | undefined)[]): boolean {
  const clauses = text.slice(0, mostHeard).split(clauseEnd).map(folded);
  return spoken(list, languages).some(({ hears }) =>
    clauses.some((clause) => {
      if (!hasWords(hears.will_reach, clause) || !(hasWords(hears.people, clause) || hasWords(hears.services, clause))) return false;
      let sure = clause;
      for (let times = 0; times < mostHedges; times += 1) sure = withoutWords(hears.maybe, sure);
      return !hasWords(hears.unless, sure);
    }),
  );
}

/** Words beyond which a text is more than a yes or no. Languages without spaces count characters. */
const bareWords = 3;
const bareCharacters = 5;

const isBare = (text: string): boolean =>
  spacelessScript.test(text) ? text.trim().length <= bareCharacters : text.trim().split(/\s+/u).length <= bareWords;

/**
 * Returns what a text says about company, reaching out and barriers, in the languages of the message and of the conversation. A statement that could
 * also be a refusal says nothing: an open question is asked again, and a plan never ends on a guess.
 */
export function saysOf(list: readonly SafetyPhrases[], text: string, languages: readonly (string | undefined)[]): Says {
  const cut = text.slice(0, mostHeard);
  const said = folded(cut);
  const clauses = cut.split(clauseEnd).map(folded);
  const own = spoken(list, languages);
  const hears = (name: keyof SafetyPhrases["hears"], where = said): boolean => own.some((one) => hasWords(one.hears[name], where));
  const isAsking = questionMark.test(cut);
  const isUncertain = isAsking || hears("unless");
  const isAccompanied = hears("accompanied");
  const leaves = !isAsking && hears("leave");
  const isAlone = !isAccompanied && !leaves && hears("alone");
  const hasCompany = clauses.some(
    (clause) => own.some((one) => hasWords(one.hears.company, clause) && hasWords(one.hears.people, clause)) && !hears("unless", clause),
  );
  const acts = (name: "will_reach" | "reached", toWhom = true): boolean =>
    !isUncertain &&
    own.some((one) =>
      clauses.some(
        (clause) => hasWords(one.hears[name], clause) && (!toWhom || hasWords(one.hears.people, clause) || hasWords(one.hears.services, clause)),
      ),
    );
  // Who tells of a line that they called asks for none.
  const asksHelp = hears("asks_help") && !acts("reached", false);
  const barrier = barrierKinds.find((kind) => (kind === "other" ? isLong(text) : hasBarrier(own, said, kind)));
  const isHindered = barrier !== undefined && barrier !== "other";
  const isPutAway =
    !isAsking &&
    clauses.some(
      (clause) => own.some((one) => hasWords(one.hears.put_away, clause) && hasWords(one.hears.means, clause)) && !hears("unless", clause),
    );
  const reassures = saysBetter(own, cut) || hears("reassures");
  return {
    ...(saysBetter(own, cut) ? { better: true as const } : {}),
    ...(isAlone ? { company: false } : (hasCompany || isAccompanied) && !isAsking ? { company: true } : {}),
    ...(!isAccompanied && !isHindered && !leaves && hears("absent") ? { absent: true as const } : {}),
    ...(isAccompanied && !isAsking ? { accompanied: true as const } : {}),
    ...(isBare(text) || hears("people") || (hears("company") && !hears("things")) ? {} : { unpeopled: true as const }),
    ...(acts("will_reach") ? { will_reach: true as const } : acts("will_reach", false) ? { will_reach: "someone" as const } : {}),
    ...(isHindered || !acts("reached", false) ? {} : { reached: acts("reached") ? (true as const) : ("someone" as const) }),
    ...(reassures ? { reassures: true as const } : {}),
    ...(asksHelp ? { asks_help: true as const } : {}),
    ...(leaves ? { leaves: true as const } : {}),
    ...(isPutAway ? { put_away: true as const } : {}),
    ...(hears("stuck") ? { stuck: true as const } : {}),
    ...(barrier === undefined || (barrier === "other" && (reassures || asksHelp || leaves)) ? {} : { barrier }),
  };
}
