/** The example of returns under `kill -9` after every commit, and by two processes at once: the next process goes on at the node, and no money is paid twice. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { returns } from "../../examples/returns/agent.ts";
import { openStore } from "../../packages/throughline/src/index.ts";
import { positionIn } from "../../packages/throughline/src/routines/position.ts";
import { foldState } from "../../packages/throughline/src/session/fold.ts";
import type { SessionId } from "../../packages/throughline/src/kernel/id.ts";
import { emptyPostgresDatabase } from "../setup/database.ts";
import { databases } from "../setup/server.ts";

/** Lives once, and returns the id of the session, or undefined if the process was killed. */
async function live(given: object): Promise<string | undefined> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "returns-child.ts"), JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let id = "";
  child.stdout.on("data", (piece: Buffer) => (id += piece.toString()));
  await once(child, "exit");
  if (child.signalCode === "SIGKILL") return undefined;
  expect(child.exitCode).toBe(0);
  return id;
}

/** Returns the nodes in which the log leaves the routine. */
async function nodesIn(
  location: string,
  session_id: SessionId,
): Promise<{ readonly nodes: readonly string[]; readonly refunds: readonly unknown[] }> {
  const store = await openStore(location);
  const page = await store.read({ session_id, kinds: ["state"], limit: 1_000 });
  const nodes: string[] = [];
  for (const { offset } of page?.events ?? []) {
    const loaded = await store.load({ session_id, at: offset });
    const node = loaded === undefined ? undefined : positionIn(foldState(loaded).document).frames[0]?.node;
    if (node !== undefined && nodes.at(-1) !== node) nodes.push(node);
  }
  const tools = await store.read({ session_id, kinds: ["tool"], limit: 1_000 });
  const refunds = (tools?.events ?? []).flatMap(({ data }) => (data["type"] === "called" && data["name"] === "refund" ? [data["call_id"]] : []));
  await store.close();
  return { nodes, refunds };
}

/** Whether a node leads to another, at most through branches. */
const leads = (from: string, to: string): boolean => {
  const { next = [], error } = returns.nodes[from] ?? {};
  const targets = [...next.map((one) => one.to), ...(error === undefined ? [] : [error])];
  return targets.some((one) => one === to || (returns.nodes[one]?.kind === "branch" && leads(one, to)));
};

interface Story {
  readonly nodes: readonly string[];
  /** Lines of `effects`: what was paid and sent. */
  readonly paid: readonly string[];
  readonly labels: ReadonlySet<string>;
  readonly refunds: readonly unknown[];
  readonly survived: boolean;
}

/** A process that may die, and one that goes on after it, or works beside it. */
async function storyOf(database: (typeof databases)[number], death: object, { together = false } = {}): Promise<Story> {
  const outside = await mkdtemp(join(tmpdir(), "throughline-returns-"));
  onTestFinished(() => rm(outside, { recursive: true, force: true }));
  const location = database === "SQLite" ? join(outside, "shop.db") : await emptyPostgresDatabase();
  const beside = together ? live({ location, outside }) : undefined;
  const survived = await live({ location, outside, ...death });
  const id = (await beside) ?? survived ?? (await live({ location, outside }));
  expect(id).toMatch(/^ses_/u);
  const effects = existsSync(join(outside, "effects")) ? readFileSync(join(outside, "effects"), "utf8").trim().split("\n") : [];
  return {
    ...(await nodesIn(location, id as SessionId)),
    paid: effects.filter((line) => line.startsWith("refund")),
    labels: new Set(effects.filter((line) => line.startsWith("label"))),
    survived: survived !== undefined,
  };
}

describe.each(databases)("returns on %s", (database) => {
  test("goes on at the node, whichever commit was the last of its process", async () => {
    let deaths = 0;
    for (let count = 1; ; count++) {
      const { nodes, refunds, paid, labels, survived } = await storyOf(database, { doom: { at: "after", count, ms: 0 } });
      expect(nodes[0]).toBe("ask");
      for (const [index, node] of nodes.entries())
        if (index > 0) expect({ count, nodes, leads: leads(nodes[index - 1]!, node) }).toMatchObject({ leads: true });
      expect({ count, refunds: refunds.length }).toEqual({ count, refunds: 1 });
      // A label may be sent again under the same key. Money may not, and what is not known to be paid goes to a colleague.
      expect(labels.size).toBe(1);
      expect(paid.length).toBeLessThanOrEqual(1);
      const end = nodes.at(-1)!;
      expect(["tell", "colleague"]).toContain(end);
      if (end === "tell") expect({ count, paid: paid.length }).toEqual({ count, paid: 1 });
      if (survived) break;
      deaths += 1;
    }
    // A sweep in which nobody died proves nothing.
    expect(deaths).toBeGreaterThan(14);
  }, 900_000);

  test("asks a colleague when nobody knows whether the money was paid, and pays nothing again", async () => {
    const { nodes, refunds, paid, survived } = await storyOf(database, { diesPaying: true });
    expect({ end: nodes.at(-1), refunds: refunds.length, paid: paid.length, survived }).toEqual({
      end: "colleague",
      refunds: 1,
      paid: 1,
      survived: false,
    });
  }, 300_000);

  test("is followed by two processes at once, one of which is killed while it pays, and pays once", async () => {
    for (const death of [{}, { diesPaying: true }, { doom: { at: "after", count: 9, ms: 0 } }]) {
      const { nodes, refunds, paid, labels } = await storyOf(database, death, { together: true });
      expect(nodes[0]).toBe("ask");
      for (const [index, node] of nodes.entries())
        if (index > 0) expect({ death, nodes, leads: leads(nodes[index - 1]!, node) }).toMatchObject({ leads: true });
      expect({ death, refunds: refunds.length, labels: labels.size }).toEqual({ death, refunds: 1, labels: 1 });
      expect(paid.length).toBeLessThanOrEqual(1);
      const end = nodes.at(-1)!;
      expect(["tell", "colleague"]).toContain(end);
      if (end === "tell") expect(paid).toHaveLength(1);
    }
  }, 300_000);
});
