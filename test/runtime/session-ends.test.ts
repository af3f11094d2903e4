/** What a list says of sessions besides their headers: what they wait for, and their last message. */
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { redactMessages } from "../../packages/throughline/src/extension/redact.ts";
import { openStore, type ListedSession, type Store } from "../../packages/throughline/src/index.ts";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import { append, ask, claimSession, event, message, newSession, started as runs } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { beginningOf } from "../../packages/throughline/src/runtime/reading/listed-session.ts";
import { counting } from "../setup/counting-store.ts";
import { noPostgres } from "../setup/database.ts";
import { bank, bookings, type Kind, location, movesFive, named, onlyPending } from "./approval/harness.ts";
import { code, started } from "./harness.ts";
import { calling } from "./loop/harness.ts";

const kinds: readonly Kind[] = noPostgres === undefined ? ["memory", "SQLite", "PostgreSQL"] : ["memory", "SQLite"];

async function storeOf(kind: Kind): Promise<Store> {
  const store = await openStore(await location(kind));
  onTestFinished(() => store.close());
  return store;
}

/** A message of a trace, which the customer does not see. */
const notForCustomer = (text: string) =>
  event("message", { role: "assistant", parts: [{ type: "text", text }], origin: { is_trace: true } }, { source: "ai_agent" });

const endsIn = (items: readonly ListedSession[]) => items.map(({ waits_for, last_message }) => [waits_for, last_message?.text]);

