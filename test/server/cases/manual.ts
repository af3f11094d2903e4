/** G and H: manual mode, and taking back. */
import { expect } from "vitest";
import type { WireEvent } from "../../../packages/server/src/protocol/wire-event.ts";
import { eventsIn } from "../../setup/event-reader.ts";
import { readStream } from "./stream.ts";
import { at, ended, follow, logOf, lookedAround, only, problem, say, textOf, until, type Case, type World } from "./world.ts";

type Session = { readonly id: string };
const patch = ({ one }: World, session: Session, body: object) => one.ask("PATCH", at(session), body);
const says = async (world: World, session: Session, source: string, text: string): Promise<WireEvent> => {
  const participant = source === "human_agent" ? { participant: { display_name: "Ann" } } : {};
  const { status, body } = await world.one.ask("POST", at(session, "/events"), { kind: "message", source, text, ...participant });
  expect(status).toBe(201);
  return body;
};
const lastReply = (events: readonly WireEvent[]): string =>
  textOf(events.findLast(({ kind, source }) => kind === "message" && source === "ai_agent"));

export const manual: readonly Case[] = [
  {
    id: "G1",
    what: "in manual mode a message is stored, and nothing follows",
    run: async (world) => {
      const session = await world.make();
      await patch(world, session, { mode: "manual" });
      await say(world, session, "anyone there?");
      await lookedAround(world);
      expect(only(await logOf(world, session), "message", "status", "turn")).toEqual(["customer:anyone there?"]);
    },
  },
  {
    id: "handover-2",
    what: "manual silences a turn that another process runs, also one that does not listen",
    run: async (world) => {
      for (const command of ["hold", "stubborn"]) {
        const session = await world.make();
        const { name, begun, open } = world.gate();
        await say(world, session, `${command} ${name}`);
        await begun();
        expect((await patch(world, session, { mode: "manual" })).status).toBe(200);
        open();
        const events = await ended(world, session);
        await lookedAround(world);
        expect(only(await logOf(world, session), "message", "status")).toEqual([`customer:${command} ${name}`, "status:cancelled"]);
        const end = events.find(({ kind, data }) => kind === "turn" && data["type"] === "ended");
        expect(end?.data).toMatchObject({ outcome: { status: "stopped", reason: "manual" } });
      }
    },
  },
  {
    id: "G3",
    what: "a tool that hands over is not undone by one that says nothing; its turn says farewell, and later messages get no answer",
    run: async (world) => {
      const session = await world.make();
      await say(world, session, "person please");
      expect(lastReply(await ended(world, session))).toContain("a person comes");
      expect((await world.two.ask("GET", at(session))).body).toMatchObject({
        mode: "manual",
        handover: { status: "waiting", reason: "asked for a person", alert: 2 },
      });
      await say(world, session, "hello?");
      await lookedAround(world);
      expect(only(await logOf(world, session), "message").at(-1)).toBe("customer:hello?");
    },
  },
  {
    id: "G5, G6",
    what: "back in auto nothing happens by itself; resumed, the agent is told who wrote what",
    run: async (world) => {
      const session = await world.make();
      await say(world, session, "hello");
      await ended(world, session);
      await patch(world, session, { mode: "manual" });
      await says(world, session, "human_agent", "Ann here");
      await says(world, session, "human_agent_on_behalf_of_ai_agent", "All done");
      await say(world, session, "prompt");
      expect(await world.one.ask("POST", at(session, "/turns"))).toMatchObject(problem(409, "session.manual"));
      await patch(world, session, { mode: "auto" });
      await lookedAround(world);
      expect(only(await logOf(world, session), "turn").filter((line) => line === "turn:started")).toHaveLength(1);
      expect((await world.one.ask("POST", at(session, "/turns"), { cause: "resume" })).status).toBe(202);
      const told = JSON.parse(lastReply(await ended(world, session, 2)));
      expect(told.messages.map(({ role, text }: { role: string; text: string }) => `${role}:${text}`)).toEqual([
        ...["user:hello", "assistant:re:hello", "assistant:[Ann, a person, wrote:] Ann here", "assistant:All done", "user:prompt"],
      ]);
    },
  },
  {
    id: "handover-7",
    what: "a session is handed over, taken up by one of two, and handed back with what happened",
    run: async (world) => {
      const session = await world.make();
      const queue = async (query: string) =>
        (await world.two.ask("GET", `/v1/handovers?limit=100&queue=${query}`)).body.items.filter(
          (item: { session_id: string }) => item.session_id === session.id,
        );
      await world.one.ask("POST", at(session, "/handover"), { reason: "angry" });
      expect(await queue("waiting")).toMatchObject([{ handover: { reason: "angry" } }]);
      const taken = await Promise.all(
        ["ann", "bob"].map((operator, index) => world.either(index).ask("POST", at(session, "/handover/assign"), { operator })),
      );
      expect(taken.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409]);
      const operator = taken.find(({ status }) => status === 200)?.body.handover.operator;
      expect([await queue("waiting"), (await queue(`mine&operator=${operator}`)).length]).toEqual([[], 1]);
      await say(world, session, "prompt");
      const back = await world.one.ask("POST", at(session, "/handover/back"), { summary: "It is solved.", state: { mood: "calm" }, resume: true });
      expect(back).toMatchObject({ status: 200, body: { mode: "auto", handover: { status: "resolved" } } });
      expect(lastReply(await ended(world, session))).toContain("It is solved.");
      expect((await world.two.ask("GET", at(session, "/state"))).body.state).toEqual({ mood: "calm" });
    },
  },
];

