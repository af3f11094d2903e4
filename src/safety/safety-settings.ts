import type { Extension, ExtensionAgent } from "../extension/port.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import type { EscalationSink, SafetyClassifier } from "./assessment.ts";
import type { SafetyPhrases } from "./reply/safety-phrases.ts";
import type { ResourceTable } from "./resources/resource-table.ts";
import type { RulePack } from "./screen/rule-pack.ts";
import { createScreen } from "./screen/screen.ts";
import type { Screen } from "./screen/screened.ts";

/** What of an agent's gate can be chosen. */
export interface SafetyOptions {
  /** What each language says in danger; the first one's rules are used for texts of no language that is covered. */
  readonly packs: readonly RulePack[];
  /** What is said in a crisis, per language; the first one's is said to everybody else. */
  readonly phrases: readonly SafetyPhrases[];
  readonly resources: ResourceTable;
  /** Judges what the screen cannot; without one every assessment is `deterministic_only`, and unclear distress is asked about. */
  readonly classifier?: SafetyClassifier;
  /** Asked too when the classifier has not answered after `softMs`. */
  readonly hedge?: SafetyClassifier;
  /** Milliseconds, 50 to 10,000; 1,500 by default. */
  readonly softMs?: number;
  /** Milliseconds after which the gate decides without the classifier, 100 to 30,000; 3,000 by default. */
  readonly hardMs?: number;
  /** Milliseconds that a model may take for a crisis reply, before the static one is sent; 1,000 to 60,000; 12,000 by default. */
  readonly replyMs?: number;
  /** Who writes the replies of a crisis: the agent's model, held to what may be said, or sentences alone; a plain level 3 always has sentences. `"model"` by default. */
  readonly replyBy?: "model" | "static";
  /** Told of level 3; of level 2 too if `sinkFrom` says so. Without one, replies say that nobody is watching. */
  readonly sink?: EscalationSink;
  readonly sinkFrom?: 2 | 3;
  /** Milliseconds within which somebody is to have seen to an alert, 1,000 to 604,800,000; without, none is ever missed. */
  readonly sinkDeadlineMs?: number;
  /** `minor`: unclear distress is asked about also when a classifier answers, and disclosures come hourly. */
  readonly profile?: "adult" | "minor";
  /**
   * Regions for which a text asks for services in so many words, as the table names them; empty where it names none, undefined where it asks for none. Who asks is given
   * them at level 1 too, beside its question. By default nobody asks.
   */
  readonly servicesAskedFor?: (text: string) => readonly string[] | undefined;
  /**
   * Whether a text plainly asks for something that the agent does, such as an exercise. After the question of level 1 such a turn goes on as usual if nothing else is found
   * in it, in place of a second question. By default nothing is a request.
   */
  readonly isRequest?: (text: string) => boolean;
  /** Values that the field of the response style is given at level 1, and from level 2 on. */
  readonly styles?: { readonly clarify: string; readonly crisis: string };
  /** Days that an assessment is kept, 1 to 3,650; 90 by default. */
  readonly retentionDays?: number;
  /** Milliseconds of continued use until a person is told again that this is an AI; 3 hours by default, 1 hour for minors. */
  readonly disclosureMs?: number;
}

/** An agent's gate, checked and frozen. */
export interface SafetySettings extends Required<Omit<SafetyOptions, "classifier" | "hedge" | "sink" | "sinkDeadlineMs" | "styles">> {
  readonly type: "safety";
  readonly classifier: SafetyClassifier | undefined;
  readonly hedge: SafetyClassifier | undefined;
  readonly sink: EscalationSink | undefined;
  readonly sinkDeadlineMs: number | undefined;
  readonly styles: { readonly clarify: string; readonly crisis: string } | undefined;
  readonly screen: Screen;
  /** The extension that these settings make; a copy of them with other values makes another one. */
  extension(): Extension;
}

/** Names the rules by which levels are joined, lowered and kept up; on every assessment. */
export const policyVersion = "2026-11-21.1";

/** The settings of an agent's gate; undefined for an agent without one. */
export function safetyOf(agent: Pick<ExtensionAgent, "extensions"> | undefined): SafetySettings | undefined {
  const settings = agent?.extensions.find(({ name }) => name === "safety")?.settings;
  return isPlainObject(settings) && settings["type"] === "safety" ? (settings as unknown as SafetySettings) : undefined;
}

