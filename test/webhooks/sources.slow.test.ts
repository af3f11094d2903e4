/** Webhooks of other services: who is believed, what a delivery does, and that it does so once. */
import { createHash, createHmac } from "node:crypto";
import { createRequire } from "node:module";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { webhookSourcesOf } from "../../packages/server/src/cli/commands/service-commands.ts";
import { signatureOf, type WebhookScheme } from "../../packages/server/src/server/webhooks/source-signature.ts";
import { defineWebhookSource, type WebhookEffect, type WebhookSource } from "../../packages/server/src/server/webhooks/webhook-source.ts";
import type { Logger } from "../../packages/throughline/src/kernel/log.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { routineFields, defineRoutine, routines } from "../../packages/throughline/src/routines.ts";
import { defineAgent } from "../../packages/throughline/src/runtime/agent/define-agent.ts";
import { loop } from "../../packages/throughline/src/runtime/loop/loop.ts";
import { rules, scripted } from "../../packages/throughline/src/model/scripted.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input } from "../../packages/throughline/src/state/field.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { forwarding, type Store } from "../../packages/throughline/src/store/port.ts";
import { place } from "../config/place.ts";
import { runner, runnerRoutines } from "../setup/sample-requests.ts";
import { databases, echo, newLocation, startServer, type TestServer, type TestServerOptions } from "../setup/server.ts";

/** The library by which senders sign. It is loaded at run time, so that the project compiles without it. */
const { Webhook } = createRequire(import.meta.url)("standardwebhooks") as {
  readonly Webhook: new (secret: string) => { sign(id: string, at: Date, body: string): string };
};

const standardSecret = `whsec_${Buffer.from("a secret of thirty-two bytes!!!!").toString("base64")}`;
const secretOf = (scheme: WebhookScheme): string => (scheme === "standard" ? standardSecret : "whsec_canary-of-a-secret");
const schemes = ["standard", "github", "stripe", "slack"] as const;

type Sent = Readonly<Record<string, string>>;
interface Signing {
  readonly id?: string;
  readonly secret?: string;
  readonly at?: number;
}

const hmac = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("hex");

/** The headers by which each sender signs, as its documentation describes them. */
const signed: Readonly<Record<WebhookScheme, (body: string, signing?: Signing) => Sent>> = {
  standard: (body, { id = "msg_1", secret = secretOf("standard"), at = Date.now() } = {}) => ({
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, new Date(at), body),
  }),
  github: (body, { id = "gh-1", secret = secretOf("github") } = {}) => ({
    "x-github-delivery": id,
    "x-github-event": "issues",
    "x-hub-signature-256": `sha256=${hmac(secret, body)}`,
  }),
  stripe: (body, { secret = secretOf("stripe"), at = Date.now() } = {}) => {
    const seconds = Math.floor(at / 1000);
    return { "stripe-signature": `t=${seconds},v0=old,v1=${"0".repeat(64)},v1=${hmac(secret, `${seconds}.${body}`)}` };
  },
  slack: (body, { secret = secretOf("slack"), at = Date.now() } = {}) => {
    const seconds = Math.floor(at / 1000);
    return { "x-slack-request-timestamp": String(seconds), "x-slack-signature": `v0=${hmac(secret, `v0:${seconds}:${body}`)}` };
  },
};

