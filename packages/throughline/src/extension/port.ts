/**
 * The extension port: how a feature takes part in the turns of agents that declare it. The runtime knows these points and no feature; a feature knows these
 * types and nothing of the runtime. Laws: what a point adds is part of the commit that it takes part in, or did not happen; a turn that is resumed runs its
 * points again; a point that fails loses no message.
 */
import type { PromptOptions } from "../context/prompt-options.ts";
import type { PromptPart } from "../context/section.ts";
import type { Clock } from "../kernel/clock.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { Ids, OwnerId, SessionId, StepId } from "../kernel/id.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Logger, Tracer } from "../kernel/log.ts";
import type { Recalled } from "../memory/recalled.ts";
import type { PromptSection } from "../model/port.ts";
import type { Assessment, AssessmentSpool } from "../safety/assessment.ts";
import type { Control } from "../session/control.ts";
import type { Outcome } from "../session/event.ts";
import type { Mask } from "../session/masks.ts";
import type { Message } from "../session/session-messages.ts";
import type { StateDefinition, StateOf } from "../state/define.ts";
import type { Claim, LoadedSession, NewEvent, OwnerChange, RecordChange, SessionRow, Store } from "../store/port.ts";

/** What the extensions of a process share with its runtime. */
export interface ExtensionContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly agents: ReadonlyMap<string, ExtensionAgent>;
  /** Names this process, as in leases. */
  readonly worker: string;
  /** Bytes that indexes of what is kept of people may take in this process. */
  readonly memoryBytes: number;
  /** Where assessments wait that the store does not take, as the program has named it. */
  readonly safetySpool?: AssessmentSpool | undefined;
}

/** What of a context a single write needs. */
export type WriterContext = Pick<ExtensionContext, "store" | "clock" | "ids" | "logger">;

/** An agent as its extensions know it. */
export interface ExtensionAgent {
  readonly name: string;
  readonly version: number;
  readonly state: StateDefinition;
  readonly prompt: PromptOptions;
  readonly sections: readonly PromptPart[];
  readonly episodeSilenceMs: number | undefined;
  readonly apology: string;
  readonly extensions: readonly Extension[];
}

/** The parts of an agent's definition that an extension may check. */
export interface DefinedParts {
  readonly name: string;
  readonly state: StateDefinition;
  /** Names of the agent's own stages. */
  readonly stages: readonly string[];
}

/** A write to an owner's entries, as a commit takes it. Null removes the entry with all its versions. */
export type OwnerWrite = NonNullable<OwnerChange["entries"]>[number];

/** What a customer has sent: a message, or a custom event of their page in words. */
export interface Heard {
  readonly agent: ExtensionAgent;
  readonly text: string;
  readonly kind: "message" | "custom";
}

/** What an extension makes of something that a customer has sent, before it is stored. */
export interface AcceptEffect {
  /** It waits for nothing: it ends the turn at work, and is in front of all that waits. */
  readonly urgent: boolean;
  /** Milliseconds that whoever waits for the answer waits besides the runtime's own limit, where it is urgent. */
  readonly answerMs: number;
  /** What the commit that accepts it holds besides; decided anew on each try of the commit. */
  beside(accepting: Accepting): Promise<AcceptBeside | undefined>;
}

/** What is about to be accepted, and the session as it stands. */
export interface Accepting {
  readonly context: ExtensionContext;
  readonly loaded: LoadedSession;
  readonly session_id: SessionId;
  readonly trace_id: string;
  /** A turn will answer it. A message in manual mode has none, and neither has a custom event that is not urgent. */
  readonly answered: boolean;
}

/** What the commit of something accepted holds besides. */
export interface AcceptBeside {
  /** That it was assessed, for the log; `alert`: how urgent it is for the people who have the session. */
  readonly assessed?: { readonly audit_id: string; readonly level: number; readonly alert?: number };
  readonly records?: readonly RecordChange[];
}

/** Something that was sent and that the store has not taken, or has lost sight of. */
export interface Unstored {
  readonly context: ExtensionContext;
  readonly agent: ExtensionAgent;
  readonly text: string;
  readonly session_id: string;
  /** Who says that the session is theirs, where nobody could look whether it is. */
  readonly customer?: string | undefined;
  /** Whether it is on record all the same. */
  readonly saved: boolean;
}

