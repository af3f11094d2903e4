import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { recentMessages } from "../../packages/throughline/src/context/section.ts";
import { rules } from "../../packages/throughline/src/model/scripted.ts";
import { defineAgent } from "../../packages/throughline/src/runtime/agent/define-agent.ts";
import { loop } from "../../packages/throughline/src/runtime/loop/loop.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input, reduced } from "../../packages/throughline/src/state/field.ts";
import { emptyPostgresDatabase } from "../setup/database.ts";
import { databases, echo, openServer, type Answered, type TestServer } from "../setup/server.ts";

/** An agent that speaks first. */
const greeter = defineAgent({
  name: "greeter",
  version: 3,
  state: defineState({ message: input(z.string().optional()), mood: reduced(z.string(), { show: "public" }), note: reduced(z.string()) }),
  stages: [],
  reply: loop({ model: rules([() => "hello"]) }),
  sections: [recentMessages],
});

interface World {
  readonly request: TestServer["request"];
  readonly server: TestServer;
  /** A customer of this case alone. */
  readonly customer: string;
  /** A session of that customer. */
  readonly make: (given?: object) => Promise<Answered["body"]>;
}
interface Case {
  readonly id: string;
  readonly what: string;
  readonly run: (world: World) => Promise<unknown>;
}

const at = (session: { readonly id: string }): string => `/v1/sessions/${session.id}`;
const problem = (status: number, code: string) => ({ status, body: { status, code } });
const unknown = `ses_${"0".repeat(26)}`;

const creating: readonly Case[] = [
  {
    id: "B1",
    what: "a session without a customer is a stranger's, automatic and empty",
    run: async ({ request }) => {
      const { status, headers, body } = await request("POST", "/v1/sessions", { agent: "a1" });
      expect(status).toBe(201);
      expect(body).toEqual({
        ...{ id: expect.stringMatching(/^ses_[0-9a-z]{26}$/), agent: "a1", definition: 1, mode: "auto", title: null, labels: [], metadata: {} },
        ...{
          consumers: {},
          episode: 1,
          turns: 0,
          head: 0,
          version: expect.any(Number),
          created_at: expect.any(Number),
          updated_at: expect.any(Number),
        },
      });
      expect([headers.get("location"), headers.get("etag")]).toEqual([at(body), `"${body.version}"`]);
      expect((await request("GET", at(body))).body).toEqual(body);
    },
  },
  {
    id: "sessions-2",
    what: "a session has the customer, title, metadata and labels that it is given",
    run: async ({ request, make, customer }) => {
      const given = { title: "Sleep", metadata: { external_id: "t-1", deep: { a: null } }, labels: ["x", "y"] };
      const session = await make(given);
      expect(session).toMatchObject({ ...given, customer_id: customer });
      expect((await request("GET", at(session))).body).toEqual(session);
    },
  },
  {
    id: "B3",
    what: "an unknown agent is not found",
    run: async ({ request }) => expect(await request("POST", "/v1/sessions", { agent: "nobody" })).toMatchObject(problem(404, "agent.not_found")),
  },
  {
    id: "sessions-4",
    what: "an unknown customer is not found, and nothing is made",
    run: async ({ request, server }) => {
      expect(await request("POST", "/v1/sessions", { agent: "a1", customer_id: "nobody" })).toMatchObject(problem(404, "customer.not_found"));
      expect((await server.store.list({ of: "customers", customer_id: "nobody" })).total).toBe(0);
    },
  },
  {
    id: "B5",
    what: "what cannot be a session is refused",
    run: async ({ request }) => {
      const bad: readonly object[] = [
        ...[{}, { agent: "" }, { agent: 1 }, { agent: "a1", title: "x".repeat(201) }, { agent: "a1", title: 1 }, { agent: "a1", labels: "x" }],
        ...[
          { agent: "a1", labels: [""] },
          { agent: "a1", labels: ["subagent"] },
          { agent: "a1", metadata: [] },
          { agent: "a1", greet: "yes" },
        ],
        ...[
          { agent: "a1", customer_id: "" },
          { agent: "a1", mode: "auto" },
          { agent: "a1", metadata: { step_outputs: {} } },
        ],
        ...[
          { agent: "a1", metadata: { event_webhook_url: "http://example.org" } },
          { agent: "a1", metadata: { external_id: 7 } },
        ],
      ];
      for (const body of bad) expect((await request("POST", "/v1/sessions", body)).status, JSON.stringify(body)).toBe(422);
      expect((await request("POST", "/v1/sessions", { agent: "a1", title: "x".repeat(200) })).status).toBe(201);
    },
  },
  {
    id: "B6",
    what: "an agent that greets speaks first",
    run: async ({ request, make }) => {
      const session = await make({ agent: "greeter", greet: true });
      const says = async () => (await request("GET", `${at(session)}/events?kinds=message`)).body.items;
      await expect.poll(says).toHaveLength(1);
      expect((await says())[0]).toMatchObject({ source: "ai_agent", data: { parts: [{ text: "hello" }] } });
    },
  },
  {
    id: "sessions-7",
    what: "the same request again makes no second session",
    run: async ({ request, customer }) => {
      const post = () => request("POST", "/v1/sessions", { agent: "a1", customer_id: customer }, { "idempotency-key": `b7-${customer}` });
      const [first, second] = await Promise.all([post(), post()]);
      const third = await post();
      const made = [first, second, third].filter(({ status }) => status === 201);
      expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
      expect((await request("GET", `/v1/sessions?customer_id=${customer}`)).body.total).toBe(1);
    },
  },
];

