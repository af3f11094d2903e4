/** The route of the service that serves metrics: who may read it, and what it counts of the service. */
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../packages/throughline/src/telemetry.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { defineWebhookSource, type WebhookSource } from "../../packages/server/src/server/webhooks/webhook-source.ts";
import { createWebhooks } from "../../packages/server/src/server/webhooks/webhooks.ts";
import { echo, startServer } from "../setup/server.ts";
import { startReceiver } from "../setup/webhook-receiver.ts";
import { parseExposition } from "./exposition.ts";

const serving = async (options: { readonly openMetrics?: boolean } = {}) => {
  const metrics = createMetrics();
  const store = metrics.measured(await openStore(":memory:"));
  const started = await startServer({ store, metrics, runtime: { extensions: [metrics] }, ...options });
  const read = (headers: Readonly<Record<string, string>> = {}): Promise<Response> => fetch(`${started.url}/metrics`, { headers });
  return { ...started, metrics, store, read };
};

describe("M5 and /metrics", () => {
  it("need a key with usage:read once there are keys, while /health needs none", async () => {
    const { store, read, url } = await serving();
    const { key: reader } = await createKey(store, { name: "prometheus", scopes: ["usage:read"] });
    const { key: other } = await createKey(store, { name: "other", scopes: ["sessions:read"] });
    const status = async (headers?: Readonly<Record<string, string>>): Promise<number> => (await read(headers)).status;
    expect(await status()).toBe(401);
    expect(await status({ authorization: "Bearer tl_live_wrong" })).toBe(401);
    expect(await status({ authorization: `Bearer ${other}` })).toBe(403);
    expect(await status({ authorization: `Bearer ${reader}` })).toBe(200);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("need none where the service is told so", async () => {
    const { store, read } = await serving({ openMetrics: true });
    await createKey(store, { name: "admin", scopes: ["admin"] });
    expect((await read()).status).toBe(200);
  });

  it("are not there unless the service has metrics", async () => {
    const { url } = await startServer();
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  it("are text that a scraper reads, with the turns, the readers and the database of the process", async () => {
    const { read, request, url } = await serving();
    const { text } = await request("POST", "/v1/sessions", { agent: "a1" });
    const { id } = JSON.parse(text) as { readonly id: string };
    await request("POST", `/v1/sessions/${id}/events`, { kind: "message", source: "customer", text: "Hi" });
    const over = new AbortController();
    const stream = await fetch(`${url}/v1/sessions/${id}/events`, { signal: over.signal, headers: { accept: "text/event-stream" } });
    expect(stream.status).toBe(200);
    const values = async (name: string): Promise<Readonly<Record<string, number>>> => {
      const response = await read();
      expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
      const { samples = [] } = parseExposition(await response.text()).get(name) ?? {};
      return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels).join(" "), value]));
    };
    await expect.poll(() => values("throughline_turns_total"), { timeout: 10_000 }).toEqual({ "a1 completed": 1 });
    expect(await values("throughline_readers")).toEqual({ "": 1 });
    expect((await values("throughline_commits_total"))["committed"]).toBeGreaterThan(2);
    over.abort();
    await expect.poll(() => values("throughline_readers"), { timeout: 10_000 }).toEqual({ "": 0 });
  });

  it("count received webhooks by source, whose rate is limited", async () => {
    const secret = "a secret of the sender";
    const one = (name: string, map: () => undefined): WebhookSource => defineWebhookSource({ name, scheme: "github", secrets: [secret], map });
    const fails = (error: ThroughlineError) => (): undefined => {
      throw error;
    };
    const webhookSources = [
      one("quiet", () => undefined),
      one("wrong", fails(new ThroughlineError("input.invalid"))),
      one("away", fails(new ThroughlineError("store.unreachable"))),
    ];
    const metrics = createMetrics();
    const { url } = await startServer({ webhookSources, metrics, limits: { requestsPerMinute: 3 } });
    const post = async (name: string, id: string, key = secret) => {
      const body = JSON.stringify({ id });
      const signature = `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
      const headers = { "x-hub-signature-256": signature, "x-github-delivery": id, "content-type": "application/json" };
      const { status, headers: answered } = await fetch(`${url}/webhooks/${name}`, { method: "POST", body, headers });
      return { status, retryAfter: answered.get("retry-after") };
    };
    // What is not signed uses up nothing.
    for (const _ of [1, 2, 3, 4]) expect(await post("quiet", "0", "another secret")).toMatchObject({ status: 401 });
    for (const id of ["1", "1", "2"]) expect(await post("quiet", id)).toMatchObject({ status: 200, retryAfter: null });
    const limited = await post("quiet", "3");
    expect(limited.status).toBe(429);
    expect(Number(limited.retryAfter)).toBeGreaterThan(0);
    expect(await post("wrong", "1")).toMatchObject({ status: 422 });
    expect(await post("away", "1")).toMatchObject({ status: 503 });
    const { samples = [] } = parseExposition(metrics.text()).get("throughline_webhooks_received_total") ?? {};
    expect(samples.map(({ labels, value }) => `${labels["source"]} ${labels["result"]} ${value}`).toSorted()).toEqual([
      ...["away failed 1", "quiet accepted 2", "quiet limited 1", "quiet repeated 1", "quiet unsigned 4", "wrong refused 1"],
    ]);
  });

  it("count deliveries of webhooks: those that arrived, those that are tried again, and those that are given up", async () => {
    const { url } = await startReceiver(({ body }) => (body.includes("poison") ? 500 : 200));
    const metrics = createMetrics();
    const inner = await openStore(":memory:");
    const targets = [{ name: "crm", url, kinds: ["custom"] as const }];
    const webhooks = createWebhooks({ store: inner, agents: [echo], targets, allowHosts: ["127.0.0.1"], pollMs: 50, retryMs: [20] });
    const { request } = await startServer({ store: metrics.measured(webhooks.store), webhooks, metrics, runtime: { extensions: [metrics] } });
    const { text } = await request("POST", "/v1/sessions", { agent: "a1" });
    const { id } = JSON.parse(text) as { readonly id: string };
    for (const data of ["one", "poison", "two"]) await request("POST", `/v1/sessions/${id}/events`, { kind: "custom", data });
    const values = (): Readonly<Record<string, number>> => {
      const { samples = [] } = parseExposition(metrics.text()).get("throughline_webhook_deliveries_total") ?? {};
      return Object.fromEntries(samples.map(({ labels, value }) => [labels["result"] ?? "", value]));
    };
    await expect.poll(values, { timeout: 20_000 }).toEqual({ delivered: 2, failed: 1, dead: 1 });
  });
});
