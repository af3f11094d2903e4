/** The audit log records who read or changed sensitive data. */
import { ThroughlineError, type JsonObject } from "throughline/kernel";
import { operations } from "../protocol/operations.ts";
import { nameOf } from "./principal.ts";
import { type Entry, toAuditRecord, writeRecords } from "./service-records.ts";
import type { Audit, KnownRequest, Service } from "./service.ts";

/** Delays between attempts to write an entry, in milliseconds. */
const pausesMs = [1_000, 10_000, 60_000];

/** Path parameters that identify an object without identifying a person. */
const namesObjects: ReadonlySet<string> = new Set(["session_id", "turn_id", "job_id", "agent", "event", "key_id", "run_id"]);

/** Names that the service makes itself. What else a caller puts in their place may be about a person. */
const isMade = (name: string, value: string): boolean => !/^(session|turn|job|run)_id$/.test(name) || /^(ses|trn|job|run)_[\w-]{1,64}$/.test(value);

/** The objects that a path names. Resolved before the handler runs, because the request may erase the customer. */
async function objectsIn({ runtime }: Pick<Service, "runtime">, path: KnownRequest["path"]): Promise<JsonObject> {
  const named = Object.entries(path).filter(([name, value]) => namesObjects.has(name) && isMade(name, value));
  const { customer_id } = path;
  // An unknown customer has no owner id.
  const customer = customer_id === undefined ? undefined : await runtime.customers.find(customer_id).catch(() => undefined);
  return {
    ...Object.fromEntries(named.map(([name, value]) => [name, value.slice(0, 200)])),
    ...(customer === undefined ? {} : { owner_id: customer.owner_id }),
  };
}

/** The created object, from its address. */
function madeAt(location: string | undefined): JsonObject {
  const [, kind, id] = /^\/v1\/(session|job)s\/([a-z]{3}_[\w-]+)$/.exec(location ?? "") ?? [];
  return kind === undefined || id === undefined ? {} : { [`made_${kind}_id`]: id };
}

/** Creates an audit log in the service's store. */
export function createAudit(service: Pick<Service, "runtime" | "store" | "clock" | "ids" | "logger" | "draining">): Audit {
  const { clock, ids, logger, draining } = service;

  const write = async (entry: Entry): Promise<void> => {
    const result = await writeRecords(service, toAuditRecord({ ids, at: clock.now() }, entry));
    if (result.outcome === "refused") throw new ThroughlineError("store.failed", `The store rejected an audit entry: ${result.reason}.`);
  };

  const writeLater = async (entry: Entry): Promise<void> => {
    const { operation, request_id = "none", actor } = entry;
    const about = { operation, request_id };
    for (const pause of pausesMs)
      try {
        // A stopping service skips the delay and tries once more.
        await clock.sleep(pause, draining).catch(() => {});
        return await write(entry);
      } catch (error) {
        if (draining.aborted) break;
        logger.warn("writing an audit entry is retried", { ...about, code: ThroughlineError.from(error).code }, error);
      }
    logger.error("an audit entry was lost", { ...about, actor });
  };

  return {
    async begin({ principal, operation, path, request_id }) {
      const objects = await objectsIn(service, path);
      return async ({ status, location, objects: more = {} }) => {
        const entry = { actor: nameOf(principal), operation, status, request_id, objects: { ...objects, ...madeAt(location), ...more } };
        try {
          await write(entry);
        } catch (error) {
          // Data is not shown if the read cannot be audited. A completed change is still answered, and its entry is written later.
          if (operations[operation].method === "GET" && status < 400) throw error;
          void writeLater(entry);
        }
      };
    },
  };
}
