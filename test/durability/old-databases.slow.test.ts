/** Databases that earlier versions made are read, resumed, exported and erased by this one. What they hold: `test/fixtures/databases`. */
import { readFileSync, existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type Json,
  type Runtime,
  type Session,
  type Store,
  createIds,
  createRuntime,
  exportCustomer,
  exportSession,
  importBundle,
  openStore,
  systemClock,
} from "../../packages/throughline/src/index.ts";
import { runSql } from "../setup/database.ts";
import { startServer } from "../setup/server.ts";
import { oldAgents, type World } from "./old-databases/agents.ts";
import { accepted } from "./old-databases/differences.ts";
import { type Database, type Expected, type Kept, type Version, copyOf, databases, expectedOf, versions } from "./old-databases/fixture.ts";
import { type ToldSession, all, plain, toldOf, toldOfAll } from "./old-databases/told.ts";

interface Opened extends World {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly location: string;
  readonly expected: Expected;
  readonly session: (name: string) => Promise<Session>;
}

/** A copy of an old database, opened a minute after it was left. With `stands` time stands still. */
async function opened(version: Version, database: Database, options: { readonly work: boolean; readonly stands?: boolean }): Promise<Opened> {
  const expected = expectedOf(version, database);
  const location = await copyOf(version, database);
  const begun = systemClock.now();
  const now = (): number => (options.stands === true ? expected.at : expected.at + 60_000 + systemClock.now() - begun);
  const clock = { ...systemClock, now };
  const store = await openStore(location, { clock, ...(expected.encryption === undefined ? {} : { encryption: expected.encryption }) });
  onTestFinished(() => store.close());
  const world = oldAgents();
  const runtime = await createRuntime({ store, clock, ids: createIds({ clock }), agents: world.agents, work: options.work });
  onTestFinished(() => runtime.close());
  return { ...world, store, runtime, location, expected, session: (name) => runtime.sessions.get(expected.named[name] ?? name) };
}

/** The offset of a message of a person. */
function offsetOf(expected: Expected, name: string, text: string): number {
  const found = expected.sessions[expected.named[name] ?? ""]?.messages.find((message) => message.text === text && message.source === "customer");
  if (found === undefined) throw new Error(`${name} has no message ${text}.`);
  return found.offset;
}

/** The offsets that finished turns have answered. */
async function answeredIn(session: Session): Promise<readonly number[]> {
  const events = await Array.fromAsync(session.events({ follow: false, kinds: ["turn"] }));
  const ended = new Set(events.flatMap(({ turn_id, data }) => ("type" in data && data.type === "ended" ? [turn_id] : [])));
  return events.flatMap(({ turn_id, data }) => (ended.has(turn_id) && "answers" in data && data.type === "started" ? data.answers : []));
}

const documentOf = async (session: Session): Promise<Readonly<Record<string, Json>>> => (await session.state()).document;

/** The turns that have begun and ended, without what a bundle does not say of them: how often they were tried, and that they were urgent. */
const over = (turns: ToldSession["turns"]): readonly unknown[] =>
  turns
    .filter(({ status, started_offset }) => status === "ended" && started_offset !== undefined)
    .map((turn) => ({ ...turn, attempts: undefined, urgent: undefined }));

type Arguments = readonly [never, never];

/** How each command that was kept is sent again. */
const commands: Readonly<Record<string, (session: Session, args: Arguments) => Promise<unknown>>> = {
  send: (session, [text, options]) => session.send(text, options),
  postCustom: (session, [value, options]) => session.postCustom(value, options),
  edit: (session, [delta, options]) => session.edit(delta, options),
  withdraw: (session, [options]) => session.withdraw(options),
  postOperator: (session, [text, options]) => session.postOperator(text, options),
  handOver: (session, [options]) => session.handOver(options),
  identify: (session, [options]) => session.identify(options),
};

const sendAgain = (session: Session, { command, args }: Kept): Promise<unknown> => {
  const send = commands[command];
  if (send === undefined) throw new Error(`No command is called ${command}.`);
  return send(session, args as Arguments);
};