const post = async ({ url }: Pick<TestServer, "url">, name: string, body: string | Uint8Array<ArrayBuffer>, headers: Sent = {}) => {
  const response = await fetch(`${url}/webhooks/${name}`, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

const sourceOf = (
  scheme: WebhookScheme,
  effect: (body: Readonly<Record<string, string>>) => WebhookEffect | readonly WebhookEffect[] | undefined,
): WebhookSource =>
  defineWebhookSource({ name: scheme, scheme, secrets: [secretOf(scheme)], map: ({ body }) => effect(body as Readonly<Record<string, string>>) });

/** Posts each delivery as a custom event of the session of one customer. */
const noting = (scheme: WebhookScheme): WebhookSource => sourceOf(scheme, (body) => ({ agent: "a1", customer: "ada", custom: body }));

const start = (sources: readonly WebhookSource[], options: TestServerOptions = {}): Promise<TestServer> =>
  startServer({ webhookSources: sources, ...options });

/** What the session of ada has, by kinds. */
async function eventsOf(
  { runtime }: TestServer,
  kinds: readonly ("custom" | "message" | "turn")[] = ["custom"],
  customer = "ada",
): Promise<readonly unknown[]> {
  const { items } = await runtime.sessions.list({ customer });
  const found: unknown[] = [];
  for (const { id } of items) for await (const { data } of (await runtime.sessions.get(id)).events({ kinds, follow: false })) found.push(data);
  return found;
}

describe.each(schemes)("the scheme %s", (scheme) => {
  const body = `{"id":"evt_1", "event_id":"Ev1","note":"caf\u00e9"}`;

  test("M8: believes a signature of the raw bytes, and of no others", async () => {
    const service = await start([noting(scheme)]);
    const headers = signed[scheme](body);
    const serialised = JSON.stringify(JSON.parse(body));
    expect(serialised).not.toBe(body);
    for (const wrong of [serialised, body.replace("caf", "cag"), `${body} `, ""])
      expect(await post(service, scheme, wrong, headers)).toMatchObject({ status: 401, text: "" });
    expect(await post(service, scheme, body, headers)).toMatchObject({ status: 200, text: "" });
    expect(await eventsOf(service)).toMatchObject([{ value: JSON.parse(body) as unknown }]);
  });

  test("M6: answers 401 with an empty body to a wrong, missing or damaged signature", async () => {
    const service = await start([noting(scheme)]);
    const right = signed[scheme](body);
    const other = scheme === "standard" ? `whsec_${Buffer.from("another one of thirty-two bytes!").toString("base64")}` : "whsec_another-secret";
    const damaged = Object.entries(right).flatMap(([name, value]): readonly Sent[] => {
      if (name === "x-github-delivery" || name === "x-github-event") return [];
      const { [name]: _left, ...rest } = right;
      return [rest, { ...right, [name]: "" }, { ...right, [name]: `${value}0` }, { ...right, [name]: value.slice(0, -1) }];
    });
    for (const headers of [{}, signed[scheme](body, { secret: other }), ...damaged]) {
      const answer = await post(service, scheme, body, headers);
      expect(answer).toMatchObject({ status: 401, text: "" });
      expect(answer.headers.get("content-type")).toBeNull();
    }
    expect(await eventsOf(service)).toEqual([]);
  });

  test("a delivery that arrives again, also at the same time, has its effect once", async () => {
    const service = await start([noting(scheme)]);
    const headers = signed[scheme](body);
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(service, scheme, body, headers)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // A retry is signed at another time.
    expect((await post(service, scheme, body, signed[scheme](body, { at: Date.now() - 60_000 }))).status).toBe(200);
    expect(await eventsOf(service)).toHaveLength(1);
    const [second, id] = [body.replace("evt_1", "evt_2").replace("Ev1", "Ev2"), "second"];
    expect((await post(service, scheme, second, signed[scheme](second, { id }))).status).toBe(200);
    expect(await eventsOf(service)).toHaveLength(2);
  });

  test("accepts one of several secrets", async () => {
    const former = scheme === "standard" ? `whsec_${Buffer.from("another one of thirty-two bytes!").toString("base64")}` : "former-secret";
    const service = await start([{ ...noting(scheme), secrets: [former, secretOf(scheme)] }]);
    expect((await post(service, scheme, body, signed[scheme](body, { secret: former }))).status).toBe(200);
    expect((await post(service, scheme, body, signed[scheme](body))).status).toBe(200);
  });
});

describe("time", () => {
  test.each(["standard", "stripe", "slack"] as const)("%s: a signature holds for five minutes, before and after", (scheme) => {
    const body = "{}";
    const at = 1_800_000_000_000;
    const holds = (now: number, headers = signed[scheme](body, { at })): boolean =>
      signatureOf(scheme, [secretOf(scheme)], { headers: new Headers(headers), bytes: Buffer.from(body), now }) !== undefined;
    expect([-300_001, -300_000, 0, 300_000, 300_001].map((difference) => holds(at + difference))).toEqual([false, true, true, true, false]);
  });

  test("a time that is no number is refused, although it is signed", () => {
    for (const time of ["", "1e9", "+1800000000", "NaN", " 1800000000"]) {
      const headers = new Headers({
        "x-slack-request-timestamp": time,
        "x-slack-signature": `v0=${hmac(secretOf("slack"), `v0:${time.trim()}:{}`)}`,
      });
      const now = time.trim() === "1800000000" ? 1_900_000_000_000 : 1_800_000_000_000;
      expect(signatureOf("slack", [secretOf("slack")], { headers, bytes: Buffer.from("{}"), now })).toBeUndefined();
    }
  });

  test("the example in GitHub's documentation is verified", () => {
    const headers = new Headers({ "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" });
    const request = { headers, bytes: Buffer.from("Hello, World!"), now: 0 };
    expect(signatureOf("github", ["It's a Secret to Everybody"], request)).toMatch(/^757107ea/);
    expect(signatureOf("github", ["It's a Secret to Nobody!!!"], request)).toBeUndefined();
  });
});

describe("an address", () => {
  test("without a source is answered as any other at which there is nothing", async () => {
    const body = "{}";
    const [with_, without] = [await start([noting("github")]), await start([])];
    const nothing = await fetch(`${with_.url}/nowhere/x`, { method: "POST", body });
    const plain = async (answer: { readonly text: string }, path: string) => {
      const { request_id: _id, ...rest } = JSON.parse(answer.text) as Readonly<Record<string, string>>;
      return JSON.parse(JSON.stringify(rest).replaceAll(path, "PATH")) as unknown;
    };
    const expected = await plain({ text: await nothing.text() }, "/nowhere/x");
    expect(expected).toMatchObject({ status: 404, code: "request.not_found" });
    const known = await fetch(`${with_.url}/webhooks/github`);
    const answers = [
      [await post(with_, "gitlab", body, signed.github(body)), "/webhooks/gitlab"],
      [await post(without, "github", body, signed.github(body)), "/webhooks/github"],
      [await post(with_, "constructor", "x".repeat(2_000_000)), "/webhooks/constructor"],
      [{ status: known.status, text: await known.text() }, "/webhooks/github"],
    ] as const;
    for (const [answer, path] of answers) {
      expect(answer.status).toBe(404);
      expect(await plain(answer, path)).toEqual(expected);
    }
  });

  test("takes no more bytes than a request may have, whatever its headers say", async () => {
    const service = await start([noting("github")], { limits: { bodyBytes: 1_000 } });
    const large = JSON.stringify({ text: "x".repeat(1_000) });
    expect(await post(service, "github", large, signed.github(large))).toMatchObject({ status: 413 });
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.from("x".repeat(100))),
    });
    const endless = await fetch(`${service.url}/webhooks/github`, { method: "POST", body: stream, duplex: "half" });
    expect(endless.status).toBe(413);
  });

  test("needs no key, also where all other requests need one, and no log has a body or a secret", async () => {
    const lines: string[] = [];
    const note = (...given: readonly unknown[]): void =>
      void lines.push(given.map((one) => (one instanceof Error ? one.message : JSON.stringify(one))).join(" "));
    const logger: Logger = { debug: note, info: note, warn: note, error: note };
    const service = await start([noting("github")], { logger });
    const body = '{"text":"canary-body"}';
    expect((await post(service, "github", body, signed.github(body))).status).toBe(200);
    expect((await post(service, "github", body)).status).toBe(401);
    expect(lines.join("\n")).toContain("/webhooks/{name}");
    expect(lines.join("\n")).not.toContain("canary");
  });

  test("logs the source and the code of a delivery that is not accepted, and nothing of its content", async () => {
    const lines: unknown[] = [];
    const note = (message: string, fields?: unknown, error?: unknown): void =>
      void lines.push({ message, fields, ...(error === undefined ? {} : { error }) });
    const logger: Logger = { debug: note, info: note, warn: note, error: note };
    const service = await start([sourceOf("github", ({ session }) => ({ session_id: session ?? "canary", custom: 1 }))], { logger });
    for (const body of ['{"session":"ses_01k9pt2v7m0000000000000000"}', "canary", '{"session":""}'])
      expect((await post(service, "github", body, signed.github(body))).status).toBeGreaterThanOrEqual(400);
    const refusals = lines.filter((line) => (line as { readonly message: string }).message === "a webhook was not accepted");
    expect(refusals).toEqual(
      ["session.not_found", "request.malformed", "input.invalid"].map((code) => ({
        message: "a webhook was not accepted",
        fields: { webhook: "github", code },
      })),
    );
    expect(JSON.stringify(lines)).not.toContain("canary");
  });

  test("tells the developer where the function of a source threw, and the sender to try again", async () => {
    const thrown: unknown[] = [];
    const note = (message: string, _fields?: unknown, error?: unknown): void => void (message === "a webhook was not accepted" && thrown.push(error));
    const logger: Logger = { debug: note, info: note, warn: note, error: note };
    const wrong = new TypeError("Cannot read properties of undefined (reading 'login')");
    const service = await start(
      [
        sourceOf("github", () => {
          throw wrong;
        }),
      ],
      { logger },
    );
    const answer = await post(service, "github", "{}", signed.github("{}"));
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text)).toMatchObject({ code: "webhook.map_failed" });
    expect(answer.text).not.toContain("login");
    expect(thrown).toEqual([expect.objectContaining({ code: "webhook.map_failed", cause: wrong })]);
  });

  test("refuses a body that is no object or list before the function of the source", async () => {
    const service = await start([noting("github")]);
    for (const body of ["null", "7", '"x"']) {
      const answer = await post(service, "github", body, signed.github(body));
      expect(answer.status).toBe(422);
      expect(JSON.parse(answer.text)).toMatchObject({ code: "input.invalid" });
    }
  });

  test("knows a delivery of GitHub by its signed body, also under another id", async () => {
    const service = await start([noting("github")]);
    const body = '{"action":"opened"}';
    for (const id of ["gh-1", "gh-2"]) expect((await post(service, "github", body, signed.github(body, { id }))).status).toBe(200);
    expect(await eventsOf(service)).toHaveLength(1);
  });

  test("refuses what is signed and no JSON, with the reason", async () => {
    const service = await start([noting("github")]);
    for (const [body, code] of [
      ["Hello, World!", "request.malformed"],
      ['{"__proto__":{}}', "request.invalid"],
    ] as const) {
      const answer = await post(service, "github", body, signed.github(body));
      expect(JSON.parse(answer.text)).toMatchObject({ code });
    }
    const bytes = new Uint8Array([0x22, 0xff, 0x22]);
    const signature = `sha256=${createHmac("sha256", secretOf("github")).update(bytes).digest("hex")}`;
    expect(JSON.parse((await post(service, "github", bytes, { "x-hub-signature-256": signature })).text)).toMatchObject({
      code: "request.malformed",
    });
  });

  test("answers the challenge of Slack, and reads forms", async () => {
    const seen: unknown[] = [];
    const service = await start([sourceOf("slack", (body) => void seen.push(body))]);
    const challenge = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1a" });
    expect(await post(service, "slack", challenge, signed.slack(challenge))).toMatchObject({ status: 200, text: "3eZbrw1a" });
    expect(await post(service, "slack", challenge)).toMatchObject({ status: 401, text: "" });
    const type = { "content-type": "application/x-www-form-urlencoded" };
    for (const form of ["command=%2Fhelp&text=a+b", `payload=${encodeURIComponent('{"type":"block_actions"}')}`])
      expect((await post(service, "slack", form, { ...signed.slack(form), ...type })).status).toBe(200);
    expect(seen).toEqual([{ command: "/help", text: "a b" }, { payload: { type: "block_actions" } }]);
  });
});

