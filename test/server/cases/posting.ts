/** C: what can be posted, and what comes of it. */
import { expect } from "vitest";
import { at, ended, follow, logOf, lookedAround, only, problem, say, textOf, type Case, type World } from "./world.ts";

type Body = Readonly<Record<string, unknown>>;
const message = (text: unknown, more: Body = {}): Body => ({ kind: "message", source: "customer", text, ...more });

/** Posts to the first service. */
const post = ({ one }: World, session: { readonly id: string }, body: unknown, headers = {}) =>
  one.ask("POST", at(session, "/events"), body, headers);

/** Expects each body to be refused as wrong, and nothing to be stored. */
async function refuses(world: World, bodies: readonly unknown[]): Promise<void> {
  const session = await world.make();
  for (const body of bodies)
    expect(await post(world, session, body), JSON.stringify(body).slice(0, 100)).toMatchObject(problem(422, "request.invalid"));
  expect(only(await logOf(world, session), "message", "status", "custom", "turn")).toEqual([]);
}

/** Expects an event to be posted that no turn follows. */
async function isSilent(world: World, body: Body): Promise<Body> {
  const session = await world.make();
  const posted = await post(world, session, body);
  expect(posted.status, posted.text).toBe(201);
  await lookedAround(world);
  expect((await logOf(world, session)).map(({ kind }) => kind)).toEqual(["session", body["kind"]]);
  return posted.body;
}