/** A conversation of three turns; the offset of its second message. */
async function conversation(world: World): Promise<{ readonly session: Session; readonly second: number }> {
  const session = await world.make();
  await say(world, session, "feel fine");
  await ended(world, session);
  const { offset: second } = await say(world, session, "feel bad");
  await ended(world, session, 2);
  await say(world, session, "three");
  await ended(world, session, 3);
  return { session, second };
}
const withdraw = ({ one }: World, session: Session, from: number | string) => one.ask("DELETE", at(session, `/events?min_offset=${from}`));
const stateOf = async ({ two }: World, session: Session, query = "") =>
  (await two.ask("GET", at(session, `/state?view=internal${query}`))).body.state;

export const takingBack: readonly Case[] = [
  {
    id: "H1, H8",
    what: "what follows is hidden and told to readers, what was before is kept, and the state is what it was",
    run: async (world) => {
      const { session, second } = await conversation(world);
      await patch(world, session, { consumers: { client: second + 5 } });
      const before = await stateOf(world, session, `&at=${second - 1}`);
      expect(before).toEqual({ mood: "fine", heard: ["feel fine"] });
      const reader = await readStream(world.two.url, at(session, `/events?min_offset=${second + 5}&kinds=session`), world.key);
      expect((await withdraw(world, session, second)).status).toBe(204);
      await until(() => (eventsIn(reader.frames).length > 0 ? true : undefined), "the news");
      reader.cut();
      expect(eventsIn(reader.frames).map(({ data }) => data)).toEqual([{ type: "withdrawn", from: second, effects: [] }]);
      expect(only(await logOf(world, session), "message")).toEqual(["customer:feel fine", "agent:", 'agent:so {"mood":"fine"}']);
      expect(await stateOf(world, session)).toEqual(before);
      expect((await world.two.ask("GET", at(session))).body.consumers).toEqual({ client: second + 5 });
      expect(only(await logOf(world, session, "withdrawn=true&kinds=message"), "message").length).toBeGreaterThan(4);
    },
  },
  {
    id: "withdrawal-2",
    what: "no turn is cut in two: the answer says from where it could be taken back",
    run: async (world) => {
      const { session, second } = await conversation(world);
      const log = await logOf(world, session);
      const refused = await withdraw(world, session, second + 2);
      expect(refused).toMatchObject(problem(422, "session.withdraw_splits_turn"));
      expect(refused.body.details.first).toBe(second);
      expect(await logOf(world, session)).toEqual(log);
    },
  },
  {
    id: "H3",
    what: "from beyond the end nothing changes",
    run: async (world) => {
      const { session } = await conversation(world);
      const log = await logOf(world, session);
      expect((await withdraw(world, session, log.length)).status).toBe(204);
      expect((await withdraw(world, session, 1_000_000)).status).toBe(204);
      expect(await logOf(world, session)).toEqual(log);
    },
  },
  {
    id: "withdrawal-4",
    what: "an offset has to be given, be one, and not be the beginning of the session",
    run: async (world) => {
      const session = await world.make();
      expect(await world.one.ask("DELETE", at(session, "/events"))).toMatchObject(problem(422, "request.invalid"));
      for (const from of ["-1", "x", "1.5", ""]) expect(await withdraw(world, session, from), from).toMatchObject(problem(422, "request.invalid"));
      expect(await withdraw(world, session, 0)).toMatchObject(problem(422, "log.offset_invalid"));
      expect(await withdraw(world, { id: `ses_${"0".repeat(26)}` }, 1)).toMatchObject(problem(404, "session.not_found"));
    },
  },
  {
    id: "H5",
    what: "from what a person wrote, with the turns after it and what they changed",
    run: async (world) => {
      const session = await world.make();
      await say(world, session, "feel fine");
      await ended(world, session);
      const { offset } = await says(world, session, "human_agent", "Ann here");
      await say(world, session, "feel bad");
      await ended(world, session, 2);
      expect((await stateOf(world, session)).mood).toBe("bad");
      expect((await withdraw(world, session, offset)).status).toBe(204);
      expect(await stateOf(world, session)).toEqual({ mood: "fine", heard: ["feel fine"] });
      expect(
        only(
          (await logOf(world, session)).filter((event) => event.offset >= offset),
          "message",
          "turn",
        ),
      ).toEqual([]);
    },
  },
  {
    id: "H6",
    what: "a turn that runs is cancelled first, and what its worker writes too late is refused",
    run: async (world) => {
      const session = await world.make();
      const { name, begun, open } = world.gate();
      const { offset } = await say(world, session, `stubborn ${name}`);
      await begun();
      expect((await withdraw(world, session, offset)).status).toBe(204);
      open();
      await lookedAround(world);
      expect(only(await logOf(world, session), "message")).toEqual([]);
      const after = await say(world, session, "again");
      const events = await follow(world, session, (found) => lastReply(found) === "re:again");
      expect(only(events, "message")).toEqual(["customer:again", "agent:re:again"]);
      expect(after.offset).toBeGreaterThan(offset);
    },
  },
  {
    id: "withdrawal-7",
    what: "what was taken back is not told to the model, and the conversation goes on at new offsets",
    run: async (world) => {
      const { session, second } = await conversation(world);
      await withdraw(world, session, second);
      await say(world, session, "prompt");
      const told = JSON.parse(lastReply(await follow(world, session, (found) => lastReply(found).startsWith("{"))));
      expect(told.messages.map(({ text }: { text: string }) => text)).toEqual(["feel fine", `so {"mood":"fine"}`, "prompt"]);
    },
  },
  {
    id: "withdrawal-9",
    what: "what was taken back stays so, also when more is taken back from inside of it, or from the event that says so",
    run: async (world) => {
      const { session, second } = await conversation(world);
      const [, third] = (await logOf(world, session, "kinds=message&source=customer")).map(({ offset }) => offset).slice(1);
      await withdraw(world, session, second);
      const tombstone = (await logOf(world, session, `kinds=session&min_offset=${second}`))[0]?.offset ?? 0;
      const before = await stateOf(world, session);
      for (const from of [tombstone, third ?? 0, second]) {
        expect((await withdraw(world, session, from)).status).toBe(204);
        expect(await stateOf(world, session)).toEqual(before);
        const [news] = await logOf(world, session, `kinds=session&min_offset=${second}`);
        expect(news?.data).toEqual({ type: "withdrawn", from: second, effects: [] });
      }
      expect(only(await logOf(world, session), "message").filter((line) => line.startsWith("customer:"))).toEqual(["customer:feel fine"]);
    },
  },
];
