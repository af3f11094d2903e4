/** Conformance checks for extensions, as a list that any test runner can loop over. */
import { present } from "../kernel/json.ts";
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineExtension, extensionPoints, type Declared, type Extension } from "../extension/port.ts";
import { systemClock } from "../kernel/clock.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { ErrorCode } from "../kernel/error-catalogue.ts";
import type { SessionId } from "../kernel/id.ts";
import { createRuntime, type Runtime, type Session } from "../create-runtime.ts";
import { openStore } from "../open-store.ts";
import type { Agent } from "../runtime/agent/agent.ts";
import type { TurnResult } from "../runtime/reading/outcome.ts";
import { openMemoryStore } from "../store/in-memory/in-memory-store.ts";
import { forwarding, type Store } from "../store/port.ts";
import { mortalStore } from "./mortal-store.ts";

/** An extension under test, and a conversation that makes it act. */
export interface ExtensionRig {
  /** Creates the extension, as a starting process would. */
  extension(): Declared;
  /**
   * Creates an agent that declares these extensions. Its model must answer the same request with the same text. The state has the fields that the
   * extension needs.
   */
  agent(extensions: readonly Declared[]): Agent;
  /** At least two customer messages that make the extension act. */
  readonly messages: readonly [string, string, ...string[]];
  /** Milliseconds after which a message counts as never answered. Default 20,000. */
  readonly patienceMs?: number;
  /** Kinds of records that the extension writes. A crash must not change their number. */
  readonly records?: readonly string[];
}

/** One requirement of the extension port. */
export interface ExtensionCheck {
  readonly name: string;
  /** Rejects if the extension does not fulfill the requirement. */
  readonly run: (rig: ExtensionRig) => Promise<void>;
}

/**
 * Returns the checks of the extension port. A failed check rejects.
 *
 * ```ts
 * for (const { name, run } of extensionChecks()) test(name, () => run(rig));
 * ```
 */
export function extensionChecks(): readonly ExtensionCheck[] {
  return [
    { name: "a turn that is resumed after a crash at any commit comes to the same", run: resumes },
    { name: "a withdrawal undoes what it did to the state", run: withdraws },
    { name: "erasing a customer removes what it stored, also where it is not loaded", run: erases },
    { name: "whichever point fails, no message is lost", run: losesNothing },
  ];
}

const customer = "ada";
/** A word that occurs nowhere else. */
const canary = "quagmarinth";
/** Timeout for a message in milliseconds, on a busy machine. */
const patienceMs = 20_000;
const late = Symbol("late");

const madeBy = (rig: ExtensionRig): Extension => {
  const declared = rig.extension();
  return "extension" in declared && typeof declared.extension === "function" ? declared.extension() : (declared as Extension);
};

const start = (store: Store, agent: Agent): Promise<Runtime> => createRuntime({ store, agents: [agent], pollMs: 20, leaseMs: 5_000 });

const sessionOf = (runtime: Runtime, agent: Agent): Promise<Session> => runtime.sessions.open({ agent: agent.name, customer });

const send = (session: Session, text: string, index: number): Promise<TurnResult> => session.send(text, { idempotencyKey: `message ${index}` });

/** Returns the value, the error or `late` after a time limit. Never rejects. */
async function within<Value>(work: Promise<Value>, ms = patienceMs): Promise<Value | Error | typeof late> {
  const over = Promise.withResolvers<typeof late>();
  const timer = setTimeout(() => over.resolve(late), ms);
  try {
    return await Promise.race([work.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error)))), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the result of a conversation without parts that differ between runs: ids, times and offsets. */
async function resultOf(session: Session, store: Store, records: readonly string[]): Promise<unknown> {
  const messages = (await session.messages({ last: 1_000 })).map(({ role, text }) => ({ role, text }));
  const turns = (await session.turns()).items.map(({ status }) => status);
  const counts = await Promise.all(records.map(async (kind) => [kind, (await store.list({ of: "records", kind })).total] as const));
  return withoutChance({ messages, turns, state: (await session.state()).document, records: Object.fromEntries(counts) });
}

/** Replaces ids and times. */
const withoutChance = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_name, member: unknown) => {
      if (typeof member === "number") return member > 1e12 && member < 2e13 ? "a time" : member;
      return typeof member === "string" ? member.replaceAll(/\b[a-z]{2,4}_[0-9a-z]{26}\b/gu, "an id") : member;
    }),
  );

