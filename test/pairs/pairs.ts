/** Pairs of writers above the store: both change one session or its customer at once, both succeed, and nothing is lost. */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { fork } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Session, SessionId } from "../../packages/throughline/src/index.ts";
import type { FromWorker, ToWorker } from "./worker.ts";
import { type Deed, type Writer, customerId, openWriter, pairsRuntime } from "./writer.ts";

/** Starts a writer in another process. */
async function processWriter(location: string, session_id: SessionId): Promise<Writer> {
  const child = fork(fileURLToPath(new URL("worker.ts", import.meta.url)), [location, session_id], { execArgv: [] });
  const waiting = new Map<number, PromiseWithResolvers<number | undefined>>();
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let asked = 0;
  child.on("exit", (code) => {
    const error = new Error(`A writer ended with ${code}.`);
    opened.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    ended.resolve();
  });
  child.on("message", (message: FromWorker) => {
    if (message.type === "open") return opened.resolve();
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === "done") call?.resolve(message.offset);
    else call?.reject(new Error(message.error));
  });
  const tell = (message: ToWorker): void => void child.send(message, () => {});
  await opened.promise;
  return {
    write(deed) {
      const call = Promise.withResolvers<number | undefined>();
      waiting.set(++asked, call);
      tell({ type: "write", id: asked, deed });
      return call.promise;
    },
    async close() {
      tell({ type: "close" });
      await ended.promise;
    },
  };
}

const kinds = ["edit", "variables", "post", "same_key", "consumer"] as const satisfies readonly Deed["kind"][];

export interface RuntimePairs {
  readonly pairs: number;
  /** 0 for two runtimes in this process. */
  readonly processes: number;
  readonly onPair?: (done: number) => void;
}

/** What must be there in the end. */
interface Expected {
  edits: number;
  readonly variables: Record<string, number>;
  readonly consumers: Record<string, number>;
  /** Offsets of messages. */
  readonly messages: Set<number>;
  variableWrites: number;
}

async function onePair(writers: readonly [Writer, Writer], number: number, expected: Expected): Promise<void> {
  const kind = kinds[number % kinds.length]!;
  const offsets = await Promise.all(writers.map((writer, index) => writer.write({ kind, number, own: `w${index}` })));
  if (kind === "edit") expected.edits += 2;
  if (kind === "variables") {
    Object.assign(expected.variables, { w0: number, w1: number });
    expected.variableWrites += 2;
  }
  if (kind === "consumer") Object.assign(expected.consumers, { w0: number, w1: number });
  if (kind === "post") notStrictEqual(offsets[0], offsets[1], "Two messages got one offset.");
  if (kind === "same_key") strictEqual(offsets[0], offsets[1], "One message got two offsets.");
  for (const offset of offsets) if (offset !== undefined) expected.messages.add(offset);
}

/** Waits until everything is answered, and compares what is there with what was written. */
async function audit(session: Session, expected: Expected, variablesOf: () => Promise<unknown>): Promise<number> {
  for (let tries = 0; tries < 3000; tries++) {
    const { turns, waiting } = await session.pending();
    if (turns.length + waiting.length === 0) break;
    await delay(10);
  }
  const events = await Array.fromAsync(session.events({ follow: false }));
  deepStrictEqual(
    events.map(({ offset }) => offset),
    events.map((_event, index) => index),
    "The offsets have a gap.",
  );
  const said = events.filter((event) => event.kind === "message" && event.source === "customer").map(({ offset }) => offset);
  deepStrictEqual(new Set(said), expected.messages, "A message was lost, or is there twice.");
  const answered = events.flatMap((event) => (event.kind === "turn" && event.data.type === "started" ? event.data.answers : []));
  deepStrictEqual(
    answered.toSorted((left, right) => left - right),
    said,
    "A message was answered twice or never.",
  );
  const { document } = await session.state();
  deepStrictEqual(document, { edits: expected.edits, heard: said.length }, "An update of the state was lost.");
  deepStrictEqual((await session.info()).consumers, expected.consumers);
  deepStrictEqual(await variablesOf(), { version: expected.variableWrites, values: expected.variables });
  return events.length;
}

/** Runs pairs of writers on one session, while a runtime answers what they say. Rejects if anything was lost. */
export async function checkRuntimePairs(location: string, { pairs, processes, onPair }: RuntimePairs): Promise<{ readonly events: number }> {
  const { runtime, close } = await pairsRuntime(location);
  const writers: Writer[] = [];
  try {
    await runtime.customers.create({ id: customerId });
    const session = await runtime.sessions.create({ agent: "pairs", customer: customerId });
    const open = processes === 0 ? openWriter : processWriter;
    for (let index = 0; index < Math.max(2, processes); index++) writers.push(await open(location, session.id));
    const expected: Expected = { edits: 0, variables: {}, consumers: {}, messages: new Set(), variableWrites: 0 };
    for (let number = 0; number < pairs; number++) {
      const first = Math.floor(number / kinds.length) % writers.length;
      const [left, right] = [writers[first], writers[(first + 1) % writers.length]];
      ok(left !== undefined && right !== undefined);
      await onePair([left, right], number, expected);
      onPair?.(number + 1);
    }
    const variablesOf = async (): Promise<unknown> => {
      const { version, values } = (await runtime.customers.get(customerId)).variables;
      return { version, values };
    };
    return { events: await audit(session, expected, variablesOf) };
  } finally {
    await Promise.all(writers.map((writer) => writer.close()));
    await close();
  }
}