const patching: readonly Case[] = [
  {
    id: "B8",
    what: "a consumer's bookmark goes forward and back, by its name",
    run: async ({ request, make }) => {
      const session = await make();
      const patch = async (consumers: object) => (await request("PATCH", at(session), { consumers })).body.consumers;
      expect(await patch({ client: 1 })).toEqual({ client: 1 });
      expect(await patch({ client: 0, other: 5 })).toEqual({ client: 0, other: 5 });
      expect(await patch({})).toEqual({ client: 0, other: 5 });
    },
  },
  {
    id: "sessions-9",
    what: "a patch without a consumer leaves the bookmarks, and nothing else changes either",
    run: async ({ request, make }) => {
      const session = await make({ title: "Kept", labels: ["x"], metadata: { a: 1 } });
      await request("PATCH", at(session), { consumers: { client: 3 } });
      const before = (await request("GET", at(session))).body;
      expect((await request("PATCH", at(session), {})).body).toEqual(before);
      expect(before).toMatchObject({ title: "Kept", labels: ["x"], metadata: { a: 1 }, consumers: { client: 3 } });
    },
  },
  {
    id: "B10",
    what: "a bookmark is a whole number from 0",
    run: async ({ request, make }) => {
      const session = await make();
      for (const offset of [-1, 1.5, "1", true, 2 ** 53])
        expect(await request("PATCH", at(session), { consumers: { client: offset } }), String(offset)).toMatchObject(problem(422, "request.invalid"));
      expect((await request("GET", at(session))).body.consumers).toEqual({});
    },
  },
  {
    id: "B11",
    what: "a patch of metadata sets, takes away and keeps, all at once",
    run: async ({ request, make }) => {
      const session = await make({ metadata: { project: "x", p: "high", v: 1, team: "a" } });
      const { body } = await request("PATCH", at(session), { metadata: { p: "low", v: 2, team: null } });
      expect(body.metadata).toEqual({ project: "x", p: "low", v: 2 });
      const empty = { metadata: { s: "", n: 0, o: {}, f: false, l: [] } };
      expect((await request("PATCH", at(session), empty)).body.metadata).toEqual({ ...body.metadata, ...empty.metadata });
    },
  },
  {
    id: "B13",
    what: "taking away what is not there changes nothing",
    run: async ({ request, make }) => {
      const session = await make({ metadata: { a: 1 } });
      expect(await request("PATCH", at(session), { metadata: { missing: null } })).toMatchObject({ status: 200, body: { metadata: { a: 1 } } });
    },
  },
  {
    id: "sessions-14",
    what: "a title is set, emptied and taken away, and the log tells",
    run: async ({ request, make }) => {
      const session = await make({ title: "First" });
      for (const title of ["Second", "", null]) expect((await request("PATCH", at(session), { title })).body.title).toBe(title);
      expect(await request("PATCH", at(session), { title: "x".repeat(201) })).toMatchObject(problem(422, "request.invalid"));
      const { items } = (await request("GET", `${at(session)}/events?kinds=session`)).body;
      const told = items.flatMap(({ data }: { data: { type: string; title: unknown } }) => (data.type === "title" ? [data.title] : []));
      expect(told).toEqual(["First", "Second", "", null]);
    },
  },
  {
    id: "B15",
    what: "a change of mode is read back, and stands in the log",
    run: async ({ request, make }) => {
      const session = await make();
      expect((await request("PATCH", at(session), { mode: "manual" })).body).toMatchObject({ mode: "manual", handover: { status: "waiting" } });
      expect((await request("PATCH", at(session), { mode: "auto" })).body).toMatchObject({ mode: "auto", handover: { status: "resolved" } });
      const { items } = (await request("GET", `${at(session)}/events?kinds=session`)).body;
      const modes = items.flatMap(({ data }: { data: { type: string; mode: unknown } }) => (data.type === "mode" ? [data.mode] : []));
      expect(modes).toEqual(["manual", "auto"]);
    },
  },
  {
    id: "B16",
    what: "there is no other mode, nor any other member",
    run: async ({ request, make }) => {
      const session = await make();
      for (const body of [
        { mode: "paused" },
        { mode: null },
        { agent: "a1" },
        { customer_id: "x" },
        { labels: ["x"] },
        { labels: { set: [] } },
        [],
        "x",
      ])
        expect(await request("PATCH", at(session), body), JSON.stringify(body)).toMatchObject({
          status: expect.toSatisfy((code) => code === 422 || code === 400),
        });
    },
  },
  {
    id: "sessions-17",
    what: "labels are added and removed, each once",
    run: async ({ request, make }) => {
      const session = await make({ labels: ["x", "x", "y"] });
      expect(session.labels).toEqual(["x", "y"]);
      const patch = { labels: { add: ["z", "x"], remove: ["y", "missing"] } };
      expect((await request("PATCH", at(session), patch)).body.labels).toEqual(["x", "z"]);
    },
  },
  {
    id: "sessions-17",
    what: "a patch is all or nothing, and holds only for the version that If-Match names",
    run: async ({ request, make }) => {
      const session = await make({ title: "Kept" });
      const wrong = { title: "Lost", mode: "manual", metadata: { step_outputs: {} } };
      expect(await request("PATCH", at(session), wrong)).toMatchObject(problem(422, "metadata.reserved"));
      expect((await request("GET", at(session))).body).toEqual(session);
      const first = await request(
        "PATCH",
        at(session),
        { title: "One", metadata: { a: 1 }, labels: { add: ["l"] } },
        { "if-match": `"${session.version}"` },
      );
      expect([first.status, first.headers.get("etag")]).toEqual([200, `"${first.body.version}"`]);
      const stale = await request("PATCH", at(session), { title: "Two" }, { "if-match": `"${session.version}"` });
      expect(stale).toMatchObject(problem(412, "request.precondition_failed"));
      expect(stale.headers.get("etag")).toBe(first.headers.get("etag"));
      expect((await request("GET", at(session))).body).toMatchObject({ title: "One", metadata: { a: 1 }, labels: ["l"] });
    },
  },
];