/** What each customer's texts have in them, and nobody else's. */
const wordsOf = {
  "ada-quillfeather": "quillfeather",
  "bruno-marrowind": "marrowind",
  "carla-nettlebrook": "nettlebrook",
  "dora-ashgrove": "ashgrove",
  "erin-thistledown": "thistledown",
  "gina-hollowell": "hollowell",
  "hugo-pebblecroft": "pebblecroft",
} as const;

/** The same of sessions without a customer, and of the customer who was erased. */
const wordsOfStrangers = { stranger: "wintergreen", "former version": "foxbarrow" } as const;
const erasedBefore = "tanglewood";

/** All that is stored, in lower case: the bytes of a file and of its log of writes, or the rows of all tables. */
async function storedIn(location: string): Promise<string> {
  if (location.startsWith("postgres")) {
    const tables = await runSql(location, `SELECT tablename FROM pg_tables WHERE schemaname = 'throughline'`);
    const rows: string[] = [];
    for (const { tablename } of tables) {
      const found = await runSql(location, `SELECT t::text AS row FROM throughline.${String(tablename)} t`);
      rows.push(...found.map(({ row }) => String(row)));
    }
    return rows.join("\n").toLowerCase();
  }
  const database = new DatabaseSync(location);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const files = [location, `${location}-wal`].filter((file) => existsSync(file));
  return files.map((file) => readFileSync(file).toString("latin1").toLowerCase()).join("\n");
}

/** How many keys of owners there are. */
async function keysIn(location: string): Promise<number> {
  const database = new DatabaseSync(location);
  const row = database.prepare("SELECT count(*) AS n FROM owner_keys").get();
  database.close();
  return Number(row?.["n"]);
}

