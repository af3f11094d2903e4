/** A world of sessions in which anything may happen at once, and what must hold afterwards. */
import fc from "fast-check";
import { expect } from "vitest";
import { z } from "zod";
import {
  type Event,
  type Runtime,
  type Session,
  type Store,
  ThroughlineError,
  counter,
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  merge,
  messagesOf,
  reduced,
  scripted,
  stage,
} from "../../packages/throughline/src/index.ts";
import type { JsonObject } from "../../packages/throughline/src/kernel/json.ts";
import { applyPatch } from "../../packages/throughline/src/kernel/json-patch.ts";
import { expectAnswered } from "./answers.ts";

const kinds = [
  ...["send", "send", "send", "post", "post", "retry", "fork", "fork", "withdraw", "stop", "mode", "resume"],
  ...["operator", "custom", "edit", "episode", "identify", "variables", "erase", "delete", "cut", "read", "wait", "wait"],
] as const;

/** What happens to which session, from which runtime, and whether the next waits for it. The number chooses the rest. */
export interface Command {
  readonly type: (typeof kinds)[number];
  readonly of: number;
  readonly from: 0 | 1;
  readonly waits: boolean;
  readonly number: number;
}

export const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.record({
    type: fc.constantFrom(...kinds),
    of: fc.nat(20),
    from: fc.constantFrom(0 as const, 1 as const),
    waits: fc.boolean(),
    number: fc.nat(1000),
  }),
  { minLength: 8, maxLength: 36 },
);

/** Refusals that are right when others do what they like at the same time. */
const fitting = [
  ...(["session.not_found", "session.manual", "session.withdraw_splits_turn", "session.conflict", "session.identified", "session.exists"] as const),
  ...(["log.offset_invalid", "log.retained_from", "turn.stopped", "turn.fenced", "customer.not_found", "store.busy"] as const),
] as const;

const State = defineState({
  message: input(z.string()),
  notes: reduced(z.array(z.string())),
  facts: reduced(z.record(z.string(), z.string()), { reduce: merge() }),
  turns: reduced(z.number(), { reduce: counter() }),
});
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const grow = stage("grow", { state: State, writes: ["notes", "turns"] }, async ({ state }) => {
  await soon();
  return { notes: [`${state.message}${"x".repeat(state.message.length % 7 === 0 ? 5000 : 0)}`], turns: 1 };
});
const model = scripted((request) => ({ wait: soon, text: ["re: ", request.messages.findLast(({ role }) => role === "user")?.text ?? "nothing"] }));
const agentOf = (name: string, onNewMessage: "queue" | "supersede"): ReturnType<typeof defineAgent> =>
  defineAgent({ name, version: 1, state: State, stages: [grow], reply: loop({ model }), onNewMessage });
const agents = [agentOf("patient", "queue"), agentOf("hasty", "supersede")];

/** One tree of forks: all have an owner, and what is said in it holds its word. */
interface Tree {
  readonly word: string;
  erased: boolean;
}
interface Member {
  readonly tree: Tree;
  readonly id: string;
  readonly handles: readonly [Session, Session];
  /** What a fork showed of what it shares, when it was made. */
  readonly shared?: { readonly at: number; readonly events: readonly Event[]; readonly state: unknown };
  readonly said: { readonly offset: number; readonly text: string; readonly key?: string }[];
  deleted: boolean;
}
interface Reader {
  readonly member: Member;
  readonly events: Event[];
  readonly ended: Promise<unknown>;
}

const eventsOf = (session: Session, filter: { readonly withdrawn: boolean; readonly maxOffset?: number }): Promise<readonly Event[]> =>
  Array.fromAsync(session.events({ follow: false, ...filter }));

export class World {
  readonly #runtimes: readonly [Runtime, Runtime];
  readonly #members: Member[] = [];
  readonly #readers: Reader[] = [];
  readonly #leave = new AbortController();
  #underway: Promise<unknown>[] = [];
  #count = 0;

  private constructor(runtimes: readonly [Runtime, Runtime]) {
    this.#runtimes = runtimes;
  }

  static async begin(stores: readonly [Store, Store]): Promise<World> {
    const options = { agents, leaseMs: 60_000, heartbeatMs: 5_000, pollMs: 50 };
    const [first, second] = [
      await createRuntime({ store: stores[0], ...options }),
      await createRuntime({ store: stores[1], ...options, work: false }),
    ];
    const world = new World([first, second]);
    await world.#found("patient");
    await world.#found("hasty", "c1");
    return world;
  }