export const posting: readonly Case[] = [
  {
    id: "C1",
    what: "a customer's message is stored with who said it",
    run: async (world) => {
      const session = await world.make();
      const { status, headers, body } = await post(world, session, message("hi"));
      expect(status).toBe(201);
      expect(headers.get("location")).toBe(at(session, "/events/1"));
      expect(body).toMatchObject({ session_id: session.id, offset: 1, kind: "message", source: "customer", turn_id: expect.any(String) });
      expect(body.data).toEqual({
        role: "user",
        parts: [{ type: "text", text: "hi" }],
        participant: { id: session.customer_id, display_name: "Ada" },
      });
      expect((await world.two.ask("GET", at(session, "/events/1"))).body).toEqual(body);
    },
  },
  {
    id: "posting-2",
    what: "a message without a source is a customer's; a stranger has no name",
    run: async (world) => {
      const { body: session } = await world.one.ask("POST", "/v1/sessions", { agent: "a1" });
      const { status, body } = await post(world, session, { kind: "message", text: "  hi ü\n" });
      expect([status, body.source, body.data]).toEqual([201, "customer", { role: "user", parts: [{ type: "text", text: "  hi ü\n" }] }]);
    },
  },
  {
    id: "C3",
    what: "a message needs a text",
    run: (world) =>
      refuses(world, [{ kind: "message", source: "customer" }, message(""), message("  \n"), message(null), message(7), message(["hi"])]),
  },
  {
    id: "posting-4",
    what: "a person's message needs a name",
    run: (world) =>
      refuses(world, [
        { kind: "message", source: "human_agent", text: "hi" },
        { kind: "message", source: "human_agent", text: "hi", participant: {} },
        { kind: "message", source: "human_agent", text: "hi", participant: { display_name: " " } },
        message("hi", { participant: { display_name: "Somebody else" } }),
      ]),
  },
  {
    id: "C5",
    what: "a person's message is stored, and not answered",
    run: async (world) => {
      const given = { kind: "message", source: "human_agent", text: "Ann here", participant: { display_name: "Ann" } };
      const { data, source } = (await isSilent(world, given)) as { data: Body; source: string };
      expect([source, data["participant"]]).toEqual(["human_agent", { display_name: "Ann" }]);
    },
  },
  {
    id: "C6",
    what: "a message in the agent's name has the agent as who said it, and nothing after it",
    run: async (world) => {
      const given = { kind: "message", source: "human_agent_on_behalf_of_ai_agent", text: "All done" };
      const { data, source } = (await isSilent(world, given)) as { data: Body; source: string };
      expect([source, data["participant"]]).toEqual(["human_agent_on_behalf_of_ai_agent", { display_name: "a1" }]);
    },
  },
  {
    id: "posting-7",
    what: "so do a person's messages need a text",
    run: (world) =>
      refuses(world, [
        { kind: "message", source: "human_agent", participant: { display_name: "Ann" } },
        { kind: "message", source: "human_agent", participant: { display_name: "Ann" }, text: " " },
        { kind: "message", source: "human_agent_on_behalf_of_ai_agent", text: "" },
      ]),
  },
  {
    id: "C8",
    what: "a message of the agent without a text is a turn: its first status, whose trace leads to the reply",
    run: async (world) => {
      const session = await world.make();
      const { status, body } = await post(world, session, { kind: "message", source: "ai_agent" });
      expect([status, body.kind, body.source, body.data]).toEqual([201, "status", "ai_agent", { status: "acknowledged" }]);
      await ended(world, session);
      const trace = await logOf(world, session, `trace_id=${body.trace_id}&kinds=message`);
      expect(trace.map(({ source }) => source)).toEqual(["ai_agent"]);
    },
  },
  {
    id: "posting-9",
    what: "the agent's words are its own, and it has none in manual mode",
    run: async (world) => {
      await refuses(world, [{ kind: "message", source: "ai_agent", text: "I am the agent" }]);
      const session = await world.make();
      await world.one.ask("PATCH", at(session), { mode: "manual" });
      expect(await post(world, session, { kind: "message", source: "ai_agent" })).toMatchObject(problem(409, "session.manual"));
      expect(only(await logOf(world, session), "message", "status", "turn")).toEqual([]);
    },
  },
  {
    id: "C10",
    what: "guidelines are not taken",
    run: (world) => refuses(world, [{ kind: "message", source: "ai_agent", guidelines: [{ action: "say hello", rationale: "buy_time" }] }]),
  },
  {
    id: "C11",
    what: "a page, and a system, send no messages; nor does who is nobody",
    run: (world) =>
      refuses(
        world,
        ["customer_ui", "system", "somebody", "", null].map((source) => ({ kind: "message", source, text: "hi" })),
      ),
  },
  {
    id: "posting-12",
    what: "a custom event is stored, from whoever but the agent, and not answered",
    run: async (world) => {
      expect(await isSilent(world, { kind: "custom", data: { page: "pricing" } })).toMatchObject({
        source: "system",
        data: { value: { page: "pricing" } },
      });
      const session = await world.make();
      for (const source of ["customer", "customer_ui", "human_agent", "human_agent_on_behalf_of_ai_agent", "system"])
        expect((await post(world, session, { kind: "custom", source, data: 1 })).body).toMatchObject({ source, data: { value: 1 } });
      expect(await post(world, session, { kind: "custom", source: "ai_agent", data: 1 })).toMatchObject(problem(422, "request.invalid"));
    },
  },
  {
    id: "C13",
    what: "a custom event needs data; what is empty is data",
    run: async (world) => {
      await refuses(world, [{ kind: "custom" }, { kind: "custom", source: "system" }]);
      const session = await world.make();
      for (const data of [{}, [], "", 0, false, null]) {
        const { status, body } = await post(world, session, { kind: "custom", data });
        expect([status, body.data]).toEqual([201, { value: data }]);
      }
    },
  },
  {
    id: "posting-14",
    what: "a person's status is stored, and neither answered nor told to the model",
    run: async (world) => {
      const posted = await isSilent(world, { kind: "status", status: "typing", data: { device: "phone" } });
      expect(posted).toMatchObject({ source: "human_agent", data: { status: "typing", data: { device: "phone" } } });
      const session = await world.make();
      await post(world, session, { kind: "status", status: "typing", data: { device: "canary" } });
      await say(world, session, "prompt");
      expect(only(await ended(world, session), "message").join()).not.toContain("canary");
    },
  },
  {
    id: "C15",
    what: "a status needs a status, and its data is an object",
    run: (world) =>
      refuses(world, [
        ...[{ kind: "status" }, { kind: "status", status: "" }, { kind: "status", status: "asleep" }, { kind: "status", status: null }],
        ...["text", 1, [], null].map((data) => ({ kind: "status", status: "typing", data })),
        { kind: "status", status: "typing", source: "ai_agent" },
      ]),
  },
  {
    id: "C16",
    what: "what the runtime alone writes cannot be posted",
    run: (world) =>
      refuses(
        world,
        ["tool", "state", "turn", "session", "assessment"].map((kind) => ({ kind, source: "ai_agent", data: { type: "called" } })),
      ),
  },
  {
    id: "posting-17",
    what: "nor can what is no event, or says more than one can",
    run: (world) =>
      refuses(world, [
        {},
        { kind: "bogus" },
        { kind: 1 },
        [],
        "7",
        message("hi", { offset: 7 }),
        message("hi", { role: "assistant" }),
        message("hi", { metadata: [] }),
      ]),
  },
  {
    id: "C18",
    what: "an event stays as it is: its metadata is given with it",
    run: async (world) => {
      const session = await world.make();
      const { body } = await post(world, session, message("hi", { metadata: { channel: "sms" } }));
      expect(body.metadata).toEqual({ channel: "sms" });
      const refused = await world.one.ask("PATCH", at(session, "/events/1"), { metadata: { set: { a: 1 } } });
      expect([refused.status, refused.body.code, refused.headers.get("allow")]).toEqual([405, "request.method_not_allowed", "GET, HEAD"]);
      expect((await world.two.ask("GET", at(session, "/events/1"))).body).toEqual(body);
    },
  },
  {
    id: "posting-19",
    what: "an event's metadata is neither told to the model nor to the customer",
    run: async (world) => {
      const session = await world.make();
      const { token } = (await world.one.ask("POST", "/v1/tokens", { customer_id: session.customer_id })).body;
      await post(world, session, message("prompt", { metadata: { note: "canary" } }));
      await post(world, session, { kind: "custom", source: "customer_ui", data: 1, metadata: { note: "canary" } });
      expect(only(await ended(world, session), "message").join()).not.toContain("canary");
      const shown = await world.two.ask("GET", at(session, "/events"), undefined, { authorization: `Bearer ${token}` });
      expect([shown.status, shown.text.includes("canary"), shown.body.items.length > 2]).toEqual([200, false, true]);
    },
  },
  {
    id: "C20",
    what: "to a session that is not there nothing can be posted",
    run: async (world) => {
      for (const id of [`ses_${"0".repeat(26)}`, "ses_1", "nothing"])
        expect(await post(world, { id }, message("hi"))).toMatchObject(problem(404, "session.not_found"));
    },
  },
  {
    id: "C21",
    what: "sent again under its key, also at the same time and to the other service, a message is one, and answered once",
    run: async (world) => {
      const session = await world.make();
      const key = { "idempotency-key": "m-1" };
      const send = ({ ask }: World["one"]) => ask("POST", at(session, "/events"), message("hi"), key);
      const together = await Promise.all([send(world.one), send(world.two), send(world.one), send(world.two)]);
      expect(together.every(({ status, body }) => status === 201 || body.code === "request.in_progress")).toBe(true);
      const [first, second] = [await send(world.one), await send(world.two)];
      const made = [...together, first, second].filter(({ status }) => status === 201);
      expect(new Set(made.map(({ text }) => text)).size).toBe(1);
      expect([first.status, second.status, first.body.offset, second.headers.get("idempotent-replayed")]).toEqual([201, 201, 1, "true"]);
      expect(only(await ended(world, session), "message")).toEqual(["customer:hi", "agent:re:hi"]);
    },
  },
  {
    id: "posting-22",
    what: "the same key for another message is refused, and does not change the first",
    run: async (world) => {
      const session = await world.make();
      const key = { "idempotency-key": "m-1" };
      await say(world, session, "hi", key);
      for (const body of [message("other"), message("hi", { metadata: {} }), { kind: "custom", data: "hi" }])
        expect(await world.two.ask("POST", at(session, "/events"), body, key)).toMatchObject(problem(422, "request.key_reused"));
      expect(only(await ended(world, session), "message", "custom")).toEqual(["customer:hi", "agent:re:hi"]);
    },
  },
  {
    id: "C23",
    what: "the same key in another session is another message",
    run: async (world) => {
      const key = { "idempotency-key": "m-1" };
      const [one, two] = [await world.make(), await world.make()];
      const [first, second] = [await say(world, one, "hi", key), await say(world, two, "ho", key)];
      expect([first.session_id, textOf(first), second.session_id, textOf(second)]).toEqual([one.id, "hi", two.id, "ho"]);
      expect(only(await ended(world, two), "message")).toEqual(["customer:ho", "agent:re:ho"]);
    },
  },
  {
    id: "posting-24",
    what: "an event is read by its offset and by its id",
    run: async (world) => {
      const session = await world.make();
      const event = await say(world, session, "hi");
      for (const name of [event.offset, event.id]) expect((await world.two.ask("GET", at(session, `/events/${name}`))).body).toEqual(event);
      for (const name of ["99", "-1", "1.0", "evt_x", event.id.slice(0, -1), "%00"])
        expect(await world.two.ask("GET", at(session, `/events/${name}`)), name).toMatchObject(problem(404, "event.not_found"));
    },
  },
  {
    id: "C25",
    what: "an event is not found in another session",
    run: async (world) => {
      const [one, two] = [await world.make(), await world.make()];
      const event = await say(world, one, "hi");
      expect(await world.two.ask("GET", at(two, `/events/${event.id}`))).toMatchObject(problem(404, "event.not_found"));
    },
  },
  {
    id: "C26",
    what: "what is too large is refused, and nothing is stored",
    run: async (world) => {
      const session = await world.make();
      for (const size of [70_000, 17_000])
        for (const body of [message("x".repeat(size)), { kind: "custom", data: { deep: ["x".repeat(size)] } }])
          expect(await post(world, session, body)).toMatchObject(problem(413, "request.too_large"));
      expect(await logOf(world, session)).toHaveLength(1);
      expect((await post(world, session, { kind: "custom", data: "x".repeat(16_000) })).status).toBe(201);
    },
  },
  {
    id: "C",
    what: "a message that is accepted is answered, whoever asks and wherever",
    run: async (world) => {
      const session = await world.make();
      const texts = ["one", "two", "three", "four"];
      await Promise.all(texts.map((text, index) => world.either(index).ask("POST", at(session, "/events"), message(text))));
      const isAnswered = (events: Awaited<ReturnType<typeof logOf>>): boolean =>
        events.flatMap(({ kind, data }) => (kind === "turn" && data["type"] === "started" ? data["answers"] : [])).length === texts.length;
      const events = await follow(world, session, isAnswered);
      const answers = events.flatMap(({ kind, data }) => (kind === "turn" && data["type"] === "started" ? data["answers"] : []));
      const posted = events.filter(({ source }) => source === "customer").map(({ offset }) => offset);
      expect(answers.toSorted((left, right) => left - right)).toEqual(posted);
    },
  },
];