describe("a source is refused", () => {
  const source = { name: "github", scheme: "github", secrets: ["canary-secret"], map: () => undefined } as const;
  test.each([
    ["with a wrong name", { ...source, name: "Git Hub" }, 'got "Git Hub"'],
    ["with another scheme", { ...source, scheme: "gitlab" as "github" }, "standard, github, stripe, slack"],
    ["without a secret", { ...source, secrets: [] }, "needs a secret"],
    ["with a short secret", { ...source, secrets: ["canary"] }, "fewer than 8"],
    ["with a secret of another scheme", { ...source, scheme: "standard" as const }, "whsec_ and 24 to 64 bytes"],
  ])("%s", (_what, wrong, message) => {
    const refused = (): unknown => defineWebhookSource(wrong);
    expect(refused).toThrow(message.startsWith("whsec_") ? "24 to 64 bytes" : message);
    expect(refused).not.toThrow("canary");
  });

  test("with the name of another one", async () => {
    await expect(start([noting("github"), noting("github")])).rejects.toMatchObject({ code: "input.invalid" });
  });
});

describe("a delivery", () => {
  const send = async (service: TestServer, body: object, id = "1"): Promise<number> => {
    const text = JSON.stringify(body);
    return (await post(service, "github", text, signed.github(text, { id }))).status;
  };

  test("is a message that the agent answers, in one session for each customer", async () => {
    const service = await start([
      sourceOf("github", ({ who, text }) => ({ agent: "a1", customer: who ?? "", message: text ?? "", metadata: { via: "sms" } })),
    ]);
    expect(await send(service, { who: "ada", text: "hi" }, "1")).toBe(200);
    expect(await send(service, { who: "bob", text: "ho" }, "2")).toBe(200);
    expect(await send(service, { who: "ada", text: "again" }, "3")).toBe(200);
    const { items } = await service.runtime.sessions.list({});
    expect(items.map(({ customer_id }) => customer_id)).toEqual(["ada", "bob"]);
    const texts = async () =>
      (await eventsOf(service, ["message"]))
        .map((data) => (data as { readonly parts: readonly { readonly text: string }[] }).parts[0]?.text)
        .toSorted((left = "", right = "") => left.localeCompare(right));
    await expect.poll(texts, { timeout: 10_000 }).toEqual(["again", "hi", "re:again", "re:hi"]);
  });

  test("is a change of variables: of a customer who need not be known, of a session, or of an agent", async () => {
    const effects: VariablesBy = {
      customer: { customer: "ada", variables: { tier: "gold", gone: null } },
      session: { agent: "a1", customer: "ada", of: "session", variables: { parcel: 7 } },
      agent: { agent: "a1", of: "agent", variables: { open: true } },
    };
    const service = await start([sourceOf("github", ({ of }) => effects[of as keyof VariablesBy])]);
    for (const of of ["customer", "session", "agent"]) expect(await send(service, { of }, of)).toBe(200);
    expect((await service.runtime.customers.get("ada")).variables).toMatchObject({ values: { tier: "gold" } });
    const [session] = (await service.runtime.sessions.list({ customer: "ada" })).items;
    expect((await service.request("GET", `/v1/sessions/${session?.id}/variables`)).body).toMatchObject({ values: { parcel: 7 } });
    expect((await service.request("GET", "/v1/agents/a1/variables")).body).toMatchObject({ values: { open: true } });
    // The first delivery, repeated after the record of it has expired, does not undo what came after it.
    await service.runtime.customers.setVariables("ada", { set: { tier: "silver" } });
    const { items } = await service.store.list({ of: "records", kind: "webhook_received" });
    for (const { key } of items)
      await service.store.commit({
        commit_id: `cmt_${key.slice(-26).toUpperCase()}` as never,
        at: Date.now(),
        records: [{ kind: "webhook_received", key, data: null }],
      });
    expect(await send(service, { of: "customer" }, "customer")).toBe(200);
    expect((await service.runtime.customers.get("ada")).variables).toMatchObject({ values: { tier: "silver" } });
  });

  test("has several effects, in order, or none", async () => {
    const service = await start([
      sourceOf("github", ({ none }) =>
        none !== undefined
          ? undefined
          : [
              { customer: "ada", variables: { seen: 1 } },
              { agent: "a1", customer: "ada", custom: "first" },
              { agent: "a1", customer: "ada", custom: "second", source: "customer_ui" },
            ],
      ),
    ]);
    expect(await send(service, { none: true }, "0")).toBe(200);
    expect(await eventsOf(service)).toEqual([]);
    expect(await send(service, {}, "1")).toBe(200);
    expect(await send(service, {}, "1")).toBe(200);
    expect(await eventsOf(service)).toEqual([{ value: "first" }, { value: "second" }]);
  });

  test("is refused, and tried again by its sender, while its effect cannot be", async () => {
    const service = await start([sourceOf("github", ({ session }) => ({ session_id: session ?? "", custom: 1 }))]);
    const session = await service.runtime.sessions.create({ agent: "a1" });
    expect(await send(service, { session: "ses_01k9pt2v7m0000000000000000" })).toBe(404);
    expect(await send(service, { session: session.id })).toBe(200);
    const other = await start([sourceOf("github", () => ({ agent: "a2", customer: "ada", custom: 1 }))]);
    expect(await send(other, {})).toBe(404);
  });

  test("is refused if a function names a session with what it does not have", async () => {
    const service = await start([
      sourceOf("github", ({ who, key, text }) => ({ agent: "a1", customer: who as string, key: key as string, message: text ?? "" })),
    ]);
    for (const [index, body] of [{ key: "k" }, { who: null, key: "k" }, { who: "ada" }, { who: "ada", key: "" }].entries())
      expect(await send(service, { ...body, text: "hi" }, String(index))).toBe(422);
    expect((await service.runtime.sessions.list({})).total).toBe(0);
  });

  test("has the type of its schema", async () => {
    const service = await start([
      defineWebhookSource({
        ...{ name: "github", scheme: "github", secrets: [secretOf("github")] },
        body: z.object({ order: z.int(), to: z.object({ name: z.string() }) }),
        map: ({ body, headers, id }) => ({
          ...{ agent: "a1", customer: body.to.name.toLowerCase(), custom: { order: body.order + 1, event: headers["x-github-event"] ?? "none", id } },
        }),
      }),
    ]);
    expect(await send(service, { order: "7", to: { name: "Ada" } })).toBe(422);
    expect(await send(service, { order: 7, to: { name: "Ada" } })).toBe(200);
    expect(await eventsOf(service)).toEqual([{ value: { order: 8, event: "issues", id: "1" } }]);
  });

  test("does not see what proves who sent it", async () => {
    let seen: readonly string[] = [];
    const source = defineWebhookSource({
      name: "github",
      scheme: "github",
      secrets: [secretOf("github")],
      map: ({ headers }) => void (seen = Object.keys(headers)),
    });
    const service = await start([source]);
    await post(service, "github", "{}", { ...signed.github("{}"), authorization: "Bearer canary", cookie: "a=b" });
    expect(seen).toContain("x-github-event");
    expect(seen.filter((name) => /authorization|cookie|signature/.test(name))).toEqual([]);
  });

  test("wakes a routine that waits for it, and starts no turn in a session of an operator", async () => {
    const State = defineState({ message: input(z.string()), ...routineFields() });
    const returns = defineRoutine({
      ...{ id: "returns", title: "Returns", state: State },
      nodes: { parcel: { wait: { event: "parcel.arrived" }, next: "thanks" }, thanks: { chat: { instructions: "Thank them." }, next: "end" } },
    });
    const extension = routines({ routines: [returns] });
    const shop = defineAgent({ name: "shop", state: State, extensions: [extension], reply: loop({ model: scripted(() => "It is here.") }) });
    const source = sourceOf("github", ({ who, place: at }) => ({
      ...{ agent: "shop", customer: who ?? "", custom: { event: "parcel.arrived", data: { place: at ?? "" } }, wake: true },
    }));
    const service = await start([source], { agents: [shop] });
    const session = await service.runtime.sessions.open({ agent: "shop", customer: "ada" });
    const nodes = async () => (await session.extension(extension).position()).frames.map(({ node }) => node);
    await session.extension(extension).enter("returns");
    await expect.poll(nodes, { timeout: 10_000 }).toEqual(["parcel"]);
    expect(await send(service, { who: "ada", place: "Bonn" })).toBe(200);
    await expect.poll(nodes, { timeout: 10_000 }).toEqual(["thanks"]);
    const manual = await service.runtime.sessions.open({ agent: "shop", customer: "bob" });
    await manual.setMode("manual");
    expect(await send(service, { who: "bob", place: "Ulm" }, "2")).toBe(200);
    expect(await eventsOf(service, ["custom"], "bob")).toMatchObject([{ value: { data: { place: "Ulm" } } }]);
    expect((await manual.turns()).total).toBe(0);
  });

  test("starts one run of a routine", async () => {
    const State = defineState({ message: input(z.string()), ...routineFields() });
    const triage = defineRoutine({
      ...{ id: "triage", title: "Triage", state: State, autonomous: true },
      input: z.object({ text: z.string() }),
      output: z.object({ text: z.string() }),
      nodes: { emit: { emit_output: { output: (scope) => ({ text: (scope.input as { readonly text: string }).text }) } } },
    });
    const desk = defineAgent({
      name: "desk",
      state: State,
      extensions: [routines({ routines: [triage] })],
      reply: loop({ model: rules([() => "nothing"]) }),
    });
    const service = await start([sourceOf("github", (body) => ({ run: "triage", input: body }))], { agents: [desk] });
    expect(await send(service, { text: 1 })).toBe(422);
    const answers = await Promise.all([1, 2].map(() => send(service, { text: "late" })));
    expect(answers).toEqual([200, 200]);
    const { items } = await service.runtime.runs.list();
    expect(items).toHaveLength(1);
    await expect.poll(async () => (await service.runtime.runs.get(items[0]?.id ?? "")).output, { timeout: 10_000 }).toEqual({ text: "late" });
  });
});