  async #found(agent: string, customer?: string): Promise<void> {
    const tree = { word: `word${this.#members.length}${Math.random().toString(36).slice(2)}`, erased: false };
    const session = await this.#runtimes[0].sessions.open({ agent, key: tree.word, ...(customer === undefined ? {} : { customer }) });
    await this.#join(tree, session.id);
  }

  async #join(tree: Tree, id: string, shared?: Member["shared"]): Promise<Member> {
    const handles = [await this.#runtimes[0].sessions.get(id), await this.#runtimes[1].sessions.get(id)] as const;
    const member: Member = { tree, id, handles, said: [], deleted: false, ...(shared === undefined ? {} : { shared }) };
    this.#members.push(member);
    return member;
  }

  /** Makes it happen; refusals that fit are none of anybody's business. */
  async make(command: Command): Promise<void> {
    const member = this.#members[command.of % this.#members.length]!;
    const happens = this.#do(command, member, member.handles[command.from]).catch((error: unknown) => {
      if (!ThroughlineError.is(error, ...fitting)) throw error;
    });
    happens.catch(() => {});
    this.#underway.push(happens);
    if (command.waits || command.type === "wait") await happens;
  }

  async #do({ type, number, from, waits }: Command, member: Member, session: Session): Promise<unknown> {
    const text = `${member.tree.word} ${this.#count++}`;
    switch (type) {
      case "send":
      case "post": {
        const key = number % 3 === 0 ? text : undefined;
        const { offset } = await session.post(text, { ...(key === undefined ? {} : { idempotencyKey: key }) });
        member.said.push({ offset, text, ...(key === undefined ? {} : { key }) });
        return type === "send" && waits ? session.outcome(offset) : undefined;
      }
      case "retry": {
        const [said] = member.said.filter(({ key }) => key !== undefined).slice(-1);
        if (said?.key === undefined) return undefined;
        const again = await session.post(said.text, { idempotencyKey: said.key });
        return expect(again.offset).toBe(said.offset);
      }
      case "fork":
        return this.#fork(member, session, { from, number });
      case "withdraw": {
        const history = await session.history({ limit: 5 });
        const end = history[number % 5]?.offset ?? 0;
        return session.withdraw({ from: number % 7 === 0 ? 1 : end + 1 });
      }
      case "stop":
        return session.stop();
      case "mode":
        return session.setMode(number % 2 === 0 ? "manual" : "auto");
      case "resume":
        return session.resume();
      case "operator":
        return member.said.push({ ...(await session.postOperator(text)), text });
      case "custom":
        return session.postCustom({ text });
      case "edit":
        return session.edit({ facts: { [String(number % 4)]: text } });
      case "episode":
        return session.endEpisode();
      case "identify":
        return session.identify({ customer: `c${number % 3}`, carry: number % 2 === 0 });
      case "variables":
        // Without the word: the customer may outlive the session.
        return session.setVariables({ set: { number } });
      case "erase":
        return number % 3 === 0 ? this.#erase(this.#runtimes[from], `c${number % 9}`) : undefined;
      case "delete":
        if (number % 3 > 0) return undefined;
        member.deleted = true;
        return this.#runtimes[from].sessions.delete(member.id);
      case "cut":
        return this.#runtimes[from].retain({ keepEvents: 1 + (number % 40) });
      case "read":
        return this.#read(member, session, number % 20);
      case "wait":
        return new Promise((resolve) => setTimeout(resolve, number % 8));
    }
  }

  async #fork(member: Member, session: Session, { from, number }: { readonly from: 0 | 1; readonly number: number }): Promise<void> {
    const { head } = await session.info();
    const at = number % 3 === 0 ? undefined : number % (head + 1);
    const fork = await session.fork({ ...(at === undefined ? {} : { at }), ...(number % 5 === 0 ? { key: `fork ${this.#count}` } : {}) });
    const on = await this.#runtimes[from].sessions.get(fork.id);
    await this.#join(member.tree, fork.id, await this.#sharedBy(on));
  }

  /** What a fork shows of what it shares; undefined if somebody has taken that away meanwhile: the fork is there all the same. */
  async #sharedBy(on: Session): Promise<Member["shared"]> {
    try {
      const at = (await on.info()).origin?.at ?? 0;
      const [first] = await eventsOf(on, { withdrawn: true });
      const events = await eventsOf(on, { withdrawn: true, maxOffset: at });
      const state = first !== undefined && first.offset <= at ? await on.state({ at }) : undefined;
      return { at, events, state };
    } catch (error) {
      if (!ThroughlineError.is(error, ...fitting)) throw error;
      return undefined;
    }
  }

  async #erase(runtime: Runtime, customer: string): Promise<void> {
    await runtime.customers.delete(customer);
  }

  async #read(member: Member, session: Session, minOffset: number): Promise<void> {
    const events: Event[] = [];
    const following = async (): Promise<void> => {
      for await (const event of session.events({ minOffset, withdrawn: true, signal: this.#leave.signal })) events.push(event);
    };
    this.#readers.push({ member, events, ended: following().catch((error: unknown) => error) });
  }

  /** Everything that is under way comes to its end, and whatever waits is answered. */
  async settle(): Promise<void> {
    while (this.#underway.length > 0) {
      const all = this.#underway;
      this.#underway = [];
      // What waits in manual mode would be waited for in vain.
      await Promise.all([...all, this.#answerAll()]);
    }
    await this.#answerAll();
  }

  async #answerAll(): Promise<void> {
    for (const { handles } of this.#members)
      await this.#quiet(handles[0]).catch((error: unknown) => {
        if (!ThroughlineError.is(error, ...fitting)) throw error;
      });
  }

  async #quiet(session: Session): Promise<void> {
    const until = Date.now() + 20_000;
    for (;;) {
      await session.setMode("auto");
      const { turns, waiting } = await session.pending();
      if (turns.length === 0 && waiting.length === 0) return;
      if (Date.now() > until) throw new Error(`${session.id} does not come to rest: ${JSON.stringify({ turns, waiting })}`);
      if (turns.length === 0) await session.resume();
      else await soon();
    }
  }

  /** Words of trees whose sessions are all gone, and whose owners therefore are. */
  erasedWords(): readonly string[] {
    return this.#members.filter(({ tree }) => tree.erased).map(({ tree }) => tree.word);
  }

  async expectLawful(): Promise<void> {
    const living = new Map<string, boolean>();
    for (const member of this.#members) {
      const found = await this.#runtimes[1].sessions.get(member.id).catch((error: unknown) => {
        expect((error as ThroughlineError).code).toBe("session.not_found");
      });
      living.set(member.id, found !== undefined);
      if (found === undefined) await this.#expectGone(member);
      else await this.#expectMember(member, found);
    }
    for (const { tree } of this.#members) tree.erased = this.#members.every((other) => other.tree !== tree || living.get(other.id) === false);
    const listed = (await this.#runtimes[0].sessions.list()).items.map(({ id }) => id);
    expect(listed.toSorted()).toEqual([...living].flatMap(([id, lives]) => (lives ? [id] : [])).toSorted());
    this.#leave.abort();
    for (const reader of this.#readers) await this.#expectReader(reader, living.get(reader.member.id) === true);
  }

  async #expectGone({ handles: [session] }: Member): Promise<void> {
    const calls = [() => session.info(), () => session.state(), () => session.messages(), () => session.history(), () => session.fork()];
    const more = [
      () => session.post("?"),
      () => session.withdraw({ from: 1 }),
      () => eventsOf(session, { withdrawn: true }),
      () => session.outcome(1),
    ];
    for (const call of [...calls, ...more]) await expect(call()).rejects.toMatchObject({ code: "session.not_found" });
  }

  async #expectMember({ shared, said, tree }: Member, session: Session): Promise<void> {
    const events = await eventsOf(session, { withdrawn: true });
    const first = events[0]!.offset;
    const { head, mode } = await session.info();
    // Gapless, each of this session, as a fold.
    expect(events.map(({ offset }) => offset)).toEqual(Array.from({ length: head - first + 1 }, (_, index) => first + index));
    expect(new Set(events.map(({ session_id }) => session_id))).toEqual(new Set([session.id]));
    let state: JsonObject = (await session.state({ at: first })).document;
    for (const event of events) {
      if (event.kind === "state" && event.offset > first) state = applyPatch(state, event.data.patch) as JsonObject;
      expect((await session.state({ at: event.offset })).document).toEqual(state);
    }
    expect((await session.state()).document).toEqual(state);
    // Every way of reading tells the same.
    const visible = await eventsOf(session, { withdrawn: false });
    const gone = events.flatMap((event) =>
      event.kind === "session" && event.data.type === "withdrawn" ? [{ from: event.data.from, by: event.offset }] : [],
    );
    const hidden = ({ offset, kind, data }: Event): boolean =>
      gone.some(({ from, by }) => from <= offset && offset < by) && !(kind === "session" && (data as { type: string }).type === "created");
    expect(await session.messages({ last: 1000 })).toEqual(messagesOf(visible));
    const ends = events.filter((event) => event.kind === "turn" && event.data.type === "ended");
    const completed = ends.filter((event) => event.kind === "turn" && event.data.type === "ended" && event.data.outcome.status === "completed");
    const points = (await session.history({ limit: 100 })).map(({ offset }) => offset);
    expect(points.filter((point) => point < first || point > head || ends.some(({ offset }) => point === offset - 1))).toEqual([]);
    expect(points.filter((point) => completed.some(({ offset }) => offset === point))).toEqual(completed.map(({ offset }) => offset).toReversed());
    expect([mode, await session.pending()]).toEqual(["auto", { turns: [], waiting: [], calls: [] }]);
    expect(visible.filter(({ kind }) => kind === "message").map(({ offset }) => offset)).toEqual(
      events.filter((event) => event.kind === "message" && !hidden(event)).map(({ offset }) => offset),
    );
    // What was acknowledged is there, once, and answered once.
    for (const { offset, text, key } of said) {
      if (offset < first) continue;
      const event = events[offset - first]!;
      expect(event).toMatchObject({ kind: "message", data: { parts: [{ text }] } });
      expect(events.filter(({ data }) => JSON.stringify(data).includes(`"${text}"`) && event.kind === "message" && data === event.data)).toHaveLength(
        1,
      );
      if (key !== undefined) expect((await session.post(text, { idempotencyKey: key })).offset).toBe(offset);
    }
    expectAnswered(events);
    for (const { offset, source, kind } of events) if (kind === "message" && source === "customer") await session.outcome(offset);
    // A fork keeps what it shares as it was, whatever became of the others.
    const kept = shared?.events.filter(({ offset }) => offset >= first) ?? [];
    const anonymous = (list: readonly Event[]): readonly unknown[] =>
      list.map(({ origin: _origin, ...rest }: Event & { readonly origin?: unknown }) => rest);
    expect(anonymous(events.slice(0, kept.length))).toEqual(anonymous(kept));
    if (shared?.state !== undefined && shared.at >= first) {
      // Retention may have removed the event that the state is from, and not the state.
      const { state_offset: _offset, ...state } = await session.state({ at: shared.at });
      expect(shared.state).toMatchObject(state);
    }
    for (const other of this.#members) if (other.tree !== tree) expect(JSON.stringify(events)).not.toContain(other.tree.word);
  }

  async #expectReader({ member, events, ended }: Reader, lives: boolean): Promise<void> {
    const error = await ended;
    const offsets = events.map(({ offset }) => offset);
    // Those that were cut off before the reader came to them are the only ones that may be missing, and then it is told.
    expect(offsets).toEqual(offsets.map((_, index) => (offsets[0] ?? 0) + index));
    if (error !== undefined)
      return expect(["log.retained_from", ...(lives ? [] : ["session.not_found"])]).toContain((error as ThroughlineError).code);
    if (!lives) return;
    const now = await eventsOf(member.handles[1], { withdrawn: true });
    const same = now.filter(({ offset }) => offset >= (offsets[0] ?? 0) && offset <= (offsets.at(-1) ?? -1));
    // A session that was erased after the reader saw its events is no longer named as their origin.
    const nameless = new Set(same.filter(({ origin }) => origin === null).map(({ offset }) => offset));
    const read = events.map((event) => (nameless.has(event.offset) ? { ...event, origin: null } : event));
    expect(read.slice(-same.length || read.length)).toEqual(same);
  }

  async end(): Promise<void> {
    this.#leave.abort();
    await Promise.all(this.#runtimes.map((runtime) => runtime.close({ drainMs: 0 })));
  }
}
