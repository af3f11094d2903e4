/** One round: sessions of two customers, callers and readers at work on them side by side, and what is left when all is quiet. */
import { setTimeout as delay } from "node:timers/promises";
import type { Event, JsonObject, SessionId, Store } from "../../packages/throughline/src/index.ts";
import { viewOf } from "../../packages/throughline/src/session/session-view.ts";
import type { WireEvent } from "../../packages/server/src/protocol/wire-event.ts";
import type { WireSession } from "../../packages/server/src/protocol/wire-session.ts";
import { logOf } from "../chaos/law.ts";
import { agentNames } from "./agent.ts";
import { type Round, type Wish, look, perform } from "./caller.ts";
import { endMark, isEnd } from "./law-readers.ts";
import { type Reader, manyStream, oneStream, pageReader, traceOf } from "./readers.ts";
import type { CustomerLeft, Left, Trace, World } from "./world.ts";
import { type Place, wishFor } from "./wishes.ts";

/** What a round needs besides its callers. */
export interface Stage extends Round {
  readonly store: Store;
  /** Tells rounds apart. */
  readonly number: number;
  readonly wrong: (text: string) => void;
}

const all: readonly Event["kind"][] = ["message", "tool", "status", "custom", "state", "turn", "session"];
/** Milliseconds that a session has to come to rest, and a reader to see the end. */
const patience = 30_000;

/** Asks until it is answered: for what a round needs to go on. */
async function must(round: Round, request: Wish["request"], mark: string = round.mark()): Promise<string> {
  const deeds: Round["deeds"] = [];
  for (;;) {
    const { told } = await perform({ ...round, deeds }, { type: "say", mark, on: "", request, keyed: true });
    if (told[0] !== undefined && told[0].status < 300) return told[0].text;
    if (told[0] !== undefined) throw new Error(`${request.method} ${request.path} was answered with ${told[0].text}`);
  }
}

/** Opens a session through all doors at once: there is one. */
async function openPlace(round: Stage, agent: string): Promise<Place> {
  const customer = `c${round.number}-${agent}`;
  const request = { method: "POST", path: "/v1/sessions/open", body: { agent, customer_id: customer, key: "main" } };
  const opened = await Promise.all(round.doors.map(() => must(round, request)));
  const ids = new Set(opened.map((text) => (JSON.parse(text) as WireSession).id));
  if (ids.size > 1) round.wrong(`${customer} has the sessions ${[...ids].join(", ")} under one key`);
  return { session: [...ids][0] ?? "", customer };
}

/** What callers of a round have made, and taken away again. */
interface Made {
  readonly forks: Place[];
  readonly deleted: string[];
}

/** Somebody who wants one thing after the other of a session, and of what was forked from it. */
async function talk(round: Stage, own: Place, made: Made): Promise<void> {
  const { dice } = round;
  const { forks, deleted } = made;
  for (let left = dice.integer(6, 10); left > 0; left--) {
    const place = forks.length > 0 && dice.chance(0.25) ? dice.one(forks) : own;
    if (place !== own && dice.chance(0.08)) {
      deleted.push(place.session);
      const wish = await wishFor(round, place, "delete");
      if (wish !== undefined) await perform(round, { ...wish, keyed: true });
      continue;
    }
    const wishes = await Promise.all(dice.chance(0.2) ? [wishFor(round, place), wishFor(round, place)] : [wishFor(round, place)]);
    const deeds = await Promise.all(wishes.filter((wish) => wish !== undefined).map((wish) => perform(round, wish)));
    // What was stopped may be done again after all.
    const again = deeds.some(({ type }) => type === "stop") && dice.chance(0.6) ? await wishFor(round, place, "retry") : undefined;
    if (again !== undefined) await perform(round, again);
    for (const { type, told } of deeds)
      if (type === "fork" && told[0]?.status === 201) forks.push({ session: (JSON.parse(told[0].text) as WireSession).id, customer: place.customer });
    await delay(dice.integer(0, 50));
  }
}

interface ReaderAt {
  readonly reader: Reader;
  readonly trace: (living: readonly string[]) => Trace;
  readonly sessions: (living: readonly string[]) => readonly string[];
}

/** Readers of each kind. */
async function startReaders(round: Stage, places: readonly Place[], made: Made, given: AbortSignal): Promise<readonly ReaderAt[]> {
  const { dice, doors } = round;
  const [first, second] = places as [Place, Place];
  const reading = { dice, doors, given };
  const only = (place: Place) => ({ ...reading, sessions: () => [place.session] });
  const readerAt = (name: string, reader: Reader, rest: Omit<Trace, "reader" | "items" | "sessions">, sessions: ReaderAt["sessions"]): ReaderAt => ({
    reader,
    sessions,
    trace: (living) => traceOf(name, reader, { ...rest, sessions: sessions(living) }),
  });
  const { token } = JSON.parse(
    await must(round, { method: "POST", path: "/v1/tokens", body: { customer_id: second.customer, ttl_seconds: 3600 } }),
  ) as { readonly token: string };
  const several = (): readonly string[] => [...places, ...made.forks].map(({ session }) => session);
  const asKey = { as: "local", withdrawn: true, kinds: all } as const;
  return [
    readerAt("stream", oneStream({ ...only(first), kinds: all }, { withdrawn: true }), { ...asKey, drafts: true }, () => [first.session]),
    readerAt(
      "customer's stream",
      oneStream({ ...only(second), headers: { authorization: `Bearer ${token}` } }, { withdrawn: false }),
      { as: "customer", withdrawn: false, drafts: true },
      () => [second.session],
    ),
    readerAt("long poll", pageReader({ ...only(second), kinds: all }, { wait: 1 }), { ...asKey, drafts: false }, () => [second.session]),
    readerAt("pages", pageReader({ ...only(first), kinds: all }, {}), { ...asKey, drafts: false }, () => [first.session]),
    readerAt(
      "stream of all",
      manyStream({ ...reading, sessions: several, kinds: all }, (session) => made.deleted.includes(session)),
      { as: "local", withdrawn: false, kinds: all, drafts: true },
      (living) => several().filter((session) => living.includes(session)),
    ),
  ];
}