interface VariablesBy {
  readonly customer: WebhookEffect;
  readonly session: WebhookEffect;
  readonly agent: WebhookEffect;
}

describe.each(databases)("on %s", (database) => {
  /** A store whose process ends with the commit of an effect: the commit is done, and nothing follows it. */
  function dying(store: Store): Store {
    let isDead = false;
    const alive = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (isDead) throw new ThroughlineError("store.unreachable", "The process has died.");
      return work();
    };
    return {
      ...forwarding(store),
      open: (selector) => alive(() => store.open(selector)),
      list: (query) => alive(() => store.list(query)),
      commit: (commit) =>
        alive(async () => {
          await store.commit(commit);
          isDead = commit.session?.events?.some(({ kind }) => kind === "custom") === true;
          return alive(() => store.commit(commit));
        }),
    };
  }

  const body = '{"id":"evt_1"}';
  const headers = signed.stripe(body);

  test("a process that dies between the commit and its acknowledgement loses nothing and repeats nothing", async () => {
    const location = await newLocation(database);
    const store = await openStore(location);
    onTestFinished(() => store.close());
    const first = await start([noting("stripe")], { store: dying(store) });
    expect((await post(first, "stripe", body, headers)).status).toBe(503);
    const second = await start([noting("stripe")], { location });
    expect(await eventsOf(second)).toHaveLength(1);
    expect((await post(second, "stripe", body, headers)).status).toBe(200);
    expect((await post(second, "stripe", body, headers)).status).toBe(200);
    expect(await eventsOf(second)).toEqual([{ value: { id: "evt_1" } }]);
  });

  test("a process that dies between an event and the turn that it starts loses no turn, also if the repetition differs", async () => {
    const waking = sourceOf("stripe", (given) => ({ agent: "a1", customer: "ada", custom: given, wake: true }));
    const location = await newLocation(database);
    const store = await openStore(location);
    onTestFinished(() => store.close());
    const first = await start([waking], { store: dying(store) });
    expect((await post(first, "stripe", body, signed.stripe(body))).status).toBe(503);
    const second = await start([waking], { location });
    const [session] = (await second.runtime.sessions.list({ customer: "ada" })).items;
    const turns = async (): Promise<number> => (await (await second.runtime.sessions.get(session?.id ?? "")).turns()).total;
    expect(await turns()).toBe(0);
    const other = '{"id":"evt_1","attempt":2}';
    for (const _ of [1, 2]) expect((await post(second, "stripe", other, signed.stripe(other))).status).toBe(200);
    expect(await eventsOf(second)).toEqual([{ value: { id: "evt_1" } }]);
    expect(await turns()).toBe(1);
  });

  test("two processes that get a delivery at the same time do once what it does", async () => {
    const location = await newLocation(database);
    const [one, two] = [await start([noting("stripe")], { location }), await start([noting("stripe")], { location })];
    const answers = await Promise.all([one, two, one, two].map((service) => post(service, "stripe", body, headers)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await eventsOf(one)).toEqual([{ value: { id: "evt_1" } }]);
    expect((await one.runtime.sessions.list({})).total).toBe(1);
  });

  test("a delivery that is repeated after an erasure brings nobody back, and what is kept of it expires", async () => {
    const service = await start([noting("github")], { location: await newLocation(database) });
    const send = async (): Promise<number> => (await post(service, "github", body, signed.github(body))).status;
    expect(await send()).toBe(200);
    await service.runtime.customers.delete("ada");
    expect(await send()).toBe(200);
    expect(await service.runtime.customers.find("ada")).toBeUndefined();
    const [record] = (await service.store.list({ of: "records", kind: "webhook_received" })).items;
    expect(record?.data).toEqual({});
    expect((record?.expires_at ?? 0) - Date.now()).toBeGreaterThan(6 * 86_400_000);
    expect(record?.key).not.toContain("gh-1");
  });
});

