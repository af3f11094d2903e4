/** Global setup of the test run: one PostgreSQL for all files; each file makes databases of its own in it. */
import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres } from "./start-postgres.ts";

export type PostgresForTests = { readonly url: string } | { readonly reason: string };

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: PostgresForTests;
  }
}

let server: PostgresServer | undefined;

export async function setup(project: TestProject): Promise<void> {
  try {
    server = await startPostgres({ durable: false });
    project.provide("postgres", { url: server.url });
  } catch (error) {
    // On a developer's machine the tests are skipped and say why; a check that gates a change must not be skipped.
    if (process.env["CI"] === "true") throw error;
    project.provide("postgres", { reason: error instanceof Error ? error.message : String(error) });
  }
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