/** What a turn has come to: what the customer gets to read, and what the log says about it. */
export interface Answer {
  readonly text: string;
  /** Whether the text is the agent's answer, blank for a greeting that is none; the apology is not, and later prompts leave it out. */
  readonly final: boolean;
  readonly outcome: Outcome;
  /** Model calls, and their tokens. */
  readonly steps: number;
  readonly tokens: number;
  /** How often each tool was called. */
  readonly calls: Readonly<Record<string, number>>;
  /** The model's last reply was cut off. */
  readonly truncated?: boolean;
}

/** Why a draft is over. `end`: its text was committed. It was not: `fence`, the turn was taken over after a crash, withdrawn, superseded or given
 * back; `manual`, a person took the session over; `stopped`, the turn was stopped; `failed`, it failed or was blocked. */
export type DraftEnd = "end" | "fence" | "manual" | "stopped" | "failed";

/** A tool call that has started. */
export interface StartedCall {
  readonly call_id: string;
  readonly name: string;
}

/** A draft that is being written. `after`: the last offset that is in the log, which readers get first. */
export interface OpenDraft {
  /** Appends text, which every reader gets soon. */
  write(text: string, after: number): void;
  /** Shows that a call has started that is not in the log yet. */
  started(call: StartedCall, after: number): void;
  /** Ends what was shown so far; what comes next is another draft. Nothing was shown: nothing happens. */
  next(reason: DraftEnd): void;
  /** Ends the draft. Every draft ends; a second end is ignored. */
  end(reason: DraftEnd): void;
}

/** What the journal says of a stage besides what it changed. */
export interface StageEntry {
  readonly name: string;
  readonly ms: number;
  readonly control: Control;
  /** What was recalled, of the stage that does that. */
  readonly recall?: JsonObject;
  /** What was found, of the stage that is a gate. */
  readonly assessment?: JsonObject;
}

/** What a turn has written, and has not committed yet. */
export interface TurnJournal {
  readonly state: StateOf<StateDefinition>;
  /** How many events the next commit has. */
  readonly size: number;
  /** Sets fields that are loaded for this turn, and stored nowhere. */
  load(values: object): void;
  /** Applies a delta and notes what it changed; a stage's journal entry is noted even if it changed nothing. */
  apply(
    writer: { readonly type: "stage"; readonly name: string },
    delta: unknown,
    options?: { readonly writes?: readonly string[]; readonly stage?: StageEntry },
  ): void;
  add(event: NewEvent): void;
  /** Keeps a record beside the log, in the commit of what is noted with it; of two with one key the later. */
  keep(record: RecordChange): void;
  /** Commits everything noted. Throws `turn.fenced` when the turn is another's. */
  flush(): Promise<void>;
}

/** A turn that begins, before anything of it is known but what was said. */
export interface Beginning {
  readonly context: ExtensionContext;
  readonly agent: ExtensionAgent;
  readonly loaded: LoadedSession;
  /** What was said, as far as the turn may see it, whatever was forgotten since. */
  readonly messages: readonly Message[];
  /** Offsets of what it answers, which it sees in any case. */
  readonly answers: readonly number[];
  readonly signal: AbortSignal;
}

/** How the runtime reads what the owner has had forgotten. What is left out: from the store, within 3 seconds. */
export interface WaysToRead {
  /** Milliseconds that the turn waits for it; then it sees nothing but what it answers. */
  readonly readMs?: number;
  /** The owner's masks, and the version of the owner that they are of. */
  readonly masks?: () => Promise<{ readonly masks: readonly Mask[]; readonly version: number }>;
}

/** What a turn is shown of the conversation. */
export interface ShownHistory {
  readonly messages: readonly Message[];
  /** Version of the owner that it was read at; undefined where nothing could be read. */
  readonly version: number | undefined;
  /** Milliseconds that the turn waits when it has to look again whether words were taken back. */
  readonly readMs: number;
}