/** Lets everything that is open in a session come to its end. */
async function settle(round: Stage, session_id: SessionId): Promise<void> {
  const path = `/v1/sessions/${session_id}`;
  const until = performance.now() + patience;
  for (;;) {
    const loaded = await round.store.load({ session_id, messages: 0 });
    if (loaded === undefined) return;
    const { session, turns, waiting } = loaded;
    if (session.mode === "manual") await must(round, { method: "PATCH", path, body: { mode: "auto" } });
    else if (turns.length === 0 && waiting.length === 0) return;
    // What was sent to a person is answered when the agent is asked to.
    else if (turns.length === 0) await must(round, { method: "POST", path: `${path}/turns` });
    if (performance.now() > until) return round.wrong(`${session_id} is open after ${patience} ms: ${JSON.stringify({ turns, waiting })}`);
    await delay(15);
  }
}

async function leftOf(round: Stage, { id, agent, customer_id, title, labels = [], metadata = {}, consumers = {} }: WireSession): Promise<Left> {
  const { store, dice } = round;
  const session_id = id as SessionId;
  const events = await logOf(store, session_id);
  const loaded = await store.load({ session_id, messages: 0 });
  if (loaded === undefined || events.length === 0) throw new Error(`Session ${id} is listed, and gone.`);
  const { head, origin } = loaded.session;
  const offsets = [head, ...Array.from({ length: 4 }, () => dice.integer(0, head))];
  const states = await Promise.all(
    offsets.map(async (at) => {
      const answer = await look<{ readonly state: JsonObject }>(round, `/v1/sessions/${id}/state?view=internal&at=${at}`);
      return { at, state: answer?.state ?? {} };
    }),
  );
  const variables = await look<{ readonly values: JsonObject }>(round, `/v1/sessions/${id}/variables`);
  const { customer: _customer, ...view } = viewOf(loaded);
  const from = origin === undefined || origin.session_id === null ? {} : { origin: { session: origin.session_id, at: origin.at } };
  return {
    // The log says of a session's customer only what was not known when it began.
    ...{ id, agent, customer: customer_id ?? "", events, view, head, title, labels, metadata, consumers, states },
    variables: variables?.values ?? {},
    ...from,
  };
}

async function customerLeft(round: Stage, id: string): Promise<CustomerLeft> {
  const found = await look<{ readonly variables: JsonObject; readonly metadata: JsonObject }>(round, `/v1/customers/${id}`);
  return { id, variables: found?.variables ?? {}, metadata: found?.metadata ?? {} };
}

/** The sessions of a round that are there. */
async function living(round: Stage, places: readonly Place[]): Promise<readonly WireSession[]> {
  const lists = await Promise.all(
    places.map(({ customer }) => look<{ readonly items: readonly WireSession[] }>(round, `/v1/sessions?customer_id=${customer}`)),
  );
  return lists.flatMap((list) => list?.items ?? []);
}

/** Waits until a reader has seen the end of its sessions, and says so if it does not. */
async function untilEnd({ reader, sessions, trace }: ReaderAt, ids: readonly string[], wrong: (text: string) => void): Promise<void> {
  const left = new Set(sessions(ids));
  const until = performance.now() + patience;
  for (let next = 0; left.size > 0; await delay(10)) {
    for (; next < reader.items.length; next++) {
      const item = reader.items[next];
      if (item?.type === "event" && isEnd(JSON.parse(item.text) as WireEvent)) left.delete(item.session);
    }
    if (performance.now() > until) return wrong(`${trace(ids).reader} does not see the end of ${[...left].join(", ")}`);
  }
}

/** Lives through one round. `quiet` is called when the callers have left, and resolves when nothing is harmed any more. */
export async function playRound(round: Stage, quiet: () => Promise<void>): Promise<World> {
  const places = await Promise.all(agentNames.map((agent) => openPlace(round, agent)));
  const made: Made = { forks: [], deleted: [] };
  const leaving = new AbortController();
  const readers = await startReaders(round, places, made, leaving.signal);
  const reading = Promise.all(
    readers.map(({ reader, trace }) => reader.done.catch((error: unknown) => round.wrong(`${trace([]).reader}: ${String(error)}`))),
  );
  await Promise.all(places.flatMap((place) => [talk(round, place, made), talk(round, place, made)]));
  await quiet();
  const sessions = await living(round, places);
  const ids = sessions.map(({ id }) => id);
  await Promise.all(ids.map((id) => settle(round, id as SessionId)));
  const end = (id: string) =>
    must(round, { method: "POST", path: `/v1/sessions/${id}/events`, body: { kind: "custom", source: "customer_ui", data: endMark } });
  await Promise.all(ids.map(end));
  await Promise.race([Promise.all(readers.map((reader) => untilEnd(reader, ids, round.wrong))), reading]);
  leaving.abort();
  await reading;
  const left: Left[] = [];
  for (const session of await living(round, places)) left.push(await leftOf(round, session));
  return {
    sessions: left,
    customers: await Promise.all(places.map(({ customer }) => customerLeft(round, customer))),
    deleted: made.deleted,
    deeds: round.deeds,
    traces: readers.map(({ trace }) => trace(ids)),
  };
}