const listing: readonly Case[] = [
  {
    id: "B18",
    what: "listing by labels gives those that have all of them",
    run: async ({ request, make, customer }) => {
      const [both] = [await make({ labels: ["x", "y", "z"] }), await make({ labels: ["x"] }), await make({ labels: ["y"] })];
      const list = async (labels: string) => (await request("GET", `/v1/sessions?customer_id=${customer}&labels=${labels}`)).body;
      expect((await list("x,y")).items).toEqual([both]);
      expect((await list("y")).total).toBe(2);
      expect((await list("none")).items).toEqual([]);
    },
  },
  {
    id: "sessions-19",
    what: "listing by customer, agent and mode gives what all of them hold for",
    run: async ({ request, make, customer }) => {
      const [first, manual, other] = [await make(), await make(), await make({ agent: "greeter" })];
      await request("PATCH", at(manual), { mode: "manual" });
      const idsBy = async (query: string) =>
        (await request("GET", `/v1/sessions?customer_id=${customer}${query}`)).body.items.map(({ id }: { id: string }) => id);
      expect(await idsBy("")).toEqual([first.id, manual.id, other.id]);
      expect(await idsBy("&order=desc")).toEqual([other.id, manual.id, first.id]);
      expect(await idsBy("&agent=greeter")).toEqual([other.id]);
      expect(await idsBy("&mode=manual")).toEqual([manual.id]);
      expect(await idsBy("&handover=waiting")).toEqual([manual.id]);
      expect(await idsBy("&mode=manual&agent=greeter")).toEqual([]);
      expect((await request("GET", "/v1/sessions?customer_id=nobody")).body).toMatchObject({ items: [], next_cursor: null });
    },
  },
  {
    id: "B20",
    what: "pages follow each other without a gap or a double, to the end",
    run: async ({ request, make, customer }) => {
      const made = [];
      for (let count = 0; count < 5; count++) made.push((await make()).id);
      const sizes: number[] = [];
      const seen: string[] = [];
      for (let cursor = ""; ;) {
        const { body } = await request("GET", `/v1/sessions?customer_id=${customer}&limit=2${cursor}`);
        sizes.push(body.items.length);
        seen.push(...body.items.map(({ id }: { id: string }) => id));
        expect(body.total).toBe(5);
        if (body.next_cursor === null) break;
        cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
      }
      expect([sizes, seen]).toEqual([[2, 2, 1], made]);
    },
  },
  {
    id: "B21",
    what: "a cursor that was not handed out is refused",
    run: async ({ request, make }) => {
      await make();
      for (const cursor of ["garbage", "%00", "e30", "x".repeat(900)])
        expect(await request("GET", `/v1/sessions?cursor=${cursor}`), cursor).toMatchObject(problem(400, "cursor.invalid"));
      expect(await request("GET", "/v1/sessions?cursor=garbage&q=x")).toMatchObject(problem(400, "cursor.invalid"));
    },
  },
  {
    id: "sessions-22",
    what: "parameters that mean nothing are refused",
    run: async ({ request }) => {
      for (const query of [
        "limit=0",
        "limit=101",
        "limit=two",
        "mode=paused",
        "order=up",
        "handover=lost",
        "sort=asc",
        "q=",
        "mode=auto&mode=manual",
        "labels=",
        "labels=x,,y",
      ])
        expect(await request("GET", `/v1/sessions?${query}`), query).toMatchObject(problem(422, "request.invalid"));
    },
  },
  {
    id: "B28",
    what: "a session is found by the external id in its metadata",
    run: async ({ request, make, customer }) => {
      const [found] = [await make({ metadata: { external_id: `x-${customer}` } }), await make({ metadata: { external_id: "other" } })];
      const items = async (query: string) => (await request("GET", `/v1/sessions?${query}`)).body.items;
      expect(await items(`metadata.external_id=x-${customer}`)).toEqual([found]);
      expect(await items(`external_id=x-${customer}`)).toEqual([found]);
      expect((await request("GET", "/v1/sessions?external_id=a&metadata.external_id=b")).status).toBe(422);
    },
  },
  {
    id: "L",
    what: "a list says what was said last, to customers too, and waits are found by keys alone",
    run: async ({ request, server, make, customer }) => {
      const [said, quiet] = [await make(), await make()];
      const text = `Is anyone\n there? ${"x".repeat(100)}`;
      const posted = await request("POST", `${at(said)}/events`, {
        kind: "message",
        source: "human_agent",
        text,
        participant: { display_name: "Bea" },
      });
      const { offset, created_at } = posted.body;
      const last_message = { offset, source: "human_agent", at: created_at, text: `Is anyone there? ${"x".repeat(63)}…` };
      const { body } = await request("GET", `/v1/sessions?customer_id=${customer}`);
      expect(body.items.map(({ id, last_message: last }: { id: string; last_message: object }) => [id, last])).toEqual([
        [said.id, last_message],
        [quiet.id, undefined],
      ]);
      expect((await request("GET", at(said))).body).not.toHaveProperty("last_message");
      expect((await request("GET", "/v1/sessions?waits=approval")).body.items).toEqual([]);
      expect(await request("GET", "/v1/sessions?waits=rain")).toMatchObject(problem(422, "request.invalid"));
      const { token } = (await request("POST", "/v1/tokens", { customer_id: customer })).body;
      const own = (path: string) => server.request("GET", path, undefined, { authorization: `Bearer ${token}` });
      expect((await own("/v1/sessions")).body.items.map(({ last_message: last }: { last_message: object }) => last)).toEqual([
        last_message,
        undefined,
      ]);
      expect(await own("/v1/sessions?waits=approval")).toMatchObject(problem(403, "auth.forbidden"));
    },
  },
  {
    id: "L",
    what: "a search finds titles and what was said, whatever the case and the accents",
    run: async ({ request, make, customer }) => {
      const [titled, said] = [await make({ title: "Caffè at NIGHT" }), await make(), await make({ title: "nothing" })];
      await request("POST", `${at(said)}/events`, { kind: "custom", data: {} });
      await request("POST", `${at(said)}/events`, {
        kind: "message",
        source: "human_agent",
        text: "No CAFFE after two",
        participant: { display_name: "Bea" },
      });
      const { body } = await request("GET", `/v1/sessions?customer_id=${customer}&q=caffe`);
      expect(body.items.map(({ id, match }: { id: string; match: object }) => [id, match])).toEqual([
        [titled.id, { text: "Caffè at NIGHT" }],
        [said.id, { offset: expect.any(Number), text: "No CAFFE after two" }],
      ]);
    },
  },
];