/** A stage of an extension's own, at its place among the agent's. */
export interface PlacedStage {
  /** No stage of the agent can have the same name. */
  readonly name: string;
  /** The stage that it runs before; after all of them if left out. */
  readonly before?: string | undefined;
  /** Replayed: what an earlier attempt has written down is in `turn.loaded.journal`, and `turn.journaled` has its name if it has written an entry. */
  run(turn: ExtensionTurn): Promise<void>;
  /** Begins what can be done beside the stages; what it returns ends that when they are over. */
  ahead?(turn: ExtensionTurn): (() => void) | undefined;
}

/** How a turn ends, and whose entries it may write: what is decided holds for that version of the owner alone. */
export interface Ending {
  readonly answer: Answer;
  readonly owner: { readonly owner_id: OwnerId; readonly version: number };
}

/** What the last commit of a turn holds besides. */
export interface FinishBeside {
  /** Writes to the owner's entries. */
  readonly entries?: readonly OwnerWrite[];
  readonly records?: readonly RecordChange[];
  /** The head that it was decided on, if it names offsets of what the commit appends. */
  readonly head?: number;
}

/** A session of a bundle that is imported, under the id that it has here. */
export interface Imported {
  readonly store: Store;
  readonly session_id: SessionId;
  readonly agent: string;
  readonly events: readonly { readonly kind: string; readonly data: JsonObject }[];
  /** The bundle's entries in the order of their versions; without data, one that was removed. */
  readonly entries: readonly OwnerWrite[];
  /** The customer it is imported to, if they were there before: their entries stay as they are. */
  readonly owner_id?: OwnerId;
}

/** A turn at work, as an extension sees it. */
export interface ExtensionTurn {
  readonly runtime: ExtensionContext;
  readonly claim: Claim;
  readonly agent: ExtensionAgent;
  readonly signal: AbortSignal;
  readonly loaded: LoadedSession;
  readonly journal: TurnJournal;
  readonly messages: readonly Message[];
  /** The customer messages that the turn answers. */
  readonly answered: readonly Message[];
  /** Custom events of the customer's since the last reply, in words. */
  readonly reported: readonly Message[];
  /** Offset of the event that began it; of the head before it, until that is committed. */
  readonly started: number;
  readonly began_at: number;
  /** What was asked of the turn so far, in this attempt and before. */
  readonly asked: { readonly control: Control };
  /** Stages that an earlier attempt has finished. */
  readonly journaled: ReadonlySet<string>;
  /** Milliseconds of each stage. */
  readonly timings: Record<string, number>;
  /** Numbers for the end of the turn, besides the runtime's own. */
  readonly diagnostics: Record<string, Json>;
  /** When each message that it answers was said, by offset. */
  readonly saidAt: ReadonlyMap<number, number>;
  /** What stages, hooks and tools are told of it. */
  readonly told: { assessment?: Assessment; interrupted?: true; memory?: Recalled };
  /** Version of the owner that the turn was shown first; undefined as long as it was shown nothing. The turn is taken up again if words are taken back since. */
  readonly shown: { version: number | undefined; readonly readMs: number };
  /** The last attempt: the turn has been claimed so often without progress that its agent's own stages and tools are not run again. */
  readonly lastAttempt: boolean;
  /** Asks something of the turn, as a stage does. */
  ask(control: Control): void;
  /** Runs the stages that run in every turn, and those of extensions if `recall` is wanted. What fails of it is logged, and holds nothing up. */
  runAlways(options: { readonly recall: boolean }): Promise<void>;
  /** Asks the agent's model for one answer, without tools: its prompt with a section more. `step` numbers the call within the turn, from 1. */
  askModel(
    section: PromptSection,
    options: { readonly step: number; readonly signal: AbortSignal },
  ): Promise<{ readonly text: string; readonly tokens: number }>;
}

/** What is said in the place of an answer of a turn that could not even begin, and what its commit holds besides. */
export interface InsteadOfApology {
  readonly text: string;
  readonly events?: readonly NewEvent[];
  readonly records?: readonly RecordChange[];
}

