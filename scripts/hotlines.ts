/** A gate: what is wrong with the table of crisis services, or will be within 14 days. `--at 2027-05-01` looks at it on another day. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkTable, resourceTable } from "../packages/throughline/src/safety/resources/resource-table.ts";
import { root } from "./root.ts";

const file = "packages/companion/src/safety/hotlines.json";
const day = process.argv[process.argv.indexOf("--at") + 1];
const now = process.argv.includes("--at") && day !== undefined ? Date.parse(`${day}T00:00:00Z`) : Date.now();

const written: unknown = JSON.parse(readFileSync(join(root, file), "utf8"));
const table = resourceTable(written);
const findings = [...checkTable(table, now)];

// Every row says where its number was read; the runtime does not need that, whoever reviews the table does.
const rows = typeof written === "object" && written !== null && "services" in written && Array.isArray(written.services) ? written.services : [];
for (const row of rows as readonly Readonly<Record<string, unknown>>[])
  if (typeof row["source"] !== "string" || row["source"] === "")
    findings.push({ severity: "error", row: String(row["id"]), message: "It names no source." });

for (const { severity, row, message } of findings) console.log(`${severity.padEnd(7)}  ${row}: ${message}`);
const errors = findings.filter(({ severity }) => severity === "error").length;
const unchecked = table.services.filter(({ confirmed, verified_by }) => confirmed && verified_by === null).length;
console.log(
  `${table.services.length} services; ${errors} errors, ${findings.length - errors} warnings; ${unchecked} are shown that no person has checked.`,
);
process.exitCode = errors === 0 ? 0 : 1;
