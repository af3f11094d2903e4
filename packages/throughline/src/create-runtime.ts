/** The runtime as programs use it: with what the extensions of this package add for callers, under names of their own, and what they do with data at rest. */
import { defineExtension, type Kept } from "./extension/port.ts";
import type { OwnerMemory, SessionMemoryControl } from "./memory/control/owner-memory.ts";
import type { EpisodeReport } from "./memory/keep/closing-record.ts";
import type { EndedEpisode } from "./memory/keep/close-episode.ts";
import { memoryApi } from "./memory/keep/memory-api.ts";
import type { Why } from "./memory/keep/why.ts";
import type { CoreCustomers } from "./runtime/commands/customers.ts";
import type { IdempotencyOptions } from "./runtime/commands/idempotency.ts";
import type { ImportOptions, ImportReport } from "./runtime/transfer/import-bundle.ts";
import type { Store } from "./store/port.ts";
import { CoreSession } from "./runtime/session.ts";
import { startRuntime, type CoreRuntime, type RuntimeOptions } from "./runtime/runtime.ts";
import type { OpenedOf, SessionsOf } from "./runtime/sessions.ts";
import { safetyApi } from "./safety/audit/api.ts";
import type { SafetyAudit } from "./safety/audit/safety-audit.ts";
import type { Feedback, FeedbackLabel, FeedbackSource } from "./safety/audit/give-feedback.ts";

/** What the gate adds, also where no agent has one: its records outlive the definition that has made them. */
const safety = defineExtension({ name: "safety", api: safetyApi });

/** What memory adds, also where no agent has one: what is remembered outlives the definition. */
const memory = defineExtension({ name: "memory", api: memoryApi });

/** What is kept of people is looked after, whether or not an agent declares what has kept it. */
export const kept: Kept = async () => [(await import("./memory/keep/kept-entries.ts")).keptEntries];

/** One conversation. A handle holds nothing that changes: every call reads what it needs. */
export class Session extends CoreSession {
  /**
   * Keeps what the person says of the session, for 180 days, of nobody: each time anew. A label that there is not is `input.invalid`; where the store fails it is null,
   * and nothing else is held up by it.
   */
  async feedback(label: FeedbackLabel, options: { readonly source?: FeedbackSource } = {}): Promise<Feedback | null> {
    return this.extension(safety).feedback(label, options);
  }

  /**
   * What is remembered of the person, and what they can do with it. `memory.off` if the session's agent remembers nothing; of an incognito session everything reads as empty and a
   * change is refused with `memory.incognito`.
   */
  get memory(): SessionMemoryControl {
    return this.extension(memory).memory;
  }

  /** Ends the episode and waits until what of it is worth remembering is written, which otherwise happens by itself soon after; what that is. */
  async closeEpisode(options: IdempotencyOptions = {}): Promise<EndedEpisode> {
    await this.endEpisode(options);
    return this.extension(memory).closeEnded();
  }

  /**
   * What a turn recalled, or the last one that did, and why: the numbers of the recall, and each piece that was found with what became of it. Undefined if nothing was looked
   * for; `turn.not_found` for an id that is no turn of the session.
   */
  async why(which: { readonly turn?: string } = {}): Promise<Why | undefined> {
    return this.extension(memory).why(which);
  }
}

/** Sessions of a runtime. */
export type Sessions = SessionsOf<Session>;

/** A session that was opened. */
export type OpenedSession = OpenedOf<Session>;

/** Customers of a runtime. */
export interface Customers extends CoreCustomers {
  /** What is remembered of a customer, and what can be done with it. `customer.not_found` when it is used, if there is none. */
  memory(id: string): OwnerMemory;
}

/** A running Throughline. */
export interface Runtime extends Omit<CoreRuntime<Session>, "customers"> {
  readonly customers: Customers;
  /** What gates have found, by day and one by one, for those who answer for it. */
  readonly safety: SafetyAudit;
  /**
   * Closes the episodes that are over and writes what of them is worth remembering; of one session only, if that is given. It happens by itself every few
   * seconds where turns are run: for whoever wants to wait for it. What cannot be closed is tried again later.
   */
  closeEpisodes(of?: { readonly session?: string }): Promise<readonly EpisodeReport[]>;
}

/**
 * Starts a runtime: it answers accepted messages, beginning with those that an earlier process left.
 * @example const runtime = await createRuntime({ store: await openStore("./app.db"), agents: [agent] })
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const runtime = await startRuntime(options, { session: Session, kept });
  const { customers } = runtime;
  return Object.freeze({
    ...runtime,
    customers: Object.freeze({ ...customers, memory: (id: string) => customers.extension(memory, id) }),
    safety: runtime.extension(safety),
    closeEpisodes: async (of?: { readonly session?: string }) => runtime.extension(memory).closeEpisodes(of),
  });
}

/**
 * Imports a bundle that is whole; anything else is refused as `bundle.invalid` before anything is written. A bundle of a customer who is there already is refused
 * with `customer.exists`, unless it holds one session, which is added to that customer.
 *
 * Sessions are written under an owner that nobody knows and given to the customer by one commit when all are whole, and workers leave them alone until then. What
 * an import that failed has written is erased; after one that was killed, importing the same bundle again does that first, or finishes what was whole.
 */
export async function importBundle(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  return (await import("./runtime/transfer/import-bundle.ts")).readIn(store, lines, options, kept);
}
