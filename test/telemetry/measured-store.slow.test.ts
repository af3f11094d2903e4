/** A measured store is a store: it passes what every store passes. */
import { describe, it } from "vitest";
import { openStore } from "../../packages/throughline/src/index.ts";
import { createMetrics } from "../../packages/throughline/src/telemetry.ts";
import { storeChecks } from "../../packages/throughline/src/testing/store/conformance.ts";
import { newSqliteFile } from "../setup/database.ts";

describe("a measured SQLite file conforms to the port", () => {
  for (const { name, run } of storeChecks())
    it(name, () => {
      const path = newSqliteFile();
      return run(async () => createMetrics().measured(await openStore(path)));
    });
});