describe.each(versions)("a database of %s", (version) => {
  describe.each(databases)("%s", (database) => {
    test("reads as it did", async () => {
      const { store, runtime, expected } = await opened(version, database, { work: false, stands: true });
      const told = await toldOfAll({ store, runtime }, expected.named["main"] ?? "");
      const was = accepted(version, expected);
      expect([Object.keys(was.named).length, was.kept.length, was.asks.length]).toEqual([Object.keys(told.sessions).length, 8, 8]);
      for (const [name, id] of Object.entries(was.named)) expect(told.sessions[id], name).toEqual(was.sessions[id]);
      for (const [member, said] of Object.entries(told)) expect(said, member).toEqual(was[member]);
    });

    test("goes on with the turns that were open", async () => {
      const { runtime, made, expected, session } = await opened(version, database, { work: true });

      // A call that may have happened is not made again, and the message behind it is answered by the next turn.
      const paying = await session("killed in pay");
      const paid = await paying.outcome(offsetOf(expected, "killed in pay", "pay 40 to pebblecroft"));
      expect([paid.status, paid.reply]).toEqual(["completed", expect.stringContaining("may have happened")]);
      const next = await paying.outcome(offsetOf(expected, "killed in pay", "and then, pebblecroft?"));
      expect([next.status, next.reply]).toEqual(["completed", "Noted: and then, pebblecroft?"]);
      const results = await Array.fromAsync(paying.events({ follow: false, kinds: ["tool"] }));
      expect(results.flatMap(({ data }) => ("type" in data && data.type === "returned" ? [data.result.type] : []))).toEqual(["unknown"]);

      // One that may be repeated is made again under the key that the log has.
      const shipping = await session("killed in ship");
      const shipped = await shipping.outcome(offsetOf(expected, "killed in ship", "ship to Pebblecroft"));
      const called = expected.sessions[shipping.id]?.events.find(({ kind, data }) => kind === "tool" && data["type"] === "called");
      const under = called?.data["key"];
      expect(made).toEqual([{ name: "ship", key: under, arguments: { to: "Pebblecroft" } }]);
      expect([shipped.status, shipped.reply]).toEqual(["completed", `Done: ${JSON.stringify({ shipped: "Pebblecroft", under })}`]);

      const stalled = await session("killed in stall");
      const heard = await stalled.outcome(offsetOf(expected, "killed in stall", "stall for pebblecroft"));
      expect([heard.status, heard.reply]).toEqual(["completed", "Noted: stall for pebblecroft"]);
      expect(await documentOf(stalled)).toMatchObject({ notes: ["good morning, pebblecroft", "stall for pebblecroft"], hits: 2 });

      const queued = await session("queued");
      const answered = await queued.outcome(offsetOf(expected, "queued", "price of pebblecroft"));
      expect([answered.status, answered.reply]).toEqual(["completed", `Done: {"prices":{"pebblecroft":11}}`]);

      for (const one of [paying, shipping, stalled, queued]) {
        const offsets = await answeredIn(one);
        const asked = (await one.messages({ last: 100 })).filter(({ source }) => source === "customer").map(({ offset }) => offset);
        expect(offsets.toSorted((left, right) => left - right)).toEqual(asked);
      }
      expect(await runtime.sessions.list().then(({ total }) => total)).toBe(Object.keys(expected.sessions).length);
    });

    test("takes the word of people on what waits for them", async () => {
      const { made, expected, session } = await opened(version, database, { work: true });

      const approval = await session("approval");
      for (const { call_id, index, arguments_hash } of (await approval.pending()).calls)
        await approval.decide({ call_id, index, arguments_hash, decision: "approve", by: "ann" });
      const refunded = await approval.outcome(offsetOf(expected, "approval", "refund 80 to nettlebrook"));
      expect([refunded.status, refunded.reply]).toEqual(["completed", `Done: {"refunded":80}`]);
      expect(made.filter(({ name }) => name === "refund").map((call) => call.arguments)).toEqual([{ amount: 80 }]);

      const question = await session("question");
      for (const { call_id, index, arguments_hash } of (await question.pending()).calls)
        await question.decide({ call_id, index, arguments_hash, decision: "answer", answer: 4 });
      const booked = await question.outcome(offsetOf(expected, "question", "book Friday at Nettlebrook"));
      expect([booked.status, booked.reply]).toEqual(["completed", "Done: A table for 4 on Friday at Nettlebrook."]);

      const people = await session("with people");
      const { turn_id } = await people.handBack({ resume: true });
      const resumed = await people.outcome(turn_id ?? "");
      const waited = await people.outcome(offsetOf(expected, "with people", "is anybody there, nettlebrook?"));
      expect([resumed.status, waited.status, waited.turn_id]).toEqual(["completed", "completed", turn_id]);
      expect(await answeredIn(people)).toEqual([1, offsetOf(expected, "with people", "is anybody there, nettlebrook?")]);
    });

    test("goes on with conversations, forks, memory, an exercise and a crisis", async () => {
      const { runtime, session, expected } = await opened(version, database, { work: true });

      const former = await session("former version");
      expect((await former.send("back again")).status).toBe("completed");
      expect(await documentOf(former)).toMatchObject({ notes: ["and foxbarrow again", "back again"], hits: 3 });
      expect((await former.info()).definition).toBe(2);

      for (const name of ["main", "fork", "fork of a fork", "fork of a deleted parent", "identified", "stranger", "decided", "over http"]) {
        const one = await session(name);
        const before = (await documentOf(one))["notes"] as readonly Json[];
        expect((await one.send(`on with ${name}`)).reply, name).toBe(`Noted: on with ${name}`);
        expect((await documentOf(one))["notes"], name).toEqual([...before, `on with ${name}`]);
      }
      const again = await (await session("fork of a fork")).fork({ at: 20 });
      expect((await again.send("one more")).status).toBe("completed");

      // What was forgotten stays so; the rest is found.
      const remembered = await session("remembered");
      const { reply } = await remembered.send("What about Marta and the therapist?");
      const prompt = (await remembered.prompt())?.body ?? "";
      expect([reply, prompt.includes("Marta Marrowind"), prompt.includes("Doctor Marrowind")]).toEqual([
        "Noted: What about Marta and the therapist?",
        true,
        false,
      ]);
      await remembered.send("My therapist is called Doctor Marrowind.");
      const { id: open } = await session("open episode");
      await runtime.closeEpisodes({ session: open });
      const arcs = async (): Promise<readonly string[]> =>
        (await runtime.customers.memory("bruno-marrowind").list({ kind: "arc" })).items.map(({ text }) => text);
      await expect.poll(arcs).toContainEqual(expect.stringContaining("They said: My brother Otto Marrowind plays the tuba."));

      const exercise = await session("exercise");
      const steps = expected.sessions[exercise.id]?.states;
      const before = JSON.stringify(steps?.[Math.max(...Object.keys(steps).map(Number))]);
      expect(before).toContain(`"exercise_step":1`);
      await exercise.send("done");
      expect((await documentOf(exercise))["exercise_state"]).toMatchObject({ exercise_type: "grounding_box_breathing", exercise_step: 2 });

      // A crisis that was open is followed: what would be an ordinary message is not answered as one.
      const crisis = await session("crisis");
      const { output } = await crisis.send("thank you");
      expect(output["crisis"]).toMatchObject({ level: expect.toSatisfy((level: number) => level >= 1) as number });
    });

    test("answers a key that was used as the first time", async () => {
      const { runtime, expected, session } = await opened(version, database, { work: false });
      for (const kept of expected.kept) {
        const one = await session(kept.session);
        const { head } = await one.info();
        expect(plain(await sendAgain(one, kept)), kept.command).toEqual(kept.answer);
        expect((await one.info()).head, kept.command).toBe(head);
      }
      const main = await session("main");
      await expect(main.send("something else", { idempotencyKey: "sms-17" })).rejects.toMatchObject({ code: "session.idempotency_mismatch" });
      const withdrawn = expected.kept.find(({ command }) => command === "withdraw")?.args[0] as unknown as { readonly from: number };
      const fork = await main.fork({ at: withdrawn.from - 1, title: "what if, Quillfeather", idempotencyKey: "fork-1" });
      expect(fork.id).toBe(expected.named["fork"]);
      // The keys of messages whose turns are open.
      for (const [name, text, idempotencyKey] of [
        ["killed in pay", "pay 40 to pebblecroft", "killed-pay"],
        ["killed in pay", "and then, pebblecroft?", "then-1"],
        ["queued", "price of pebblecroft", "queued-1"],
      ] as const) {
        const { offset } = await (await session(name)).post(text, { idempotencyKey });
        expect(offset, name).toBe(offsetOf(expected, name, text));
      }
      expect((await runtime.sessions.list()).total).toBe(Object.keys(expected.sessions).length);
    });

    test("answers requests over HTTP that named themselves as the first time", async () => {
      const { store, agents, expected, runtime: idle } = await opened(version, database, { work: false });
      const begun = systemClock.now();
      const clock = { ...systemClock, now: () => expected.at + 60_000 + systemClock.now() - begun };
      const { request } = await startServer({ store, agents, clock, runtime: { work: false } });
      const authorization = `Bearer ${expected.key}`;
      for (const { method, path, body, key, status, etag, answer } of expected.asks) {
        const again = await request(method, path, body, { authorization, "idempotency-key": key });
        expect([again.status, again.text, again.headers.get("etag"), again.headers.get("idempotent-replayed")], `${method} ${path}`).toEqual([
          status,
          answer,
          etag,
          "true",
        ]);
      }
      const result = await request("GET", `/v1/jobs/${expected.job.id}/result`, undefined, { authorization });
      expect(result.text).toBe(expected.job.result);
      expect((await request("GET", "/v1/sessions")).status).toBe(401);
      const audit = JSON.parse((await request("GET", "/v1/audit?limit=100", undefined, { authorization })).text) as {
        readonly items: readonly unknown[];
      };
      expect(expected.audit.length).toBeGreaterThan(3);
      expect(audit.items.slice(-expected.audit.length)).toEqual(expected.audit);
      expect((await idle.sessions.list()).total).toBe(Object.keys(expected.sessions).length);
    });

    test("exports every customer and every session, and imports them into an empty store", async () => {
      const { store, runtime, agents, expected } = await opened(version, database, { work: false });
      /** Imports a bundle into a new store, and looks at it there. */
      const imported = async (lines: AsyncIterable<string>, look: (there: Runtime) => Promise<void>): Promise<void> => {
        const target = await openStore(":memory:");
        await importBundle(target, lines, { keepIds: true });
        const there = await createRuntime({ store: target, agents, work: false });
        await look(there);
        await there.close();
        await target.close();
      };
      const expectSame = async (there: Runtime, id: string): Promise<void> => {
        const [original, copy] = await Promise.all([runtime, there].map(async ({ sessions }) => toldOf(await sessions.get(id))));
        expect(copy?.messages).toEqual(original?.messages);
        expect(copy?.events.map(({ offset, kind, source, data }) => ({ offset, kind, source, data }))).toEqual(
          original?.events.map(({ offset, kind, source, data }) => ({ offset, kind, source, data })),
        );
        expect(copy?.states).toEqual(original?.states);
        expect(over(copy?.turns ?? [])).toEqual(over(original?.turns ?? []));
      };

      for (const customer of Object.keys(wordsOf)) {
        const own = (await all((page) => runtime.sessions.list({ customer, ...page }))).map(({ id }) => id);
        await imported(exportCustomer(store, customer), async (there) => {
          expect((await there.sessions.list({ customer })).total).toBe(own.length);
          for (const id of own) await expectSame(there, id);
          const entriesIn = async ({ customers }: Runtime): Promise<readonly unknown[]> =>
            (await all((page) => customers.memory(customer).list({ all: true, ...page }))).map(({ entry_id, entry }) => ({ entry_id, entry }));
          expect(await entriesIn(there)).toEqual(await entriesIn(runtime));
          expect((await there.customers.get(customer)).variables.values).toEqual((await runtime.customers.get(customer)).variables.values);
        });
      }
      for (const id of Object.keys(expected.sessions)) await imported(exportSession(store, id as Session["id"]), (there) => expectSame(there, id));
    });

    test("leaves no word of who is erased, and everything of the others", async () => {
      const { store, runtime, location, expected } = await opened(version, database, { work: false });
      expect((await storedIn(location)).includes(erasedBefore)).toBe(false);
      const doomed = [
        ...Object.entries(wordsOf).map(([customer, word]) => ({ word, erase: () => runtime.customers.delete(customer) })),
        ...Object.entries(wordsOfStrangers).map(([name, word]) => ({ word, erase: () => runtime.sessions.delete(expected.named[name] ?? "") })),
      ];
      const audited = (await all((page) => runtime.safety.assessments(page))).length;
      for (const [index, { word, erase }] of doomed.entries()) {
        const keys = database === "encrypted" ? await keysIn(location) : 0;
        expect(await erase()).toHaveProperty("finished_at");
        const stored = await storedIn(location);
        expect(stored.includes(word), `${word} after it was erased`).toBe(false);
        if (database === "encrypted") expect(await keysIn(location), word).toBeLessThan(keys);
        else for (const other of doomed.slice(index + 1)) expect(stored.includes(other.word), `${other.word} after ${word} was erased`).toBe(true);
        for (const { id } of await all((page) => runtime.sessions.list(page))) {
          const session = await runtime.sessions.get(id);
          expect((await session.messages({ last: 1_000 })).length, id).toBe(expected.sessions[id]?.messages.length);
        }
      }
      expect([(await runtime.sessions.list()).total, (await runtime.customers.list()).total]).toEqual([0, 0]);
      expect((await all((page) => runtime.safety.assessments(page))).length).toBe(audited);
      expect((await all((page) => runtime.erasures.list(page))).length).toBe(expected.erasures.length + doomed.length);

      await runtime.close();
      await store.close();
      const again = await openStore(location, expected.encryption === undefined ? {} : { encryption: expected.encryption });
      onTestFinished(() => again.close());
      const fresh = await createRuntime({ store: again, agents: oldAgents().agents });
      onTestFinished(() => fresh.close());
      expect((await (await fresh.sessions.create({ agent: "desk" })).send("hello")).reply).toBe("Noted: hello");
    });
  });
});
