/** The JSON of an event is the same on every path that it leaves the service by, for every kind of event and for whoever may see it. */
import { expect } from "vitest";
import { type WireEvent, wireKinds } from "../../../packages/server/src/protocol/wire-event.ts";
import { readStream } from "./stream.ts";
import { at, ended, follow, say, until, type Case, type World } from "./world.ts";

type Session = { readonly id: string; readonly customer_id: string };

/** A session with events of every kind, and the text of each answer to a post. */
async function everyKind(world: World): Promise<{ readonly session: Session; readonly posted: readonly string[] }> {
  const session = await world.make({ title: "Every kind" });
  const posted: string[] = [];
  const post = async (body: object): Promise<void> => {
    const answer = await world.one.ask("POST", at(session, "/events"), body);
    expect(answer.status).toBe(201);
    posted.push(answer.text);
  };
  await post({ kind: "message", source: "customer", text: "feel \u2028 fine é 🙂\n", metadata: { channel: "sms" } });
  await ended(world, session);
  await post({ kind: "custom", source: "customer_ui", data: { page: "a", number: 1e21, none: null } });
  await post({ kind: "status", status: "typing", data: { device: "phone" } });
  await world.one.ask("PATCH", at(session), { title: "Other", mode: "manual" });
  await post({ kind: "message", source: "human_agent", text: "Ann here", participant: { display_name: "Ann" } });
  await world.one.ask("PATCH", at(session), { mode: "auto" });
  await say(world, session, "person");
  await ended(world, session, 2);
  await world.one.ask("PATCH", at(session, "/state"), { delta: { mood: "calm" }, operator: "ann" });
  // No agent of this version writes one.
  await world.store.commit({
    commit_id: `assessment of ${session.id}`,
    at: Date.now(),
    session: {
      session_id: session.id as never,
      events: [{ kind: "assessment", source: "system", trace_id: "a".repeat(32), data: { audit_id: "aud_1", level: 2 } }] as never,
    },
  });
  return { session, posted };
}

/** The texts of the events of a page, as they were sent: the page is made of them. */
function textsOf(text: string, events: readonly WireEvent[]): readonly string[] {
  const texts = events.map((event) => JSON.stringify(event));
  expect(text).toMatch(/^\{"items":\[/);
  expect(text.slice(10).startsWith(texts.join(","))).toBe(true);
  return texts;
}

async function isSameEverywhere(
  world: World,
  session: Session,
  headers: Readonly<Record<string, string>>,
  kinds: readonly string[],
): Promise<readonly WireEvent[]> {
  const query = `kinds=${kinds.join(",")}`;
  const get = (path: string, service = world.two) => service.ask("GET", path, undefined, headers);
  const page = await get(at(session, `/events?limit=1000&${query}`));
  const events: readonly WireEvent[] = page.body.items;
  const texts = textsOf(page.text, events);
  const polled = await follow(
    { ...world, two: { ...world.two, ask: (method, path) => world.one.ask(method, path, undefined, headers) } },
    session,
    (found) => found.length >= events.length,
    { query },
  );
  expect(polled.map((event) => JSON.stringify(event))).toEqual(texts);
  expect(await Promise.all(events.map(async ({ offset }) => (await get(at(session, `/events/${offset}`))).text))).toEqual(texts);
  expect(await Promise.all(events.map(async ({ id }) => (await get(at(session, `/events/${id}`), world.one)).text))).toEqual(texts);
  for (const path of [at(session, `/events?drafts=false&${query}`), `/v1/stream?drafts=false&sessions=${session.id}&${query}`]) {
    const reader = await readStream(world.two.url, path, headers);
    const frames = () => reader.frames.filter(({ event, text }) => text !== undefined && event !== "draft" && event !== "bye");
    await until(() => (frames().length >= texts.length ? true : undefined), path);
    reader.cut();
    expect(frames().map(({ text }) => text)).toEqual(texts);
    expect(frames().map(({ event }) => event)).toEqual(events.map(({ kind }) => kind));
  }
  return events;
}

export const sameJson: readonly Case[] = [
  {
    id: "E: the JSON",
    what: "is the same in the answer to a post, a page, a long poll, by offset and id, and in both streams, for a key",
    run: async (world) => {
      const { session, posted } = await everyKind(world);
      const events = await isSameEverywhere(world, session, world.key, wireKinds);
      expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(wireKinds));
      for (const text of posted) expect(events.map((event) => JSON.stringify(event))).toContain(text);
    },
  },
  {
    id: "E: the JSON",
    what: "and the same on all of them for a customer, with less in it",
    run: async (world) => {
      const { session } = await everyKind(world);
      const { token } = (await world.one.ask("POST", "/v1/tokens", { customer_id: session.customer_id })).body;
      const headers = { authorization: `Bearer ${token}` };
      const events = await isSameEverywhere(world, session, headers, ["message", "status", "custom", "state", "session"]);
      expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(["message", "status", "custom", "state", "session"]));
      expect(JSON.stringify(events)).not.toMatch(/metadata|look_up|writer|definition|heard|phone/);
      const posted = await world.one.ask("POST", at(session, "/events"), { kind: "message", text: "mine" }, headers);
      expect((await world.two.ask("GET", at(session, `/events/${posted.body.offset}`), undefined, headers)).text).toBe(posted.text);
    },
  },
];
