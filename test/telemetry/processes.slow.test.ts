/** Traces across processes, over OTLP to a collector: a turn whose process was killed goes on in another one, and its traces are linked. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { start as startCli } from "../cli/run-cli.ts";
import { parseExposition } from "./exposition.ts";
import { collector, valueOf } from "./otlp-stub.ts";

const start = (...given: readonly string[]): ChildProcess => {
  const child = spawn(process.execPath, [join(root, "test/telemetry/turn-child.ts"), ...given], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
};

test("a turn that is resumed after kill -9 continues the trace, and links to the span that began it", { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "throughline-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { url, spans, until } = await collector();
  const location = join(folder, "test.db");

  const first = start(location, url, "hang");
  const accepted = await until(({ name, parentSpanId }) => name === "TICKET-7" && parentSpanId === undefined);
  const stage = await until(({ name }) => name === "stage triage");
  first.kill("SIGKILL");
  await once(first, "exit");
  const before = spans.length;

  const second = start(location, url, "answer");
  const [printed] = (await once(second.stdout ?? second, "data")) as [Buffer];
  const { reply, turn_id } = JSON.parse(String(printed)) as { reply: string; turn_id: string };
  expect(reply).toBe("Hello.");
  await once(second, "exit");

  const resumed = spans.slice(before).find((span) => valueOf(span, "throughline.turn.id") === turn_id);
  expect(resumed).toMatchObject({ name: "TICKET-7", traceId: accepted.traceId, parentSpanId: accepted.spanId });
  expect(Number(valueOf(resumed ?? accepted, "throughline.turn.attempt"))).toBeGreaterThan(1);
  expect(resumed?.links).toEqual([{ traceId: accepted.traceId, spanId: accepted.spanId }]);
  expect(stage.traceId).toBe(accepted.traceId);
});

test(
  "throughline serve sends traces to the collector that it is told, continues those of its callers, and serves metrics",
  { timeout: 120_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "throughline-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { url: sink, raw, authorizations, until } = await collector();
    const settings = {
      store: "./app.db",
      agents: [join(root, "examples/diary/agent.ts")],
      server: { port: 0 },
      telemetry: {
        metrics: "key",
        traces: { enabled: true, url: sink, api_key: "k-1", api_key_scheme: "basic", service_name: "desk", metadata: ["tenant"] },
      },
    };
    await writeFile(join(folder, "throughline.yaml"), JSON.stringify(settings));
    const service = startCli(["serve", "--json"], { cwd: folder });
    await service.until(/"ready".*\n/);
    const { url } = (JSON.parse(/\{"ready":\{.*?\}\}/.exec(service.text())?.[0] ?? "{}") as { ready: { url: string } }).ready;
    const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(`${url}${path}`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });
    const { id } = (await (await post("/v1/sessions", { agent: "diary", metadata: { session_key: "TICKET-8", tenant: "t-1" } })).json()) as {
      id: string;
    };
    const trace = "c".repeat(32);
    await post(
      `/v1/sessions/${id}/events`,
      { kind: "message", source: "customer", text: "Hello" },
      { traceparent: `00-${trace}-${"d".repeat(16)}-01` },
    );
    const turn = await until(({ name, traceId }) => name === "TICKET-8" && traceId === trace);
    expect(turn.parentSpanId).toBe("d".repeat(16));
    expect(authorizations[0]).toBe("Basic k-1");
    expect(raw.join("")).toContain('"t-1"');
    expect(raw.join("")).toContain("desk");
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.status).toBe(200);
    expect(parseExposition(await metrics.text()).get("throughline_turns_total")?.samples).toMatchObject([{ labels: { agent: "diary" }, value: 1 }]);
    service.child.kill("SIGTERM");
    expect((await service.ended).code).toBe(0);
  },
);
