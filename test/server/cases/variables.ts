/** I: variables that are set at one process and seen by turns of another. */
import { expect } from "vitest";
import type { WireEvent } from "../../../packages/server/src/protocol/wire-event.ts";
import { at, ended, problem, say, textOf, type Case, type World } from "./world.ts";

type Session = { readonly id: string; readonly customer_id: string };
const customer = ({ customer_id }: Session, rest = ""): string => `/v1/customers/${customer_id}/variables${rest}`;
const set = async ({ one }: World, path: string, body: object): Promise<void> => expect((await one.ask("PATCH", path, body)).status).toBe(200);
const lastReply = (events: readonly WireEvent[]): string =>
  textOf(events.findLast(({ kind, source }) => kind === "message" && source === "ai_agent"));

/** What the model is told of variables in the next turn; undefined if it is told nothing. */
async function told(world: World, session: Session, turns = 1): Promise<unknown> {
  await say(world, session, "known");
  const text = lastReply(await ended(world, session, turns));
  return text === "nothing" ? undefined : JSON.parse(text.split("\n")[0] ?? "");
}

export const known: readonly Case[] = [
  {
    id: "I1, I3",
    what: "the next turn sees what was set, as typed JSON, merged by name",
    run: async (world) => {
      const session = await world.make();
      await set(world, customer(session), { tier: "gold", n: 3 });
      await set(world, customer(session), { empty: "", no: false, deep: { list: [1, null] } });
      await world.one.ask("PUT", customer(session, "/nothing"), { value: null });
      expect(await told(world, session)).toEqual({ tier: "gold", n: 3, empty: "", no: false, deep: { list: [1, null] }, nothing: null });
    },
  },
  {
    id: "I10",
    what: "what was taken away, or never set, is absent",
    run: async (world) => {
      const session = await world.make();
      expect(await told(world, session)).toBeUndefined();
      await set(world, customer(session), { tier: "gold", kept: 1 });
      await set(world, customer(session), { tier: null });
      expect(await told(world, session, 2)).toEqual({ kept: 1 });
      expect(await world.two.ask("GET", customer(session, "/tier"))).toMatchObject(problem(404, "variable.not_found"));
    },
  },
  {
    id: "I5",
    what: "metadata is in no prompt, wherever it is",
    run: async (world) => {
      const session = await world.make({ metadata: { note: "canary", session_key: "canary-key" } });
      await world.one.ask("PATCH", `/v1/customers/${session.customer_id}`, { metadata: { note: "canary" } });
      await set(world, customer(session), { tier: "gold" });
      await world.one.ask("POST", at(session, "/events"), { kind: "custom", data: "seen", metadata: { note: "canary" } });
      await say(world, session, "prompt");
      const prompt = lastReply(await ended(world, session));
      expect([prompt.includes("gold"), prompt.includes("seen"), prompt.includes("canary")]).toEqual([true, true, false]);
    },
  },
  {
    id: "I6, I8",
    what: "a session's value counts before its customer's, and that before the agent's",
    run: async (world) => {
      const session = await world.make({ agent: "eager" });
      const [own, theirs, all] = [world.name("who"), world.name("who"), world.name("who")];
      await set(world, "/v1/agents/eager/variables", { [own]: "agent", [theirs]: "agent", [all]: "agent" });
      await set(world, customer(session), { [own]: "customer", [theirs]: "customer" });
      await set(world, at(session, "/variables"), { [own]: "session" });
      expect(await told(world, session)).toMatchObject({ [own]: "session", [theirs]: "customer", [all]: "agent" });
      await set(world, "/v1/agents/eager/variables", { [own]: null, [theirs]: null, [all]: null });
      expect(await told(world, session, 2)).toEqual({ [own]: "session", [theirs]: "customer" });
    },
  },
  {
    id: "I11, I23",
    what: "a customer's value is seen in all sessions of that customer, and in nobody else's",
    run: async (world) => {
      const [session, stranger] = [await world.make(), await world.make()];
      const { body: other } = await world.one.ask("POST", "/v1/sessions", { agent: "a1", customer_id: session.customer_id });
      await set(world, customer(session), { tier: "gold" });
      expect([await told(world, session), await told(world, other), await told(world, stranger)]).toEqual([
        { tier: "gold" },
        { tier: "gold" },
        undefined,
      ]);
    },
  },
  {
    id: "variables-22",
    what: "what is set while a turn runs is seen by the next one, and a turn says which version it saw",
    run: async (world) => {
      const session = await world.make();
      await set(world, customer(session), { tier: "gold" });
      const { version } = (await world.two.ask("GET", customer(session))).body;
      const { name, begun, open } = world.gate();
      await say(world, session, `hold ${name}`);
      await begun();
      await set(world, customer(session), { tier: "none" });
      await say(world, session, "known");
      open();
      const events = await ended(world, session, 2);
      const versions = events.flatMap(({ kind, data }) =>
        kind === "turn" && data["type"] === "started" ? [(data["versions"] as { variables: number }).variables] : [],
      );
      expect([lastReply(events), versions]).toEqual([`{"tier":"none"}`, [version, version + 1]]);
    },
  },
  {
    id: "variables-24",
    what: "a stranger's variables are their own, and go with them when it is known who they are",
    run: async (world) => {
      const [one, two] = [
        (await world.one.ask("POST", "/v1/sessions", { agent: "a1" })).body,
        (await world.one.ask("POST", "/v1/sessions", { agent: "a1" })).body,
      ];
      await set(world, at(one, "/variables"), { language: "nl" });
      expect([await told(world, one), await told(world, two)]).toEqual([{ language: "nl" }, undefined]);
      const customer_id = world.name("crm");
      expect((await world.one.ask("POST", at(one, "/identify"), { customer_id, carry: true })).status).toBe(200);
      await set(world, `/v1/customers/${customer_id}/variables`, { tier: "gold" });
      expect(await told(world, one, 2)).toEqual({ language: "nl", tier: "gold" });
    },
  },
];