/** Runs the whole conversation in one process without crashes. */
async function talk(store: Store, rig: ExtensionRig, suffix = ""): Promise<void> {
  const agent = rig.agent([rig.extension()]);
  const runtime = await start(store, agent);
  const session = await sessionOf(runtime, agent);
  for (const [index, text] of rig.messages.entries()) await send(session, `${text}${suffix}`, index);
  await runtime.close({ drainMs: patienceMs });
}

async function resumes(rig: ExtensionRig): Promise<void> {
  const { records = [] } = rig;
  const agent = rig.agent([rig.extension()]);
  let commits = 0;
  const whole = openMemoryStore();
  const counting: Store = { ...whole, commit: (commit) => ((commits += 1), whole.commit(commit)) };
  await talk(counting, rig);
  const reader = await createRuntime({ store: whole, agents: [agent], work: false });
  const expected = await resultOf(await sessionOf(reader, agent), whole, records);
  await reader.close();
  // The first commit opens the session.
  for (let commit = 2; commit <= commits; commit++)
    for (const at of ["before", "after"] as const) {
      const store = openMemoryStore();
      const opening = await createRuntime({ store, agents: [agent], work: false });
      const { id } = await sessionOf(opening, agent);
      await opening.close();
      const seen = await surviving(store, rig, { id, death: { at, commit: commit - 1 } });
      deepStrictEqual(seen, expected, `after a crash ${at} commit ${commit}`);
    }
}

/** Runs the conversation in a process that dies at a commit, and continues it in another process. */
async function surviving(
  store: Store,
  rig: ExtensionRig,
  { id, death }: { readonly id: SessionId; readonly death: { readonly at: "before" | "after"; readonly commit: number } },
): Promise<unknown> {
  const mortal = mortalStore(store, death);
  const agent = rig.agent([rig.extension()]);
  const dying = await start(mortal.store, agent);
  let runtime = dying;
  for (const [index, text] of rig.messages.entries()) {
    const answered = send(await runtime.sessions.get(id), text, index);
    if (runtime === dying && (await Promise.race([answered, mortal.died])) !== undefined) continue;
    if (runtime === dying) runtime = await start(store, rig.agent([rig.extension()]));
    await send(await runtime.sessions.get(id), text, index);
  }
  const session = await runtime.sessions.get(id);
  await runtime.close({ drainMs: patienceMs });
  mortal.die();
  void dying.close({ drainMs: 0 });
  return resultOf(session, store, rig.records ?? []);
}

async function withdraws(rig: ExtensionRig): Promise<void> {
  const store = openMemoryStore();
  const agent = rig.agent([rig.extension()]);
  const runtime = await start(store, agent);
  const session = await sessionOf(runtime, agent);
  const [first, ...others] = rig.messages;
  await send(session, first, 0);
  const [before, messages] = [(await session.state()).document, await session.messages({ last: 1_000 })];
  const { head } = await session.info();
  for (const [index, text] of others.entries()) await send(session, text, index + 1);
  const now = (await session.state()).document;
  // The extension itself defines the state that it keeps.
  const kept = madeBy(rig).withdrawn?.({ before, now }) ?? before;
  await session.withdraw({ from: head + 1 });
  deepStrictEqual((await session.state()).document, kept, "the state after the withdrawal");
  deepStrictEqual(
    (await session.messages({ last: 1_000 })).map(({ text }) => text),
    messages.map(({ text }) => text),
    "the messages after the withdrawal",
  );
  const again = await session.send(others[0] ?? first);
  ok(again.turn_id !== undefined, "a message after the withdrawal is answered");
  await runtime.close({ drainMs: patienceMs });
}