describe.each(kinds)("%s: a list of sessions", (kind) => {
  test("says which sessions wait for an approval, and finds them", async () => {
    const { runtime, session } = await bank(movesFive, { store: await storeOf(kind) });
    const { sessions } = runtime;
    const idle = await sessions.create({ agent: "bank" });
    const { offset } = await session.send("move 5");
    const { items } = await sessions.list({ ends: true });
    expect(items.map(({ id }) => id)).toEqual([session.id, idle.id]);
    // What the agent says with its call is a step of its work, so the customer's words are the last ones.
    expect(endsIn(items)).toEqual([
      [["approval"], "move 5"],
      [undefined, undefined],
    ]);
    expect(items[0]?.last_message).toMatchObject({ offset, source: "customer" });
    expect((await sessions.list({ waits: "approval" })).items.map(({ id }) => id)).toEqual([session.id]);
    expect((await sessions.list({ waits: "answer" })).items).toEqual([]);
    expect((await sessions.list({ waits: "approval", q: "move" })).items.map(({ id }) => id)).toEqual([session.id]);
    expect((await sessions.list({ waits: "answer", q: "move" })).items).toEqual([]);
    await session.decide({ ...named(await onlyPending(session)), decision: "approve" });
    await session.outcome(offset);
    expect(endsIn((await sessions.list({ ends: true })).items)[0]).toEqual([undefined, "Done."]);
    expect((await sessions.list({ waits: "approval" })).items).toEqual([]);
  });

  test("says which sessions wait for an answer, until the last question is answered", async () => {
    const { runtime, session } = await bank([calling(["book", { day: "Monday" }]), "Booked."], { tool: bookings(), store: await storeOf(kind) });
    const { offset } = await session.send("book");
    for (const answer of ["2", "Ada"]) {
      expect((await runtime.sessions.list({ waits: "answer" })).items.map(({ id }) => id)).toEqual([session.id]);
      await session.decide({ ...named(await onlyPending(session)), decision: "answer", answer });
      expect((await session.outcome(offset)).status).toBe(answer === "2" ? "paused" : "completed");
    }
    expect((await runtime.sessions.list({ waits: "answer" })).items).toEqual([]);
  });

  test("shows no message that is withdrawn, redacted or not for the customer", async () => {
    const store = await storeOf(kind);
    const { sessions } = await started({ store });
    const session = await sessions.create({ agent: "a1" });
    const last = async (): Promise<string | undefined> => (await sessions.list({ ends: true })).items[0]?.last_message?.text;
    expect(await last()).toBeUndefined();
    await session.send("hello");
    expect(await last()).toBe("re:hello");
    const { offset } = await session.postOperator("I am\n  here");
    expect(await last()).toBe("I am here");
    await session.postCustom("no message");
    expect(await last()).toBe("I am here");
    await session.withdraw({ from: offset });
    expect(await last()).toBe("re:hello");
    const said = (await session.messages()).flatMap(({ role, offset: at }) => (role === "assistant" ? [at] : []));
    await redactMessages({ store, clock: systemClock, ids: createIds(), logger: silentLogger }, session.id, said);
    expect(await last()).toBe("hello");
    const fork = await session.fork({ at: 1 });
    expect((await sessions.list({ ends: true })).items.find(({ id }) => id === fork.id)?.last_message).toMatchObject({ offset: 1, text: "hello" });
  });

  test.each([
    ["is of a later version", message("later", { version: 99 })],
    ["has no parts", event("message", { role: "user" })],
    ["has a part that is none", event("message", { role: "user", parts: [null] })],
  ])("shows the other sessions when a message %s", async (_name, unreadable) => {
    const store = await storeOf(kind);
    const { sessions } = await started({ store, work: false });
    const [bad, good] = [await newSession(store), await newSession(store)];
    await append(store, bad, { events: [message("before"), unreadable] });
    await append(store, good, { events: [message("hello")] });
    const places = [`the last message of session ${bad}`];
    expect(endsIn((await sessions.list({ ends: true })).items)).toEqual([
      [undefined, undefined],
      [undefined, "hello"],
    ]);
    expect((await sessions.list({ ends: true })).damaged).toEqual(places);
    expect((await sessions.list({})).damaged).toBeUndefined();
    expect(await sessions.list({ ends: true, q: "hello" })).toMatchObject({
      items: [{ id: good }],
      damaged: [`message 2 of session ${bad}`],
    });
    // It is also left out where it is not the last one, but the last one is not for the customer.
    await append(store, bad, { events: [notForCustomer("step")] });
    expect(await sessions.list({ ends: true })).toMatchObject({ total: 2, damaged: places });
  });

  test("shows the other sessions when a pause cannot be read", async () => {
    const store = await storeOf(kind);
    const { sessions } = await started({ store, work: false });
    const [bad, good] = [await newSession(store), await newSession(store)];
    for (const [session_id, pending] of [
      [bad, undefined],
      [good, [{ call_id: "c", name: "transfer", kind: "approval", index: 0, arguments_hash: "h", arguments: {} }]],
    ] as const) {
      await ask(store, session_id, "pay");
      const epoch = (await claimSession(store, session_id))?.epoch ?? -1;
      await append(store, session_id, { ...runs(1), depends: { epoch } });
      const paused = event("turn", { type: "paused", step_id: "step_1", ...(pending === undefined ? {} : { pending }) }, { turn: 1 });
      await append(store, session_id, { events: [paused], park: { turn: 1 }, depends: { epoch } });
    }
    const damaged = [`the running turn of session ${bad}`];
    expect(endsIn((await sessions.list({ ends: true })).items)).toEqual([
      [undefined, "pay"],
      [["approval"], "pay"],
    ]);
    expect(await sessions.list({ ends: true })).toMatchObject({ damaged });
    expect(await sessions.list({ waits: "approval" })).toMatchObject({ items: [{ id: good }], damaged });
    expect(await sessions.list({ waits: "approval", q: "pay" })).toMatchObject({ items: [{ id: good }], damaged });
  });

  test("reads little of long messages that are not for the customer", async () => {
    const { store, calls } = counting(await storeOf(kind));
    const { sessions } = await started({ store, work: false });
    const long = "x".repeat(45_000);
    for (let index = 0; index < 30; index++) {
      const session_id = await newSession(store);
      await append(store, session_id, { events: [message("hello"), ...Array.from({ length: 9 }, () => notForCustomer(long))] });
    }
    calls.length = 0;
    const { items, damaged } = await sessions.list({ ends: true });
    // Each read is of four sessions with 405 kB each, so the second one spends the 2 MiB.
    expect(calls).toEqual(["list", "list", "list", "list"]);
    expect(items.map(({ last_message }) => last_message?.text)).toEqual(Array.from({ length: 30 }, (_, index) => (index < 8 ? "hello" : undefined)));
    expect(damaged).toBeUndefined();
  });

  test("costs one read more, one for every four sessions that end in a step, and none if nobody asks", async () => {
    const { store, calls } = counting(await storeOf(kind));
    const { runtime, session } = await bank([{ text: "I will.", ...calling(["transfer", { amount: 5 }]) }, "Done."], { store });
    await session.send("move 5");
    for (let index = 0; index < 40; index++) await (await runtime.sessions.create({ agent: "bank" })).postOperator(`hello ${index}`);
    const counted = async (filter: Parameters<typeof runtime.sessions.list>[0]): Promise<readonly string[]> => {
      calls.length = 0;
      await runtime.sessions.list(filter);
      // The turn of the first session is parked, and its worker looks for others now and then.
      return calls.filter((name) => name !== "claim");
    };
    expect(await counted({})).toEqual(["list"]);
    expect(await counted({ ends: true })).toEqual(["list", "list", "list"]);
    expect(await counted({ ends: true, order: "desc", limit: 40 })).toEqual(["list", "list"]);
    expect(await counted({ waits: "approval" })).toEqual(["list", "list", "list"]);
    for (let index = 0; index < 4; index++) {
      const session_id = await newSession(store);
      await append(store, session_id, { events: [message("hello"), notForCustomer("step")] });
    }
    expect(await counted({ ends: true })).toEqual(["list", "list", "list", "list"]);
  });
});