/** Work that a process does beside its turns, from `start` to `close`. */
export interface BackgroundWorker {
  start(): void;
  /** Does now what there is to do. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A feature that takes part in the turns of the agents that declare it. Every point is optional. `first`: the first extension that has something to say is heard;
 * `collect`: all are; `wrap`: each is around the next.
 */
export interface Extension<Api extends Added = Added> {
  /** Unique within an agent. */
  readonly name: string;
  /** It has the last word: its points run before and around those of other extensions. */
  readonly guards?: true;
  /** What it was declared with, for its own commands and views. */
  readonly settings?: unknown;
  /** Collect: throws `agent.invalid` for a definition that it cannot work with. */
  check?(parts: DefinedParts): void;
  /** Collect, synchronous, not replayed: looks at what a customer has sent, before it is stored. Must not throw. */
  accept?(heard: Heard): AcceptEffect | undefined;
  /**
   * Sequence, synchronous, guards last; not replayed: rewrites each text and number before a commit of the runtime stores it, whichever agent the commit belongs to,
   * and before readers see it in a draft. Ids, keys, hashes, labels and member names are not passed. A text must stay a text, a number a number, and the point's own
   * result unchanged. If it throws, nothing is stored.
   */
  store?(value: string | number, place: StoredPlace): string | number;
  /** First: what is said to something urgent, or to anything at all, that the store does not take. */
  withoutStore?(unstored: Unstored): Promise<string>;
  /** Wrap, replayed: around what a turn is shown of the conversation. `next` leaves out what the owner has had forgotten; `ways`: how it reads that. */
  history?(beginning: Beginning, next: (ways?: WaysToRead) => Promise<ShownHistory>): Promise<ShownHistory>;
  /** Stages at their places among the agent's; not a function. */
  readonly stages?: readonly PlacedStage[];
  /** Collect, replayed: what the agent's stages and tools are handed under the extension's name. `step_id`: the step whose model has asked for a tool. */
  hands?(turn: ExtensionTurn, asked: { readonly step_id?: StepId | undefined }): object;
  /** Wrap, replayed: around the stages and the reply. `next` answers as the agent would without it. */
  answer?<Paused extends { readonly paused: object }>(
    turn: ExtensionTurn,
    step: { readonly draft: OpenDraft; readonly next: (draft: OpenDraft) => Promise<Answer | Paused> },
  ): Promise<Answer | Paused>;
  /** First: in the place of the apology of a turn that could not begin. `text`: what it was to answer. */
  insteadOfApology?(given: {
    readonly context: ExtensionContext;
    readonly agent: ExtensionAgent;
    readonly claim: Claim;
    readonly loaded: LoadedSession;
    readonly text: string;
  }): Promise<InsteadOfApology | undefined>;
  /** Collect: part of the commit that ends a turn. Asked again when the owner, or the head, has changed meanwhile. */
  finish?(turn: ExtensionTurn, ending: Ending): Promise<FinishBeside | undefined>;
  /** Collect: after the commit that ends a turn; in memory only. `owner_id`: whose the session was by then. Must not throw. */
  finished?(turn: ExtensionTurn & { readonly owner_id: OwnerId }): void;
  /** Sequence: the state that a withdrawal leaves. `before`: as it was before what is taken back; `now`: as it is. */
  withdrawn?(states: { readonly before: JsonObject; readonly now: JsonObject }): JsonObject;
  /** Collect: what a withdrawal from an offset on takes back of the owner's entries. Asked again when the owner has changed meanwhile. */
  retracted?(given: { readonly context: ExtensionContext; readonly session: SessionRow; readonly from: number }): Promise<readonly OwnerWrite[]>;
  /** Collect: what an owner's entries become as a customer's, as writes to those of the customer; of a customer who is new, `to` is undefined. Asked again likewise. */
  identified?(given: { readonly context: WriterContext; readonly from: OwnerId; readonly to: OwnerId | undefined }): Promise<readonly OwnerWrite[]>;
  /** Collect: records that a session needs which is imported, and the offsets of it that no turn may be shown. */
  imported?(given: Imported): Promise<{ readonly records?: readonly RecordChange[]; readonly masked?: readonly number[] } | undefined>;
  /** One of each name: an owner was erased, so nothing that this process remembers of them may stay. */
  erased?(context: ExtensionContext, owner_id: OwnerId): void;
  /** One of each name: when a runtime starts, before its first turn. */
  prepare?(context: ExtensionContext): void;
  /** One of each name: work beside the turns. `work`: whether the process runs turns. */
  background?(context: ExtensionContext, options: { readonly pollMs: number; readonly work: boolean }): BackgroundWorker;
  /**
   * One of each name: what it adds for callers, made once in a runtime, when it is first asked for. It is there whether or not an agent declares the extension, since
   * what an extension has stored outlives the definition that declared it.
   */
  api?(context: ExtensionContext): Api;
}

/** What a value belongs to that is about to be stored. */
export interface StoredPlace {
  /**
   * `event`: data of an event; `state`: a field of a session's state; `header`: title of a session, or reason of a hand-over; `metadata`: the integration's own data;
   * `customer`: a customer's name; `memory`: an entry of an owner; `record`: a record beside the logs; `fallback`: what waits outside of the store; `draft`: a
   * reply that is shown while it is written.
   */
  readonly of: "event" | "state" | "header" | "metadata" | "variable" | "customer" | "memory" | "record" | "fallback" | "draft";
  /** Kind of the event, the entry or the record; name of the field, the variable or the member. Blank where there is none. */
  readonly name: string;
}

/** What an extension adds for callers. Each member is optional. */
export interface Added {
  /** What `runtime.extension(…)` returns. */
  readonly runtime?: object;
  /** What `session.extension(…)` returns. Whether there is such a session is for its functions to find out. */
  session?(session_id: SessionId): object;
  /** What `customers.extension(…)` returns. Whether there is such a customer is for its functions to find out. */
  customer?(customer_id: string): object;
}

/** Settings that make an extension. */
export type ExtensionSettings = object & { extension(): Extension };

/** A declaration of an extension: the extension itself, or settings that make one. */
export type Declared = Extension | ExtensionSettings;

/**
 * How the extensions at a point take part. `first`: the first one that has something to say is heard. `collect`: all are. `sequence`: each is given what the one
 * before has made. `wrap`: each is around the next. `one`: one of each name in a runtime. `value`: not a function.
 */
export type PointKind = "first" | "collect" | "sequence" | "wrap" | "one" | "value";

/** The members of an extension and their kinds: the compiler asks for a name that is left out. */
export const extensionPoints: Readonly<Record<keyof Extension, PointKind>> = Object.freeze({
  ...{ name: "value", guards: "value", settings: "value", check: "collect", accept: "collect", store: "sequence", withoutStore: "first" },
  ...{ history: "wrap", stages: "value", hands: "collect", finish: "collect", retracted: "collect", identified: "collect", imported: "collect" },
  ...{ answer: "wrap", insteadOfApology: "first", finished: "collect", withdrawn: "sequence" },
  ...{ erased: "one", prepare: "one", background: "one", api: "one" },
});

/**
 * A checked and frozen extension. `agent.invalid` for one without a name, and for a member that no extension has: a point that is misspelled would never be asked.
 * @example defineAgent({ name: "diary", extensions: [defineExtension({ name: "audit", finished: ({ claim }) => log(claim.turn.turn_id) })], … })
 */
export function defineExtension<Api extends Added = Added>(extension: Extension<Api>): Extension<Api> {
  if (!isExtension(extension)) throw new ThroughlineError("agent.invalid", `An extension is an object with a name, got ${seen(extension)}.`);
  const unknown = Object.keys(extension).find((key) => !Object.hasOwn(extensionPoints, key));
  if (unknown !== undefined)
    throw new ThroughlineError(
      "agent.invalid",
      `Extension "${extension.name}" has "${unknown}"; an extension has ${Object.keys(extensionPoints).join(", ")}.`,
    );
  return Object.freeze({ ...extension });
}

const isExtension = (value: unknown): value is Extension => isPlainObject(value) && typeof value["name"] === "string" && value["name"] !== "";

/** The extensions that an agent declares, those with the last word first; `agent.invalid` for what is none, and for two of one name. */
export function checkExtensions(parts: DefinedParts, declared: readonly Declared[]): readonly Extension[] {
  const extensions: Extension[] = [];
  for (const one of declared) {
    const made: unknown = isPlainObject(one) && typeof one["extension"] === "function" ? one["extension"]() : one;
    if (!isExtension(made)) throw new ThroughlineError("agent.invalid", `Agent "${parts.name}" declares an extension that is none: ${seen(one)}.`);
    if (extensions.some(({ name }) => name === made.name))
      throw new ThroughlineError("agent.invalid", `Agent "${parts.name}" declares the extension "${made.name}" twice.`);
    extensions.push(defineExtension(made));
  }
  const checked = extensions.toSorted((one, other) => Number(other.guards === true) - Number(one.guards === true));
  for (const extension of checked) {
    extension.check?.(parts);
    checkPlaced(parts, extension);
  }
  return Object.freeze(checked);
}

/** Refuses a stage that has the name of an agent's, and one whose place there is not. */
function checkPlaced(parts: DefinedParts, { name, stages = [] }: Extension): void {
  for (const stage of stages) {
    if (parts.stages.includes(stage.name))
      throw new ThroughlineError("agent.invalid", `Agent "${parts.name}" has a stage "${stage.name}", which the extension "${name}" adds.`);
    if (stage.before !== undefined && !parts.stages.includes(stage.before))
      throw new ThroughlineError(
        "agent.invalid",
        `The extension "${name}" of agent "${parts.name}" runs "${stage.name}" before the stage "${stage.before}", which there is not.`,
      );
  }
}

/** The extensions of all agents of a process that have a point, one of each name. */
export function extensionsWith<Point extends keyof Extension>(
  { agents }: Pick<ExtensionContext, "agents">,
  point: Point,
): readonly (Extension & Required<Pick<Extension, Point>>)[] {
  const found = new Map<string, Extension & Required<Pick<Extension, Point>>>();
  for (const { extensions } of agents.values())
    for (const extension of extensions) if (hasPoint(extension, point) && !found.has(extension.name)) found.set(extension.name, extension);
  return [...found.values()];
}

/** Extensions that look after what they keep in a database also where no agent declares them, loaded when they are asked. */
export type Kept = () => Promise<readonly Extension[]>;

/** The extensions that have a point: those that are `kept` and not declared, then those that are, which have the last word on an entry. */
export async function keepersWith<Point extends keyof Extension>(
  declared: readonly Extension[],
  kept: Kept,
  point: Point,
): Promise<readonly (Extension & Required<Pick<Extension, Point>>)[]> {
  const others = (await kept()).filter(({ name }) => !declared.some((one) => one.name === name));
  return [...others, ...declared].filter((extension) => hasPoint(extension, point));
}

/** Whether an extension takes part at a point. */
export const hasPoint = <Point extends keyof Extension>(
  extension: Extension,
  point: Point,
): extension is Extension & Required<Pick<Extension, Point>> => extension[point] !== undefined;

/** What the extensions of an agent make of something that a customer has sent: urgent if one says so, and everything that they add. */
export function acceptedBy(heard: Heard): AcceptEffect | undefined {
  const effects = heard.agent.extensions.flatMap((extension) => extension.accept?.(heard) ?? []);
  if (effects.length <= 1) return effects[0];
  return {
    urgent: effects.some(({ urgent }) => urgent),
    answerMs: Math.max(...effects.map(({ answerMs }) => answerMs)),
    beside: async (accepting) => {
      const all = await Promise.all(effects.map((effect) => effect.beside(accepting)));
      const assessed = all.map((one) => one?.assessed).filter((one) => one !== undefined);
      const gravest = assessed.toSorted((one, other) => other.level - one.level)[0];
      return { ...(gravest === undefined ? {} : { assessed: gravest }), records: all.flatMap((one) => one?.records ?? []) };
    },
  };
}

/** What extensions have added in each runtime. */
const added = new WeakMap<ExtensionContext, WeakMap<object, unknown>>();

/** What an extension adds for callers in this runtime; `input.invalid` for one that adds nothing. */
export function addedBy<Api extends Added>(context: ExtensionContext, extension: Extension<Api>): Api {
  if (typeof extension?.api !== "function")
    throw new ThroughlineError("input.invalid", `An extension that adds something for callers has the point "api", got ${seen(extension)}.`, {
      details: { path: "extension" },
    });
  const known = added.get(context) ?? new WeakMap<object, unknown>();
  added.set(context, known);
  if (!known.has(extension)) known.set(extension, extension.api(context));
  // Nothing but this extension's own point is kept under it.
  return known.get(extension) as Api;
}
