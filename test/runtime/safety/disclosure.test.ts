import { expect, test } from "vitest";
import { openStore, type EventOf, type Session } from "../../../packages/throughline/src/index.ts";
import { collect, code, started } from "../harness.ts";
import { clockAt, hourMs } from "./clock-at.ts";
import { gated, parts } from "./harness.ts";
import { disclosureDue } from "../../../packages/throughline/src/safety/audit/gate-shared.ts";

const noon = Date.parse("2026-11-20T12:00:00Z");

async function session(options: Parameters<typeof gated>[0] = {}) {
  const clock = clockAt(noon);
  const store = await openStore(":memory:", { clock });
  const { agent, requests } = gated(options, { episodeSilenceMs: 10 * hourMs });
  const first = await started({ agents: [agent], store, clock });
  return { clock, store, requests, agent, session: await first.sessions.create({ agent: "companion" }) };
}

type Disclosure = Extract<EventOf<"session">["data"], { type: "disclosure" }>;

async function disclosures(of: Session): Promise<readonly (Disclosure & { readonly turn_id: string | undefined })[]> {
  const events = await collect(of, { kinds: ["session"] });
  return events.flatMap((event) => (event.kind === "session" && event.data.type === "disclosure" ? [{ ...event.data, turn_id: event.turn_id }] : []));
}

test("a person is told when a conversation begins, and after three hours of it, before the reply and in its turn", async () => {
  const { clock, session: one } = await session();
  await one.send("Good morning");
  expect(await disclosures(one)).toMatchObject([{ reason: "start", text: parts.phrases[0]?.disclosure }]);
  clock.set(noon + 3 * hourMs - 1);
  await one.send("The rain has stopped");
  expect(await disclosures(one)).toHaveLength(1);
  clock.set(noon + 3 * hourMs);
  const { turn_id } = await one.send("And now?");
  const told = await disclosures(one);
  expect(told.map(({ reason }) => reason)).toEqual(["start", "interval"]);
  expect(told[1]?.turn_id).toBe(turn_id);
  const events = await collect(one);
  const at = events.findLastIndex(({ kind, data }) => kind === "session" && data.type === "disclosure");
  const reply = events.findLastIndex(({ kind, source }) => kind === "message" && source === "ai_agent");
  expect(at).toBeLessThan(reply);
});

test("in a crisis too; for a minor every hour, with a hint to pause", async () => {
  const { clock, session: one } = await session({ profile: "minor" });
  await one.send("I want to die");
  clock.set(noon + hourMs);
  await one.send("Good morning");
  const told = await disclosures(one);
  expect(told.map(({ reason, suggests_break }) => [reason, suggests_break])).toEqual([
    ["start", undefined],
    ["interval", true],
  ]);
});

test("a conversation that begins anew begins with it, and so does one in a process that knows nothing of it only once", async () => {
  const { store, clock, agent, session: one } = await session();
  await one.send("Good morning");
  const second = await started({ agents: [agent], store, clock });
  const again = await second.sessions.get(one.id);
  await again.send("Good morning again");
  expect(await disclosures(one)).toHaveLength(1);
  await one.endEpisode();
  await again.send("Hello");
  expect((await disclosures(one)).map(({ reason }) => reason)).toEqual(["start", "start"]);
});

test("it is no message: no model reads it, and no list of messages has it", async () => {
  const { session: one, requests } = await session();
  await one.send("Good morning");
  await one.send("The rain has stopped");
  const text = parts.phrases[0]?.disclosure ?? "";
  expect(text).not.toBe("");
  expect(JSON.stringify(requests)).not.toContain(text);
  expect(JSON.stringify(await one.messages())).not.toContain(text);
});

test.each([
  ["nothing was said of it", undefined, 1, "start"],
  ["it was said in an episode before", { at: noon, episode: 1 }, 2, "start"],
  ["it was said a moment ago", { at: noon + hourMs, episode: 1 }, 1, undefined],
  ["it was said three hours ago", { at: noon - 2 * hourMs, episode: 1 }, 1, "interval"],
  ["the clock was set back", { at: noon + 9 * hourMs, episode: 1 }, 1, "interval"],
])("when %s", (_, last, episode, due) => {
  expect(disclosureDue(last, { now: noon + hourMs, episode, everyMs: 3 * hourMs })).toBe(due);
});

test("a consent is an event of the session, and is exported with it", async () => {
  const { session: one } = await session();
  await one.consent({ given: true, textVersion: "2026-11", idempotencyKey: "a" });
  await one.consent({ given: true, textVersion: "2026-11", idempotencyKey: "a" });
  await one.consent({ given: false, textVersion: "2026-11", purpose: "sharing" });
  const consents = (await collect(one, { kinds: ["session"] })).filter(({ data }) => "type" in data && data.type === "consent");
  expect(consents.map(({ data }) => data)).toEqual([
    { type: "consent", given: true, text_version: "2026-11", purpose: "service" },
    { type: "consent", given: false, text_version: "2026-11", purpose: "sharing" },
  ]);
  expect(await code(one.consent({ given: "yes" as never, textVersion: "1" }))).toBe("input.invalid");
  expect(await code(one.consent({ given: true, textVersion: " " }))).toBe("input.invalid");
});