const optionNames = [
  ...["packs", "phrases", "resources", "classifier", "hedge", "softMs", "hardMs", "replyMs", "replyBy", "sink", "sinkFrom", "profile", "styles"],
  ...["retentionDays", "disclosureMs", "sinkDeadlineMs", "servicesAskedFor", "isRequest"],
];

const wrong = (message: string): ThroughlineError => new ThroughlineError("safety.invalid", message);

function number(name: string, value: unknown, { from, to }: { readonly from: number; readonly to: number }): number {
  if (Number.isInteger(value) && Number(value) >= from && Number(value) <= to) return Number(value);
  throw wrong(`safety's ${name} is a whole number from ${from} to ${to.toLocaleString("en")}, got ${seen(value)}.`);
}

function list<Item>(name: string, value: readonly Item[]): readonly Item[] {
  const given: unknown = value;
  if (Array.isArray(given) && given.length > 0) return Object.freeze([...value]);
  throw wrong(`safety needs ${name}: a list with at least one, got ${seen(value)}.`);
}

const hourMs = 60 * 60 * 1000;

/** Checks the options of a gate, and puts its defaults in. `safety.invalid` names an option that is wrong. */
export function settingsFrom(options: SafetyOptions): Omit<SafetySettings, "extension"> {
  if (!isPlainObject(options)) throw wrong(`safety takes one object of options, got ${seen(options)}.`);
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw wrong(`safety has no option "${unknown}"; it has ${optionNames.join(", ")}.`);
  const { packs, phrases, resources, classifier, hedge, sink, sinkDeadlineMs, styles } = options;
  const { softMs = 1_500, hardMs = 3_000, replyMs = 12_000, retentionDays = 90, replyBy = "model", sinkFrom = 3, profile = "adult" } = options;
  const { disclosureMs = profile === "minor" ? hourMs : 3 * hourMs } = options;
  if (profile !== "adult" && profile !== "minor") throw wrong(`safety's profile is "adult" or "minor", got ${seen(profile)}.`);
  if (replyBy !== "model" && replyBy !== "static") throw wrong(`safety's replyBy is "model" or "static", got ${seen(replyBy)}.`);
  const { servicesAskedFor = () => undefined } = options;
  if (typeof servicesAskedFor !== "function") throw wrong(`safety's servicesAskedFor is a function of a text, got ${seen(servicesAskedFor)}.`);
  const { isRequest = () => false } = options;
  if (typeof isRequest !== "function") throw wrong(`safety's isRequest is a function of a text, got ${seen(isRequest)}.`);
  if (sinkFrom !== 2 && sinkFrom !== 3) throw wrong(`safety's sinkFrom is 2 or 3, got ${seen(sinkFrom)}.`);
  if (!isPlainObject(resources) || !Array.isArray(resources.services)) throw wrong(`safety needs a table of resources, got ${seen(resources)}.`);
  const checkedPacks = list("packs", packs);
  const soft = number("softMs", softMs, { from: 50, to: 10_000 });
  const hard = number("hardMs", hardMs, { from: 100, to: 30_000 });
  if (soft > hard) throw wrong(`safety's softMs (${soft}) must not be above hardMs (${hard}).`);
  return {
    type: "safety",
    packs: checkedPacks,
    phrases: list("phrases", phrases),
    resources,
    classifier,
    hedge,
    softMs: soft,
    hardMs: hard,
    replyMs: number("replyMs", replyMs, { from: 1_000, to: 60_000 }),
    replyBy,
    sink,
    sinkFrom,
    sinkDeadlineMs: sinkDeadlineMs === undefined ? undefined : number("sinkDeadlineMs", sinkDeadlineMs, { from: 1_000, to: 168 * hourMs }),
    profile,
    servicesAskedFor,
    isRequest,
    styles,
    retentionDays: number("retentionDays", retentionDays, { from: 1, to: 3_650 }),
    disclosureMs: number("disclosureMs", disclosureMs, { from: 60_000, to: 24 * hourMs }),
    screen: createScreen(checkedPacks),
  };
}
