/** The store conformance on a PostgreSQL whose transactions are serializable by default: it then fails more of them, which the driver repeats. */
import { describe, test } from "vitest";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import { storeChecks } from "../../packages/throughline/src/testing/store/conformance.ts";
import { emptyPostgresDatabase, noPostgres, runSql } from "../setup/database.ts";

describe("the PostgreSQL store under SERIALIZABLE", () => {
  for (const { name, run } of storeChecks()) {
    test(name, async ({ skip }) => {
      if (noPostgres !== undefined) skip(noPostgres);
      const url = await emptyPostgresDatabase();
      await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = 'serializable'`);
      await run(() => openPostgresStore(url));
    });
  }
});
