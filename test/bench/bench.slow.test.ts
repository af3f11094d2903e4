import { beforeAll, describe, expect, test, vi } from "vitest";
import { type Measured, within } from "../../bench/figures.ts";
import { measure } from "../../bench/measure.ts";
import { noPostgres, serverUrl } from "../setup/database.ts";

describe("the quick benchmark", () => {
  let measured: Measured;
  const run = async (): Promise<Measured> => {
    if (noPostgres === undefined) vi.stubEnv("DATABASE_URL", serverUrl());
    return measure({ quick: true, engines: noPostgres === undefined ? ["sqlite", "postgres"] : ["sqlite"] });
  };
  beforeAll(async () => void (measured = await run()), 900_000);

  const engines = ["sqlite", ...(noPostgres === undefined ? ["postgres"] : [])];

  test("measures what a turn costs on every engine that is there", () => {
    const ids = measured.figures.map(({ id }) => id);
    for (const engine of engines) {
      for (const name of [
        "bytes_ratio",
        "bytes_flat",
        "commits",
        "statements",
        "calls",
        "state_growth",
        "commit_full",
        "load_ms",
        "step_none",
        "step_once",
        "two_tools",
        "steps_flat",
        "steps_times",
        "steps_time",
        "steps_resume",
        "past",
        "claim_backlog",
        "claim_parked",
        "claim_drain",
        "fork_bytes",
        "fork_flat",
        "fork_depth",
        "busy_20ms",
        "busy_20ms_loop",
        "beside_slow",
        "idle_queries",
        "idle_memory",
        "wake_up",
        "wake_up_p99",
        "streams_queries",
        "streams_memory",
        "webhooks",
        "webhook_lag",
        "webhook_lag_p99",
        "delivery",
        "delivery_p99",
        "http_post",
        "http_list",
        "http_wait",
        "http_stream",
        "http_errors",
        "http_cost",
        "soak_errors",
        "soak_memory",
      ])
        expect(ids).toContain(`${engine}.${name}`);
    }
    for (const name of ["recall_1k", "recall_10k", "add", "build_10k", "slice", "found"]) expect(ids).toContain(`memory.${name}`);
    if (!measured.skipped.some(({ id }) => id === "inspector"))
      for (const name of ["1k_ready", "3k_scroll", "3k_scrub", "3k_heap", "list_ready", "list_scroll", "list_heap"])
        expect(ids).toContain(`inspector.${name}`);
    expect(measured.figures.filter(({ value }) => !Number.isFinite(value))).toEqual([]);
  });

  test("finds bytes, commits and loaded modules within their limits", () => {
    const counted = measured.figures.filter(({ timing, limit }) => !timing && limit !== undefined);
    expect(counted.length).toBeGreaterThan(3);
    expect(counted.filter((figure) => !within(figure))).toEqual([]);
  });
});
