/** Where assessments wait that the database does not take. */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AssessmentSpool } from "../safety/assessment.ts";
import { openSpool } from "../safety/spool/file-spool.ts";
import { defaultLocation, isServer } from "./location.ts";

/**
 * A file beside the database; for one on a server, a file in the folder where a database of this folder would be, since what is waiting waits because the
 * server is away. Undefined for a database in memory: nothing of it is to be on a disk.
 */
export function spoolBeside(location: string): AssessmentSpool | undefined {
  if (location === ":memory:") return undefined;
  const path = isServer(location) ? join(dirname(defaultLocation), "server.safety.jsonl") : `${location}.safety.jsonl`;
  const spool = openSpool(path);
  return Object.freeze({
    ...spool,
    // The folder is made when there is something to put into it, and no sooner; what is wrong with it is told when the file is written.
    append: async (record) => {
      await mkdir(dirname(path), { recursive: true }).catch(() => {});
      return spool.append(record);
    },
  } satisfies AssessmentSpool);
}