test("a list of sessions takes no other word for what a session waits for", async () => {
  const { sessions } = await started();
  expect(await code(sessions.list({ waits: "rain" as never }))).toBe("input.invalid");
});

describe("the beginning of a text", () => {
  test("is its first 80 characters as people count them, on one line", () => {
    expect(beginningOf("  hello\n\tthere ")).toBe("hello there");
    const family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";
    expect(beginningOf("a".repeat(80))).toBe("a".repeat(80));
    expect(beginningOf("a".repeat(81))).toBe(`${"a".repeat(80)}…`);
    expect(beginningOf(family.repeat(40))).toBe(family.repeat(40));
    expect(beginningOf(family.repeat(41))).toBe(`${family.repeat(40)}…`);
    // One letter with any number of accents is one character.
    expect(beginningOf(`a${"\u0301".repeat(5_000)}`)).toBe("…");
  });

  test("is a beginning of whole characters, whatever the text", () => {
    const characters = new Intl.Segmenter("en", { granularity: "grapheme" });
    const part = fc.constantFrom(
      "a",
      " ",
      "\n",
      "é",
      "e\u0301",
      "\u{1F468}\u{200D}\u{1F469}",
      "\u{1F1E9}\u{1F1EA}",
      "\u{1F44D}\u{1F3FD}",
      "ไทย",
      "한국",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 2_000 }), (parts) => {
        const text = parts.join("");
        const shown = beginningOf(text);
        const line = text.replaceAll(/\s+/g, " ").trim();
        expect(shown.length).toBeLessThanOrEqual(321);
        expect(shown.isWellFormed()).toBe(true);
        if (shown === line) return;
        expect(shown.endsWith("…")).toBe(true);
        const kept = shown.slice(0, -1);
        expect(line.startsWith(kept)).toBe(true);
        const ends = new Set([...characters.segment(line)].map(({ index }) => index));
        expect(ends.has(kept.length) || line[kept.length] === " ").toBe(true);
      }),
    );
  });
});
