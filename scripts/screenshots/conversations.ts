/** The conversations of the screenshots, on a real service: an order with an approval, a reply whose worker is killed, a hand-over, and the companion. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { agent as companion } from "@throughline/companion/agent";
import { type ClientSession, createClient } from "@throughline/client";
import { createServer } from "@throughline/server";
import { type Agent, createRuntime, openStore, type Runtime, type Session } from "throughline";
import type { Random } from "throughline/kernel";
import { createIds } from "throughline/kernel";
import { root } from "../root.ts";
import { orderDesk, warehouse } from "./order-desk.ts";
import { firstMoment, shiftedClock } from "./picture-clock.ts";

/** Ids of the sessions and the run that pictures show. */
export interface Conversations {
  readonly order: string;
  /** A fork of the order, in which the refund is asked for in other words. */
  readonly fork: string;
  readonly run: string;
  readonly killed: string;
  readonly evening: string;
}

/** A service with the conversations. */
export interface PictureService {
  readonly url: string;
  readonly conversations: Conversations;
  /** The moment at which the pictures are taken. */
  readonly now: () => number;
  readonly close: () => Promise<void>;
}

/** Looks at the chat of a service in the middle of a reply, and calls `kill`. */
export type AroundKill = (chat: string, kill: () => Promise<void>) => Promise<void>;

const minute = 60_000;

/** Counts up, so that ids are the same in every run. */
function countingRandom(): Random {
  let count = 0;
  return { bytes: (size) => new Uint8Array(size).map(() => (count = (count + 7) % 251)) };
}

/** Waits until something is true. Throws after ten seconds. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("What the pictures need did not happen.");
}

/** Holds the conversations in a folder and serves them. */
export async function startPictureService(folder: string, aroundKill: AroundKill): Promise<PictureService> {
  let shift = firstMoment - Date.now();
  const pass = (minutes: number): void => void (shift += minutes * minute);
  const clock = shiftedClock(() => shift);
  const ids = createIds({ clock, random: countingRandom() });
  const location = join(folder, "shop.db");
  const store = await openStore(location, { clock });
  const agents: readonly Agent[] = [orderDesk(), warehouse(), Object.freeze({ ...companion, keepRequestsMs: 7 * 86_400_000 })];
  const runtimeFor = (work: boolean): Promise<Runtime> => createRuntime({ store, agents, clock, ids, work, pollMs: 50 });
  const worker = await runtimeFor(true);
  const runtime = await runtimeFor(false);
  const server = await createServer({ runtime, agents, clock, ids, port: 0, demo: true });
  const { url } = await server.listen();
  const client = createClient({ baseUrl: url });
  const open = (agent: string, customer: string): Promise<Session> => runtime.sessions.open({ agent, customer });

  const evening = await open("companion", "grace");
  for (const text of ["My name is Grace and I live in Turin.", "Work keeps me awake at night. I have a deadline on Friday."]) {
    await evening.send(text);
    pass(2);
  }
  await client.sessions.get(evening.id).closeEpisode();
  pass(60);
  await evening.send("I am back in Turin, and I still cannot sleep at night. Do you remember why?");
  pass(25);

  const bruno = await open("order-desk", "bruno");
  await bruno.send("Hello, I have a question.");
  pass(3);
  await bruno.post("I want to talk to a person about order 3390.");
  await until(async () => (await bruno.turns()).items[0]?.outcome !== undefined);
  await bruno.handOver({ reason: "The customer asked for a person.", alert: 1 });
  pass(9);
  const chen = await open("order-desk", "chen");
  await chen.send("Where is order 2208?");
  await chen.handOver({ operator: "Kim" });
  await chen.postOperator("I am looking into it.", { name: "Kim" });
  pass(4);

  const order = await open("order-desk", "ada");
  await order.setTitle("A broken lamp");
  await runtime.customers.setVariables("ada", { set: { tier: "gold", language: "en" } });
  await order.send("Hello!");
  pass(1);
  await order.send("When did order 4711 arrive?");
  pass(2);
  await order.post("The lamp is broken. Please refund order 4711.");
  const calls = async () => (await order.pending()).calls;
  await until(async () => (await calls()).length > 0);
  for (const { turn_id, call_id, arguments_hash, index } of await client.sessions.get(order.id).pending())
    await client.sessions.get(order.id).decide(turn_id, { call_id, arguments_hash, index, decision: "approve" });
  await until(async () => (await order.turns({ order: "desc" })).items[0]?.outcome?.status === "completed");
  pass(6);
  const fork = await order.fork({ at: 28, title: "A broken lamp, asked otherwise" });
  await fork.send("The lamp is broken. Please send a new one to 12 Hill Road.");
  const { id: run } = await runtime.runs.start("parcel", { order: "4711" }, { session_id: (await open("warehouse", "ada")).id });
  await until(async () => (await runtime.runs.get(run)).status === "waiting");
  pass(2);

  const killed = await open("order-desk", "dana");
  await killed.setTitle("A worker killed in mid-reply");
  await killed.send("Where is order 5120?");
  pass(1);
  await worker.close();
  const message = "I have moved. Please send it to 12 Hill Road.";
  await answerAndKill(location, { shift, session: killed.id, message, begun: "12 Hill Road. ", aroundKill });
  const next = await runtimeFor(true);
  await until(async () => (await killed.turns({ order: "desc" })).items[0]?.outcome?.status === "completed");
  pass(1);
  return {
    url,
    conversations: { order: order.id, fork: fork.id, run, killed: killed.id, evening: evening.id },
    now: () => clock.now(),
    close: async () => {
      await server.close({ drainMs: 0 });
      await Promise.all([next.close(), runtime.close()]);
      await store.close();
    },
  };
}

interface KilledReply {
  readonly shift: number;
  readonly session: string;
  readonly message: string;
  /** What the customer has read of the reply when the process is killed. */
  readonly begun: string;
  readonly aroundKill: AroundKill;
}

/** Starts a service that stalls in its reply to the message, and kills its process when a reader has the beginning of the reply. */
async function answerAndKill(location: string, { shift, session, message, begun, aroundKill }: KilledReply): Promise<void> {
  const child = spawn(process.execPath, [join(root, "scripts/screenshots/stalling-service.ts"), location, `${shift}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (bytes: Buffer) => resolve(bytes.toString().trim()));
      child.once("error", reject).once("close", () => reject(new Error("The service has ended by itself.")));
    });
    const reader = createClient({ baseUrl: url }).sessions.get(session);
    const drafted = draftWith(reader, begun);
    await reader.post(message);
    await drafted;
    await aroundKill(`${url}/demo/?session=${session}`, kill);
  } finally {
    await kill();
  }
}

/** Resolves when a reader of the session has a draft with this text. */
async function draftWith(session: ClientSession, text: string): Promise<void> {
  const left = new AbortController();
  let draft = "";
  for await (const item of session.live({ signal: left.signal })) {
    if ("type" in item && item.type === "draft.delta") draft += item.text;
    if (draft.includes(text)) break;
  }
  left.abort();
}
