/** A message that the service does not take for how it was sent: whoever wrote it in danger is answered all the same. */
import { expect, test } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import type { AssessmentRecord } from "../../packages/throughline/src/safety.ts";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { gated } from "../runtime/safety/harness.ts";
import { echo, startServer, type TestServerOptions } from "../setup/server.ts";

const imminent = "I took all my pills an hour ago, goodbye everyone";
const calm = "The rain has stopped at last";
const long = (text: string): string => `${text}. ${"We went on and on. ".repeat(6_000)}`;

/** A service with a session of an agent with a gate, one of an agent without, and what waits in its spool. */
async function service(options: TestServerOptions = {}) {
  const kept: AssessmentRecord[] = [];
  const spool = {
    append: async (record: AssessmentRecord) => void kept.push(record),
    drain: async () => kept.length,
    waiting: async () => kept.length,
  };
  const started = await startServer({ agents: [gated().agent, echo], ...options, runtime: { safetySpool: spool, pollMs: 60_000 } });
  const session = await started.runtime.sessions.create({ agent: "companion" });
  const ungated = await started.runtime.sessions.create({ agent: "a1" });
  const post = (text: string, { to = session.id, ...more }: { readonly to?: string; readonly [name: string]: unknown } = {}) =>
    started.request("POST", `/v1/sessions/${to}/events`, { kind: "message", source: "customer", text, ...more });
  return { ...started, session, ungated, post, kept };
}

const told = { saved: false, reply: expect.stringMatching(/emergency/iu) as string };

test("over the limit, somebody in danger is told where help is, with the assessment on record and the time to try again", async () => {
  const { post, kept, session, ungated, request } = await service({ limits: { requestsPerMinute: 2 } });
  for (const _ of [1, 2]) await request("GET", `/v1/sessions/${session.id}`);
  const refused = await post(imminent);
  expect([refused.status, refused.body]).toMatchObject([429, { code: "limit.rate", ...told }]);
  expect([28, 29, 30]).toContain(refused.body.retry_after);
  expect(kept).toMatchObject([{ level: 3, action: "static_reply" }]);
  expect(JSON.stringify(kept)).not.toContain("pills");
  const calmly = await post(calm);
  expect([calmly.status, calmly.body.reply, kept.length]).toEqual([429, undefined, 1]);
  // As often again as the limit allows, and then nobody reads it.
  const silent = await post(imminent);
  expect([silent.status, silent.body.reply, kept.length]).toEqual([429, undefined, 1]);
  expect((await request("GET", `/v1/sessions/${ungated.id}`)).body.reply).toBeUndefined();
});

test("over the limit, an agent without a gate has nothing to say, and neither has a body that is no message", async () => {
  const { post, kept, request, session, ungated } = await service({ limits: { requestsPerMinute: 4 } });
  for (const _ of [1, 2, 3, 4]) await request("GET", `/v1/sessions/${session.id}`);
  const answers = [
    await post(imminent, { to: ungated.id }),
    await post(imminent, { source: "human_agent", participant: { display_name: "Ben" } }),
    await request("POST", `/v1/sessions/${session.id}/events`, undefined),
  ];
  expect(answers.map(({ status, body }) => [status, body.reply])).toEqual(answers.map(() => [429, undefined]));
  expect(kept).toEqual([]);
});

test.each<readonly [string, (text: string) => string, Readonly<Record<string, unknown>>]>([
  ["too long", long, {}],
  ["too long at its end", (text) => `${"We went on and on. ".repeat(6_000)}${text}`, {}],
  ["with values of no field", (text) => text, { input: { nothing: 1 } }],
  ["with a member that is not known", (text) => text, { nothing: 1 }],
  ["with more data than an event has", (text) => text, { metadata: { note: "x".repeat(300_000) } }],
])(
  "a message that is wrong (%s) is refused with the reply where it is of somebody in danger, and without one elsewhere",
  async (_what, written, more) => {
    const { post, kept, session } = await service();
    const refused = await post(written(imminent), more);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.body).toMatchObject(told);
    expect(kept).toMatchObject([{ level: 3, action: "static_reply" }]);
    const calmly = await post(written(calm), more);
    expect([calmly.status, calmly.body.code, calmly.body.reply]).toEqual([refused.status, refused.body.code, undefined]);
    expect(kept).toHaveLength(1);
    expect(await session.messages()).toEqual([]);
  },
);

test("whoever names somebody else's session is told nothing, and nothing is noted of it", async () => {
  const { request, kept } = await service({ limits: { customer: { requestsPerMinute: 1, eventReadsPerMinute: 0, waiters: 1 } } });
  for (const id of ["ada", "ben"]) await request("POST", "/v1/customers", { id });
  const session_id = (await request("POST", "/v1/sessions", { agent: "companion", customer_id: "ben" })).body.id;
  const post = async (customer_id: string, text: string) => {
    const { token } = (await request("POST", "/v1/tokens", { customer_id })).body;
    const message = { kind: "message", source: "customer", text };
    const { status, body } = await request("POST", `/v1/sessions/${session_id}/events`, message, { authorization: `Bearer ${token}` });
    return [status, body.reply === undefined];
  };
  expect([await post("ada", long(imminent)), await post("ada", imminent)]).toEqual([
    [422, true],
    [429, true],
  ]);
  expect(kept).toEqual([]);
  expect([await post("ben", long(imminent)), await post("ben", imminent)]).toEqual([
    [422, false],
    [429, false],
  ]);
});

test("the client shows what is said, and `post` and `send` of this process throw with it", async () => {
  const { url, session, kept } = await service();
  const client = createClient({ baseUrl: url });
  await expect(client.sessions.get(session.id).send(long(imminent))).rejects.toMatchObject({ status: 422, reply: told.reply });
  await expect(session.post(long(imminent))).rejects.toMatchObject({ code: "input.invalid", details: told });
  await expect(session.send(long(imminent))).rejects.toMatchObject({ code: "input.invalid", details: told });
  await expect(session.send(long(calm))).rejects.toMatchObject({ code: "input.invalid", details: { path: "text" } });
  expect(kept.map(({ level }) => level)).toEqual([3, 3, 3]);
});

test("with a database that is away, who names somebody else's session neither hears where its crisis stands nor changes it", async () => {
  const inner = openMemoryStore();
  let away = false;
  const refuse = (): never => {
    throw new ThroughlineError("store.unreachable");
  };
  const store: Store = { ...inner, load: (given) => (away ? refuse() : inner.load(given)), open: (given) => (away ? refuse() : inner.open(given)) };
  const { request, runtime } = await service({ agents: [gated({ replyBy: "static" }).agent, echo], store });
  for (const id of ["ada", "ben"]) await request("POST", "/v1/customers", { id });
  const session = await runtime.sessions.open({ agent: "companion", customer: "ben" });
  await session.send("I want to die");
  const tokens = await Promise.all(["ada", "ben"].map(async (customer_id) => (await request("POST", "/v1/tokens", { customer_id })).body.token));
  const post = async (token: string, text: string): Promise<string> =>
    (await request("POST", `/v1/sessions/${session.id}/events`, { kind: "message", source: "customer", text }, { authorization: `Bearer ${token}` }))
      .body.reply;
  away = true;
  const [ada = "", ben = ""] = tokens;
  // Ben says yes to whether he has thought about how; of Ada nothing was asked.
  expect(await post(ada, "yes")).not.toMatch(/directories|crisis line/u);
  expect(await post(ada, imminent)).toMatch(/emergency/u);
  expect(await post(ben, "yes")).toMatch(/Please call your local emergency number or a crisis line now/u);
});