async function erases(rig: ExtensionRig): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "throughline-extension-"));
  const isThere = async (): Promise<boolean> => {
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
    return files.some((bytes) => bytes.includes(canary) || bytes.includes(Buffer.from(canary, "utf16le")));
  };
  try {
    const place = join(folder, "extension.db");
    const store = await openStore(place);
    await talk(store, rig, ` ${canary}`);
    ok(await isThere(), "the database holds what the customer has written");
    await store.close();
    const again = await openStore(place);
    const without = await start(again, rig.agent([]));
    const { owner_id } = await without.customers.get(customer);
    await without.customers.delete(customer);
    await rejects(without.customers.get(customer), (error) => ThroughlineError.is(error, "customer.not_found"));
    deepStrictEqual(await again.entries({ owner_id }), [], "memory entries of an erased customer");
    await without.close();
    await again.close();
    ok(!(await isThere()), "a file of the database holds what an erased customer has written: a record without session_id and owner_id?");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Fault {
  readonly point: keyof Extension;
  /** Code of the error that the point throws. Undefined for an error of no code. */
  readonly code?: ErrorCode;
  /** Whether the store rejects all writes. */
  readonly broken: boolean;
}

/** Codes that would leave a turn for another attempt if they came from the turn itself. */
const lostTurn = ["session.not_found", "session.conflict", "store.unreachable"] as const;

/** Returns the extension with one point that throws. A point of commits throws in every commit. */
function failingAt(rig: ExtensionRig, { point, code }: Pick<Fault, "point" | "code">): Declared {
  const fails = (): never => {
    const message = `${point} fails, as the check wants it`;
    throw code === undefined ? new Error(message) : new ThroughlineError(code, message);
  };
  return defineExtension({ ...madeBy(rig), [point]: fails });
}

async function losesNothing(rig: ExtensionRig): Promise<void> {
  const extension = madeBy(rig);
  const points = (Object.keys(extensionPoints) as (keyof Extension)[]).filter(
    (point) => extensionPoints[point] !== "value" && extension[point] !== undefined && point !== "check" && point !== "api",
  );
  ok(points.length > 0, "the extension has a point");
  for (const point of points) {
    for (const broken of [false, true]) await keepsMessages(rig, { point, broken });
    for (const code of lostTurn) await keepsMessages(rig, { point, code, broken: false });
  }
}

/**
 * Runs the conversation with a failing point, and with a store that rejects all writes if `broken`. Then runs it without faults. Every message must
 * be stored once and answered.
 */
async function keepsMessages(rig: ExtensionRig, { point, code, broken }: Fault): Promise<void> {
  const store = openMemoryStore();
  const sound = rig.agent([rig.extension()]);
  const opening = await createRuntime({ store, agents: [sound], work: false });
  const { id } = await sessionOf(opening, sound);
  await opening.close();
  let isBroken = false;
  const failing: Store = {
    ...forwarding(store),
    commit: (commit) => (isBroken ? Promise.reject(new ThroughlineError("store.corrupt", "as the check wants it")) : store.commit(commit)),
  };
  const started = await within(start(failing, rig.agent([failingAt(rig, { point, ...present({ code }) })])));
  // A sender whose message was confirmed need not send it again.
  const told = new Set<number>();
  let last = Number.MAX_SAFE_INTEGER;
  if (started !== late && !(started instanceof Error)) {
    const session = await started.sessions.get(id);
    isBroken = broken;
    for (const [index, text] of rig.messages.entries()) {
      const result = await within(session.post(text, { idempotencyKey: `message ${index}` }));
      if (result === late || result instanceof Error) continue;
      told.add(index);
      last = result.offset;
      await within(session.outcome(result.offset), 500);
    }
    // A withdrawal that cannot be decided does not happen.
    if (["withdrawn", "restored", "retracted"].includes(point) && !broken) await within(session.withdraw({ from: last }));
    isBroken = false;
    await within(started.close({ drainMs: 500 }), 2_000);
  }
  const runtime = await start(store, sound);
  const session = await runtime.sessions.get(id);
  for (const [index, text] of rig.messages.entries()) if (!told.has(index)) await session.post(text, { idempotencyKey: `message ${index}` });
  try {
    await untilAnswered(session, point, rig.patienceMs ?? patienceMs);
  } finally {
    await runtime.close({ drainMs: 500 });
  }
  const texts = (await session.messages({ last: 1_000 })).filter(({ role }) => role === "user");
  strictEqual(texts.length, rig.messages.length, `messages of the customer in the log after "${point}" has failed`);
}

async function untilAnswered(session: Session, point: string, ms: number): Promise<void> {
  for (const until = systemClock.monotonic() + ms; ;) {
    const { turns, waiting } = await session.pending();
    if (turns.length === 0 && waiting.length === 0) return;
    ok(systemClock.monotonic() < until, `messages that nobody answers after "${point}" has failed: ${waiting.join(", ")}`);
    await systemClock.sleep(20);
  }
}
