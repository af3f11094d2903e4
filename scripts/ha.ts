/**
 * `npm run ha -- [--only kill|switchover|cut|asynchronous] [--seconds 8] [--json]`: a PostgreSQL pair under Patroni, with etcd, HAProxy and PgBouncer from Debian,
 * fails over while clients write. Counts what was acknowledged and what is lost. Exit code 1 when a law is broken; without the programs it says so and ends with 0.
 */
import { parseArgs } from "node:util";
import { findPrograms, reasonOf } from "./ha/programs.ts";
import { faults, runFault } from "./ha/run-fault.ts";

const { values } = parseArgs({
  options: { only: { type: "string" }, seconds: { type: "string", default: "8" }, json: { type: "boolean", default: false } },
});
const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new Error(`--seconds is a number above 0, got "${values.seconds}".`);
const names = Object.keys(faults).filter((name) => values.only === undefined || name === values.only);
if (names.length === 0) throw new Error(`--only is one of ${Object.keys(faults).join(", ")}, got "${values.only}".`);

// Calls fail on purpose here. What they throw would fill the output.
process.env["THROUGHLINE_ERRORS"] ??= "off";

const programs = findPrograms();
if ("missing" in programs) {
  console.log(`skipped: ${reasonOf(programs)}`);
  process.exit(0);
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
let broken = false;
for (const [name, fault] of Object.entries(faults)) {
  if (!names.includes(name)) continue;
  process.stderr.write(`… ${name}: ${fault.what}\n`);
  const report = await runFault(programs, fault, { seconds });
  if (values.json) console.log(JSON.stringify({ fault: name, ...report }));
  else
    console.log(
      `${name.padEnd(14)} acknowledged ${report.acknowledged}, lost ${report.lost}, twice ${report.twice}, answered ${report.answered}, ` +
        `gap ${(report.gapMs / 1000).toFixed(1)} s, calls failed ${report.failed}`,
    );
  const { acknowledged, lost, twice, answered } = report;
  broken ||= twice > 0 || acknowledged === 0 || answered < acknowledged - lost || (lost > 0 && !fault.mayLose);
}
process.exit(broken ? 1 : 0);
