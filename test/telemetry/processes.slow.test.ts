/** Traces across processes, over OTLP to a collector: a turn whose process was killed goes on in another one, and its traces are linked. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.ts";
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
