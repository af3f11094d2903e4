/** What a request for a reply says, as the rules read it: the companion's own instructions are known by their words, and what people said by its marks. */
import type { RuleInput } from "throughline";
import { responseStyles, therapeuticApproaches, type ResponseStyle, type TherapeuticApproach } from "../../contract.ts";
import { saidIn } from "../../exercises/say.ts";
import { approachTexts } from "../../prompts/approaches.ts";
import { intents, notes } from "../../prompts/guidance.ts";
import { styleTexts } from "../../prompts/styles.ts";
import { styleOf } from "../understand/style.ts";
import { folded } from "../words/fold.ts";
import { languageAmong, type OfflineLanguage } from "../words/language.ts";
import { wishesIn, type Wishes } from "./wishes.ts";

/** What a reply is made of. */
export interface Prompted {
  /** What the person says now, folded. */
  readonly text: string;
  readonly style: ResponseStyle;
  readonly approach: TherapeuticApproach;
  readonly language: OfflineLanguage;
  readonly wishes: Wishes;
  /** The companion's last words, so that they are not said again. */
  readonly said: string;
  /** What the person said before, newest first, folded. */
  readonly earlier: readonly string[];
  /** The same as it was written. */
  readonly told: readonly string[];
  /** Words that are to be said as they stand: a step of an exercise. */
  readonly given: string | undefined;
  /** The gate directs this reply. */
  readonly directed: boolean;
  /** Lines of what is remembered. */
  readonly memory: readonly string[];
  /** Whether it may be brought up without being asked for. */
  readonly may_recall: boolean;
  /** They speak of what is remembered. */
  readonly asks_memory: boolean;
  readonly let_go: boolean;
  readonly paused: boolean;
  readonly repair: boolean;
  /** Something grave was said not long ago, and has been asked about. */
  readonly after_crisis: boolean;
}

const lastReplies = 3;

/** Lines between the marks of data. */
const linesIn = (text: string): readonly string[] =>
  [...text.matchAll(/<data name="[^"\n]*">\n(?<body>[\s\S]*?)\n<\/data>/gu)].flatMap(({ groups }) => (groups?.["body"] ?? "").split("\n"));

/** A directive of the gate names its placeholders or its one question. */
const gateDirects = /\[\[(?:emergency|resources)\]\]|Ask exactly one question, as the last sentence|Ask no question that needs an answer now/u;

/** What a request says. A style is known by its instruction; without one, as in an agent of other prompts, the message itself tells it. */
export function prompted(input: RuleInput): Prompted {
  const { request } = input;
  const section = (name: string): string | undefined => input.section(name);
  const instructions = request.sections.map(({ text }) => text).join("\n\n");
  const turns = request.messages.filter(({ role }) => role === "user" || role === "assistant");
  const begun = turns.findLastIndex(({ role }) => role === "assistant") + 1;
  const now = turns.slice(begun).map(({ text }) => text);
  const earlier = turns.slice(0, begun);
  const said = earlier
    .filter(({ role }) => role === "user")
    .map(({ text }) => text)
    .toReversed();
  const text = folded(now.join("\n"));
  const found = styleOf(text);
  const dataOf = (name: string): readonly string[] => linesIn(request.sections.find((one) => one.name === name)?.text ?? "");
  const wishes = wishesIn(dataOf("procedural_rules").join("\n"));
  return {
    text,
    style: responseStyles.find((style) => instructions.includes(styleTexts[style])) ?? found.style,
    approach: therapeuticApproaches.find((approach) => approach !== "none" && instructions.includes(approachTexts[approach])) ?? found.approach,
    language: wishes.language ?? languageAmong([now.join("\n"), ...said]),
    wishes,
    said: earlier
      .filter(({ role }) => role === "assistant")
      .slice(-lastReplies)
      .map((reply) => reply.text)
      .join("\n"),
    earlier: said.map(folded),
    told: said,
    given: request.sections.map((one) => saidIn(one.text)).find((words) => words !== undefined),
    directed: section("safety") !== undefined || gateDirects.test(instructions),
    memory: dataOf("memory"),
    may_recall: section("recall") === undefined,
    asks_memory: instructions.includes(notes.explicitReference),
    let_go: instructions.includes(notes.letGo),
    paused: /The guided exercise "[^"]+" is paused at step/u.test(instructions),
    after_crisis: instructions.includes(notes.afterCrisis),
    repair: intents["repair"] !== undefined && instructions.includes(intents["repair"]),
  };
}