describe.each(databases)("what is kept of a delivery on %s", (database) => {
  test("that has no id does not tell its body", async () => {
    const service = await start([noting("slack")], { location: await newLocation(database) });
    const body = "text=yes";
    const at = Date.now();
    const headers = { ...signed.slack(body, { at }), "content-type": "application/x-www-form-urlencoded" };
    for (const _ of [1, 2]) expect((await post(service, "slack", body, headers)).status).toBe(200);
    expect(await eventsOf(service)).toHaveLength(1);
    await service.runtime.customers.delete("ada");
    const [record] = (await service.store.list({ of: "records", kind: "webhook_received" })).items;
    const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
    const plain = sha(`v0:${Math.floor(at / 1000)}:${body}`);
    for (const guess of [plain, sha(plain), sha(body)]) expect(record?.key).not.toContain(guess);
  });
});

describe("rules in a file", () => {
  const secret = secretOf("standard");
  const file = (rulesText: string): string =>
    `webhooks:\n  sources:\n    - name: parcel\n      scheme: standard\n      secrets:\n        - \${PARCEL_SECRET}\n      rules:\n${rulesText}`;
  const rule = `        - when:
            - {value: body.type, equals: parcel.arrived}
            - {value: body.data.weight, above: 1, below: 3}
          agent: a1
          customer: {from: body.data.customer}
          custom: {event: parcel.arrived, data: {from: body.data}, id: {from: id}}
        - {when: [{value: body.type, in: [parcel.lost, parcel.late]}], customer: ada, variables: {trouble: {from: body.type}}}
`;

  test("say what its deliveries do", async () => {
    const { settings } = place(file(rule)).load({ PARCEL_SECRET: secret });
    const service = await start(webhookSourcesOf(settings, [echo]));
    const send = async (body: object, id: string): Promise<number> => {
      const text = JSON.stringify(body);
      return (await post(service, "parcel", text, signed.standard(text, { id, secret }))).status;
    };
    const data = { customer: 7, weight: 2, note: { from: "body.type" } };
    expect(await send({ type: "parcel.arrived", data }, "1")).toBe(200);
    expect(await send({ type: "parcel.arrived", data: { ...data, weight: 3 } }, "2")).toBe(200);
    expect(await send({ type: "parcel.sent", data }, "3")).toBe(200);
    // What a delivery holds is never read as a reference.
    expect(await eventsOf(service, ["custom"], "7")).toEqual([{ value: { event: "parcel.arrived", data, id: "1" } }]);
    expect(await send({ type: "parcel.late" }, "4")).toBe(200);
    expect((await service.runtime.customers.get("ada")).variables).toMatchObject({ values: { trouble: "parcel.late" } });
    expect(await send({ type: "parcel.arrived", data: { customer: ["x"], weight: 2 } }, "5")).toBe(422);
    expect(await send({ type: "parcel.arrived", data: { weight: 2 } }, "6")).toBe(422);
  });

  test.each(["customer", "key", "session_id", "agent"] as const)("refuse a delivery that lacks the %s of its session", async (name) => {
    const placed = { agent: "a1", customer: "ada", key: "orders" };
    const lacking = { ...placed, [name]: { from: `body.${name}` } };
    const { settings } = place(
      file(
        [{ message: "hi" }, { custom: 1 }, { variables: { a: 1 }, of: "session" }]
          .map((effect, index) => `        - ${JSON.stringify({ when: [{ value: "body.rule", equals: index }], ...lacking, ...effect })}\n`)
          .join(""),
      ),
    ).load({ PARCEL_SECRET: secret });
    const service = await start(webhookSourcesOf(settings, [echo]));
    for (const [index, given] of [{}, { [name]: null }, { [name]: "" }].entries())
      for (const rule of [0, 1, 2]) {
        const text = JSON.stringify({ rule, ...given });
        const answer = await post(service, "parcel", text, signed.standard(text, { id: `${index} ${rule}`, secret }));
        expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
          422,
          { code: "input.invalid", detail: expect.stringContaining(name) as string },
        ]);
      }
    expect((await service.runtime.sessions.list({})).total).toBe(0);
    expect((await service.runtime.customers.list({})).items).toEqual([]);
  });

  test("refuse a run whose session the delivery lacks", async () => {
    const { settings } = place(file("        - {run: patient, session_id: {from: body.session}}\n")).load({ PARCEL_SECRET: secret });
    const service = await start(webhookSourcesOf(settings, [runner]), { agents: [runner] });
    for (const text of ["{}", '{"session":null}', '{"session":""}']) {
      const answer = await post(service, "parcel", text, signed.standard(text, { secret }));
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        422,
        { code: "input.invalid", detail: expect.stringContaining("session_id") as string },
      ]);
    }
  });

  test("are refused at the start if they name an agent that was not loaded", () => {
    const { settings } = place(file("        - {agent: shopp, customer: c, message: m}\n")).load({ PARCEL_SECRET: secret });
    expect(() => webhookSourcesOf(settings, [echo])).toThrow(
      'webhooks.sources[0].rules[0].agent: there is no agent "shopp"; the loaded ones are a1.',
    );
  });

  test.each([
    ["{run: nothing}", 'rules[0].run: there is no autonomous routine "nothing".'],
    ["{run: talk}", 'rules[0].run: there is no autonomous routine "talk".'],
    ["{run: patient, agent: a1}", 'rules[0].run: there is no autonomous routine "patient" of agent "a1".'],
    ["{run: patient}", 'rules[0].run: several agents have the routine "patient", so the rule needs `agent`: runner, second.'],
  ])("are refused at the start if they start no routine: %s", (rule, message) => {
    const { settings } = place(file(`        - ${rule}\n`)).load({ PARCEL_SECRET: secret });
    const second = defineAgent({ name: "second", state: runner.state, extensions: [runnerRoutines], reply: loop({ model: scripted(() => "") }) });
    const agents = [echo, runner, ...(rule === "{run: patient}" ? [second] : [])];
    expect(() => webhookSourcesOf(settings, agents)).toThrow(`webhooks.sources[0].${message}`);
    for (const right of ["{run: patient, agent: runner}", "{run: {from: body.run}}", "{run: patient, session_id: {from: body.session}}"]) {
      const { settings: given } = place(file(`        - ${right}\n`)).load({ PARCEL_SECRET: secret });
      expect(webhookSourcesOf(given, [echo, runner, second])).toHaveLength(1);
    }
  });

  test.each([
    ["no effect", "        - {agent: a1, customer: c}\n", "rules[0]: needs one of message, custom, variables and run"],
    ["two effects", "        - {agent: a1, customer: c, message: m, custom: 1}\n", "rules[0]: needs one of message"],
    ["no session", "        - {agent: a1, message: m}\n", "rules[0]: needs session_id, or agent with customer or key"],
    ["no customer", "        - {variables: {a: 1}}\n", "rules[0]: needs customer"],
    [
      "a reference to nothing",
      "        - {agent: a1, customer: {from: boddy.x}, message: m}\n",
      "rules[0].customer.from: must be id, or begin with body. or headers.",
    ],
    [
      "a condition on nothing",
      "        - {when: [{value: state.x, set: true}], customer: c, variables: {}}\n",
      "when[0].value: must be id, or begin with body. or headers.",
    ],
    [
      "a condition without a comparison",
      "        - {when: [{value: body.urgent}], agent: a1, customer: c, message: m}\n",
      "rules[0].when[0]: needs one of equals, in, set, above and below",
    ],
    [
      "a misspelled reference",
      "        - {agent: a1, customer: {form: body.c}, message: m}\n",
      "rules[0].customer: must be a text, or {from: body.…}",
    ],
    ["a list as a key", "        - {agent: a1, key: [x], message: m}\n", "rules[0].key: must be a text, or {from: body.…}"],
    ["nobody as the customer", "        - {agent: a1, customer: null, key: k, message: m}\n", "rules[0].customer: has no value"],
    ["a member of another effect", "        - {agent: a1, customer: c, message: m, wake: true}\n", "rules[0]: has wake without custom"],
    ["a misspelled member", "        - {agent: a1, customer: c, mesage: m}\n", "rules[0].mesage: is not a key; did you mean message?"],
  ])("are refused with %s", (_what, text, message) => {
    const lines = place(file(text)).refused({ PARCEL_SECRET: secret }).join("\n");
    expect(lines).toContain(message);
    expect(lines).not.toContain(secret);
  });

  test("are refused with a secret of another scheme, or a name twice", () => {
    expect(place(file(rule)).refused({ PARCEL_SECRET: "canary-secret" }).join("\n")).toContain(
      "has a secret that is not whsec_ and 24 to 64 bytes in base64",
    );
    expect(place(file(rule)).refused({ PARCEL_SECRET: "canary-secret" }).join("\n")).not.toContain("canary");
    const twice = `${file(rule)}${file(rule).slice("webhooks:\n  sources:\n".length)}`;
    expect(place(twice).refused({ PARCEL_SECRET: secret }).join("\n")).toContain("webhooks.sources: has two of one name");
  });
});
