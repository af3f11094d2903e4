import type { Extension, ExtensionAgent } from "../extension/port.ts";
import { isPlainObject } from "../kernel/json.ts";
import { type EscalationSink, type SafetyClassifier, type SafetyPath, safetyPaths } from "./assessment.ts";
import type { SafetyPhrases } from "./reply/safety-phrases.ts";
import type { ResourceTable } from "./resources/resource-table.ts";
import type { RulePack } from "./screen/rule-pack.ts";
import type { Screen } from "./screen/screened.ts";

/** Options of an agent's gate. */
export interface SafetyOptions {
  /** Rule packs per language. The first one applies to texts in a language without a pack. */
  readonly packs: readonly RulePack[];
  /** Sentences of crisis replies, per language. The first one applies to all other languages. */
  readonly phrases: readonly SafetyPhrases[];
  readonly resources: ResourceTable;
  /** Judges messages that the screen cannot decide. Without one, every assessment is `deterministic_only`, and the reply asks about text that the screen could not read in full. */
  readonly classifier?: SafetyClassifier;
  /** Second classifier, called if the first has not answered after `softMs`. */
  readonly hedge?: SafetyClassifier;
  /** Milliseconds, 50 to 10,000; default 1,500. */
  readonly softMs?: number;
  /** Milliseconds after which the gate decides without the classifier, 100 to 30,000; default 3,000. */
  readonly hardMs?: number;
  /** Milliseconds that a model may take for a crisis reply before the static one is sent, 1,000 to 60,000; default 12,000. */
  readonly replyMs?: number;
  /**
   * Who writes crisis replies: the agent's model, checked by the guard, or prepared sentences. An explicit level 3 always gets sentences. Default
   * `"model"`.
   */
  readonly replyBy?: "model" | "static";
  /** Receives alerts of level 3, and of level 2 if `sinkFrom` is 2. Without one, replies say that no one is watching. */
  readonly sink?: EscalationSink;
  readonly sinkFrom?: 2 | 3;
  /** Milliseconds within which a human must handle an alert, 1,000 to 604,800,000. Without it, no alert counts as missed. */
  readonly sinkDeadlineMs?: number;
  /** `minor`: the reply asks about unclear distress even if a classifier answers, and disclosures repeat hourly. */
  readonly profile?: "adult" | "minor";
  /**
   * Returns the regions for which a text explicitly requests services, as the table names them. Returns an empty list for a request without a region,
   * and undefined for no request. A request is also granted at level 1, together with the question. By default no text is a request.
   */
  readonly servicesAskedFor?: (text: string) => readonly string[] | undefined;
  /**
   * Tells whether a text clearly requests a service of the agent, such as an exercise or a memory command. After the question of level 1, such a turn continues as usual
   * if the gate finds nothing else, instead of a second question. By default no text is a request.
   */
  readonly isRequest?: (text: string) => boolean;
  /**
   * Tells whether a text does nothing but leave what the agent is doing with the person, or say that it does not work, given the session's state. Words
   * such as "I don't want to go on" then count as level 0, if the gate sees no other sign in the message or before. By default no text leaves anything.
   */
  readonly isLeaving?: (text: string, state: Readonly<Record<string, unknown>>) => boolean;
  /**
   * Returns the language of the reply, as the phrases name it, given the message and the person's earlier messages, newest first. Undefined if it is
   * unclear: then, and for a message in a language that no pack covers, the screen's guess counts. By default it always does.
   */
  readonly languageOf?: (texts: readonly string[]) => string | undefined;
  /** Values of the response style field at level 1, and from level 2 on. */
  readonly styles?: { readonly clarify: string; readonly crisis: string };
  /** Retention of an assessment in days, 1 to 3,650; default 90. */
  readonly retentionDays?: number;
  /** Milliseconds of continued use after which the disclosure that this is an AI repeats, 60,000 to 86,400,000; default 3 hours, 1 hour for minors. */
  readonly disclosureMs?: number;
}

/** An agent's gate settings, validated and frozen. */
export interface SafetySettings extends Required<Omit<SafetyOptions, "classifier" | "hedge" | "sink" | "sinkDeadlineMs" | "styles">> {
  readonly type: "safety";
  readonly classifier: SafetyClassifier | undefined;
  readonly hedge: SafetyClassifier | undefined;
  readonly sink: EscalationSink | undefined;
  readonly sinkDeadlineMs: number | undefined;
  readonly styles: { readonly clarify: string; readonly crisis: string } | undefined;
  readonly screen: Screen;
  /** Creates the extension of these settings. A copy with other values creates its own. */
  extension(): Extension;
}

/** Version of the rules that join, lower and hold levels. Recorded on every assessment. */
export const policyVersion = "2026-11-23.4";

/** Paths on which a classifier was due but returned no verdict. */
export const failedPaths: ReadonlySet<SafetyPath> = new Set(safetyPaths.filter((path) => path.startsWith("llm_") || path === "breaker_open"));

/** Returns the settings of an agent's gate; undefined for an agent without one. */
export function safetyOf(agent: Pick<ExtensionAgent, "extensions"> | undefined): SafetySettings | undefined {
  const settings = agent?.extensions.find(({ name }) => name === "safety")?.settings;
  return isPlainObject(settings) && settings["type"] === "safety" ? (settings as unknown as SafetySettings) : undefined;
}
