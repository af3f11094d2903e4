/** Lists the tool calls that wait for a decision and records the operator's decision. */
import { present } from "throughline/internal";
import { ThroughlineError, isPlainObject, type Json, type JsonObject } from "throughline/kernel";
import { decideCall, pendingOf } from "throughline/internal/runtime";
import type { DecideOptions, Pending, Store } from "throughline";
import { type CommandContext, withStore, writerOf } from "./command-context.ts";
import type { Channel } from "./command-output.ts";
import { chosenSession, openTurn } from "./read-session.ts";
import { clip, indent, jsonText, printable } from "./terminal-text.ts";

/** The decisions that a user can make at a terminal. */
export type Word = "approve" | "reject" | "answer";

const textOf = (value: Json): string => (typeof value === "string" ? printable(value) : jsonText(value));

/** Formats the pending calls with their numbers. `now` determines the time left until a call expires. */
export function describePending(calls: readonly Pending[], { paint, columns }: Pick<Channel, "paint" | "columns">, now: number): string {
  const width = columns(100);
  return calls
    .map((call, index) => {
      const asks = call.kind === "question" ? "asks you" : "wants to run";
      const left = call.expires_at === undefined ? "" : ` · rejected automatically in ${duration(call.expires_at - now)}`;
      const question = call.question === undefined ? [] : [textOf(call.question)];
      const args = paint("dim", clip(`with ${jsonText(call.arguments)}`, width - 4));
      return [
        `${index + 1}. ${paint("bold", printable(call.name))} ${asks}${paint("dim", left)}`,
        ...[...question, args].map((line) => indent(line, "   ")),
      ].join("\n");
    })
    .join("\n");
}

function duration(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  if (minutes < 120) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1440)} days`;
}

/** Explains how to decide pending calls at a chat prompt. */
export function howToDecide(calls: readonly Pending[]): string {
  const which = calls.length > 1 ? " <number>" : "";
  const ways = [
    ...(calls.some(({ kind }) => kind === "approval") ? [`/approve${which}`, `/approve${which} --edit {…}`] : []),
    ...(calls.some(({ kind }) => kind === "question") ? [`/answer${which} …`] : []),
    `/reject${which} why`,
  ];
  return `It waits for you: ${ways.join(" · ")}`;
}

const wrong = (message: string): ThroughlineError => new ThroughlineError("input.invalid", message, { hint: "/pending lists what waits." });

/**
 * Finds a call by number or id. Without a name, returns the only call. Throws `input.invalid` if the name is unknown or ambiguous, and
 * `approval.not_pending` if no call is pending.
 */
export function callNamed(calls: readonly Pending[], name: string | undefined): Pending {
  const [only] = calls;
  if (only === undefined) throw new ThroughlineError("approval.not_pending", "No call waits for a decision.");
  if (name === undefined && calls.length === 1) return only;
  const named = calls.find(({ call_id }) => call_id === name) ?? (/^\d+$/u.test(name ?? "") ? calls[Number(name) - 1] : undefined);
  if (named !== undefined) return named;
  throw wrong(calls.length === 1 ? `No call is named "${clip(name ?? "", 40)}".` : `${calls.length} calls wait: name one by its number.`);
}

/**
 * Splits a line into the call that it names and the remaining text. With a single pending call the name is optional, and a leading number belongs to
 * the answer.
 */
export function chosenCall(calls: readonly Pending[], line: string): { readonly call: Pending; readonly rest: string } {
  const [, first = "", rest = ""] = /^\s*(\S*)\s*(.*)$/su.exec(line) ?? [];
  const [only] = calls;
  const isNamed = calls.some(({ call_id }) => call_id === first) || (first === "1" && rest === "" && only?.kind === "approval");
  if (calls.length > 1 || isNamed) return { call: callNamed(calls, first), rest: rest.trim() };
  return { call: callNamed(calls, undefined), rest: line.trim() };
}

/** Builds the decision on a call from the text of a line. Throws `input.invalid` for invalid JSON or a missing answer. */
export function wordOn(word: Word, call: Pending, rest: string): DecideOptions {
  const { call_id, index, arguments_hash } = call;
  const named = { call_id, index, arguments_hash };
  if (word === "reject") return { ...named, decision: "reject", ...(rest === "" ? {} : { feedback: rest }) };
  if (word === "answer") return { ...named, decision: "answer", answer: answerOf(rest) };
  if (rest === "") return { ...named, decision: "approve" };
  const edit = /^--edit(?:\s+|=)(\S.*)$/su.exec(rest)?.[1];
  if (edit === undefined) throw wrong(`/approve takes a call and --edit with JSON, not "${clip(rest, 40)}".`);
  return { ...named, decision: "edit", arguments: objectOf(edit) };
}

function answerOf(rest: string): Json {
  const json = /^--json(?:\s+|=)(\S.*)$/su.exec(rest)?.[1];
  if (json !== undefined) return parsed(json);
  if (rest === "") throw wrong("/answer needs the text of the answer.");
  return rest;
}

function objectOf(text: string): JsonObject {
  const value = parsed(text);
  if (!isPlainObject(value)) throw wrong(`The arguments of a call must be a JSON object, got ${clip(text, 40)}.`);
  return value;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw wrong(`This is not JSON: ${clip(text, 60)}`);
  }
}

/** Dependencies for reading and deciding. No agent is needed, because another process may run the turns. */
const desk = (store: Store, context: CommandContext) => ({ ...writerOf(store, context), agents: new Map() });

/** `sessions pending`: lists the calls that wait for a decision, and says whether turns are open. */
export async function listPending(context: CommandContext, session: string | undefined): Promise<void> {
  const { output, clock } = context;
  const { id, calls, turns } = await withStore(context, async (store) => {
    const { session_id } = await chosenSession(context, store, session);
    const { pending, loaded } = await pendingOf(desk(store, context), session_id);
    return { id: session_id, calls: pending, turns: loaded.turns };
  });
  output.result({ session_id: id, calls, open_turns: turns.map(openTurn) }, () => {
    if (calls.length > 0) return describePending(calls, output.out, clock.now());
    if (turns.length === 0) return "Nothing waits.";
    return `No call waits; ${turns.length === 1 ? "1 turn is" : `${turns.length} turns are`} open.`;
  });
}

export interface WordOptions {
  /** Id of the session, or `undefined` for the most recently used one, then number or id of the call, which is optional if only one is pending. */
  readonly named: readonly string[];
  /** The text after the decision: feedback, an answer, or `--edit` with JSON. */
  readonly rest?: string;
  /** The operator who decides. */
  readonly by?: string | undefined;
}

/** `sessions approve`, `reject` and `answer`: records the decision. The process that runs the agent continues the turn. */
export async function giveWord(context: CommandContext, word: Word, { named, rest = "", by }: WordOptions): Promise<void> {
  const { output } = context;
  const made = await withStore(context, async (store) => {
    const [first, ...others] = named;
    const hasSession = first?.startsWith("ses_") === true;
    const { session_id } = await chosenSession(context, store, hasSession ? first : undefined);
    const [name, ...more] = hasSession ? others : named;
    if (more.length > 0) throw new ThroughlineError("cli.usage", `"${clip(named[0] ?? "", 40)}" is not the id of a session.`);
    const call = callNamed((await pendingOf(desk(store, context), session_id)).pending, name);
    const decision = { ...wordOn(word, call, rest), ...present({ by }) };
    return { session_id, call_id: call.call_id, ...(await decideCall(desk(store, context), session_id, decision)) };
  });
  output.result(made, () => `Recorded at offset ${made.offset}. The turn continues in a process of its agent once nothing else waits.`);
}