const leaving: readonly Case[] = [
  {
    id: "B23",
    what: "a session that was deleted is not found by anything",
    run: async ({ request, make }) => {
      const session = await make();
      expect((await request("DELETE", at(session))).status).toBe(204);
      const requests: readonly (readonly [string, string, unknown?])[] = [
        ...[["GET", ""] as const, ["PATCH", "", { title: "x" }] as const, ["DELETE", ""] as const, ["GET", "/events"] as const],
        ...[["POST", "/events", { kind: "message", source: "customer", text: "hi" }] as const, ["POST", "/end-episode"] as const],
        ...[["POST", "/fork"] as const, ["POST", "/identify", { customer_id: "x" }] as const, ["GET", "/usage"] as const],
      ];
      for (const [method, path, body] of requests)
        for (const id of [session.id, unknown, "ses_x", "s1"])
          expect(await request(method, `/v1/sessions/${id}${path}`, body), `${method} ${path}`).toMatchObject(problem(404, "session.not_found"));
    },
  },
  {
    id: "B25",
    what: "nothing is deleted in bulk without a filter",
    run: async ({ request, make }) => {
      const session = await make();
      expect(await request("DELETE", "/v1/sessions")).toMatchObject(problem(400, "filter.required"));
      expect(await request("DELETE", "/v1/sessions?mode=auto")).toMatchObject(problem(422, "request.invalid"));
      expect((await request("DELETE", "/v1/sessions?customer_id=")).status).toBe(422);
      expect((await request("GET", at(session))).status).toBe(200);
    },
  },
  {
    id: "B26",
    what: "a bulk delete takes the sessions of a customer, or those with an agent, and no others",
    run: async ({ request, make, customer }) => {
      await make();
      await make();
      const stranger = (await request("POST", "/v1/sessions", { agent: "a1" })).body;
      expect((await request("DELETE", `/v1/sessions?customer_id=${customer}`)).body).toEqual({ deleted: 2 });
      expect((await request("DELETE", `/v1/sessions?customer_id=${customer}`)).body).toEqual({ deleted: 0 });
      expect((await request("DELETE", "/v1/sessions?customer_id=nobody")).body).toEqual({ deleted: 0 });
      const [mine, other] = [await make(), await make({ agent: "greeter" })];
      expect((await request("DELETE", `/v1/sessions?customer_id=${customer}&agent=greeter`)).body).toEqual({ deleted: 1 });
      expect([(await request("GET", at(mine))).status, (await request("GET", at(other))).status]).toEqual([200, 404]);
      expect((await request("GET", at(stranger))).status).toBe(200);
    },
  },
];

