/** LangGraph's own conformance suite over our saver, on each of the stores. */
import { deltaChannelHistoryTests, specTest } from "@langchain/langgraph-checkpoint-validation";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll } from "vitest";
import { ThroughlineSaver } from "@throughline/adapters/langgraph";
import { type PostgresServer, startPostgres } from "../setup/start-postgres.ts";

const folder = mkdtempSync(join(tmpdir(), "throughline-interop-"));
let server: PostgresServer | undefined;
const closing = new Map<ThroughlineSaver, () => Promise<void>>();

async function newDatabase(): Promise<string> {
  server ??= await startPostgres({ durable: false });
  const name = `interop_${randomBytes(6).toString("hex")}`;
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return new URL(`/${name}`, server.url).href;
}

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const stores = [
  ["memory", async () => ":memory:"],
  ["SQLite", async () => join(folder, `${randomBytes(6).toString("hex")}.db`)],
  ["PostgreSQL", newDatabase],
] as const;

for (const [name, locate] of stores) {
  const initializer = {
    checkpointerName: `throughline on ${name}`,
    async createCheckpointer() {
      const { saver, close } = await ThroughlineSaver.open(await locate(), { durability: "relaxed" });
      closing.set(saver, close);
      return saver;
    },
    destroyCheckpointer: async (saver: ThroughlineSaver) => closing.get(saver)?.(),
  };
  specTest(initializer);
  deltaChannelHistoryTests(initializer);
}
