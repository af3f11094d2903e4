/** A process that puts assessments into a spool and drains it at the same time: `spool-child.ts <spool> <taken> <name> <count>`. What it drains it writes to its own file. */
import { appendFile } from "node:fs/promises";
import { openSpool } from "../../../packages/throughline/src/safety.ts";
import { recordOf } from "./record-of.ts";

const [path = "", taken = "", name = "", count = "0"] = process.argv.slice(2);
const spool = openSpool(path);
const write = ({ audit_id }: { readonly audit_id: string }): Promise<void> => appendFile(taken, `${audit_id}\n`);
for (let index = 0; index < Number(count); index++) {
  const draining = index % 5 === 4 ? spool.drain(write) : undefined;
  await spool.append(recordOf(`${name}-${index}`));
  await draining;
}
process.stdout.write("done");