const further: readonly Case[] = [
  {
    id: "open",
    what: "opening gives the session there is, or a new one, and registers the customer; twice at once is once",
    run: async ({ request }) => {
      const open = (more: object = {}) => request("POST", "/v1/sessions/open", { agent: "a1", customer_id: "opener", ...more });
      const answers = await Promise.all([open(), open(), open()]);
      expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 200, 201]);
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      const other = await open({ key: "second", title: "Second", metadata: { a: 1 } });
      expect(other).toMatchObject({ status: 201, body: { title: "Second", metadata: { a: 1 } } });
      expect((await open({ key: "second" })).body.id).toBe(other.body.id);
      expect(await request("POST", "/v1/sessions/open", { agent: "a1" })).toMatchObject(problem(422, "session.invalid"));
    },
  },
  {
    id: "episode",
    what: "an episode ends, and the next begins",
    run: async ({ request, make }) => {
      const session = await make();
      expect(await request("POST", `${at(session)}/end-episode`)).toMatchObject({ status: 200, body: { episode: 2 } });
    },
  },
  {
    id: "identify",
    what: "a stranger becomes a customer, once",
    run: async ({ request, customer }) => {
      const session = (await request("POST", "/v1/sessions", { agent: "a1" })).body;
      const identify = (body: object) => request("POST", `${at(session)}/identify`, body);
      expect(await identify({ customer_id: customer })).toMatchObject({ status: 200, body: { customer_id: customer } });
      expect(await identify({ customer_id: customer })).toMatchObject({ status: 200, body: { customer_id: customer } });
      expect(await identify({ customer_id: "somebody else" })).toMatchObject(problem(409, "session.identified"));
      expect(await identify({})).toMatchObject(problem(422, "request.invalid"));
    },
  },
  {
    id: "fork",
    what: "a fork goes on from an offset, keeps the customer, and has a title of its own",
    run: async ({ request, make, customer }) => {
      const session = await make({ title: "First", labels: ["x"] });
      await request("PATCH", at(session), { title: "Later" });
      const { status, body } = await request("POST", `${at(session)}/fork`, { at: 1, title: "Fork" }, { "idempotency-key": `fork-${customer}` });
      expect([status, body]).toMatchObject([201, { customer_id: customer, title: "Fork", labels: [], origin: { session_id: session.id, at: 1 } }]);
      const again = await request("POST", `${at(session)}/fork`, { at: 1, title: "Fork" }, { "idempotency-key": `fork-${customer}` });
      expect(again.body.id).toBe(body.id);
      expect((await request("POST", `${at(session)}/fork`)).body.origin.at).toBe((await request("GET", at(session))).body.head);
      expect(await request("POST", `${at(session)}/fork`, { at: 99 })).toMatchObject(problem(422, "log.offset_invalid"));
    },
  },
  {
    id: "usage",
    what: "what a session has spent is counted, and a customer's is that of all sessions",
    run: async ({ request, make, customer }) => {
      const session = await make();
      await request("POST", `${at(session)}/events`, { kind: "message", source: "customer", text: "hi" });
      const usage = async (path: string) => (await request("GET", `${path}/usage`)).body;
      await expect.poll(async () => (await usage(at(session))).turns).toBe(1);
      const spent = await usage(at(session));
      expect(spent).toMatchObject({ turns: 1, steps: 1, attempts: 0, cost: 0 });
      expect(await usage(`/v1/customers/${customer}`)).toEqual(spent);
    },
  },
  {
    id: "agents",
    what: "agents are listed with the shapes of what they take and show",
    run: async ({ request }) => {
      const { items } = (await request("GET", "/v1/agents")).body;
      expect(items.map(({ name, version }: { name: string; version: number }) => [name, version])).toEqual([
        ["a1", 1],
        ["greeter", 3],
      ]);
      const { body } = await request("GET", "/v1/agents/greeter");
      expect([Object.keys(body.input.properties), body.public.properties.mood, body.public.properties.note]).toEqual([
        ["message"],
        expect.objectContaining({ type: "string" }),
        undefined,
      ]);
      expect(await request("GET", "/v1/agents/nobody")).toMatchObject(problem(404, "agent.not_found"));
    },
  },
];

describe.each(databases)("sessions on %s", (database) => {
  let server: Awaited<ReturnType<typeof openServer>>;
  let counted = 0;
  beforeAll(async () => {
    server = await openServer({ location: database === "SQLite" ? ":memory:" : await emptyPostgresDatabase(), agents: [echo, greeter] });
  });
  afterAll(() => server.close());

  it.each([...creating, ...patching, ...listing, ...leaving, ...further])("$id: $what", async ({ run }) => {
    const { request } = server;
    counted += 1;
    const customer = `c-${counted}`;
    await request("POST", "/v1/customers", { id: customer });
    const make = async (given: object = {}) => (await request("POST", "/v1/sessions", { agent: "a1", customer_id: customer, ...given })).body;
    await run({ request, server, customer, make });
  });
});
