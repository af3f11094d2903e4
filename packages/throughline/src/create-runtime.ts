/** The runtime for programs. It adds the APIs of this package's extensions under their own names, and their maintenance of stored data. */
import { defineExtension, type Kept } from "./extension/port.ts";
import { databaseLocation } from "./kernel/process.ts";
import type { OwnerMemory, SessionMemoryControl } from "./memory/control/owner-memory.ts";
import type { EpisodeReport } from "./memory/keep/memory-work.ts";
import type { EndedEpisode, Why } from "./memory/keep/session-reports.ts";
import { memoryApi } from "./memory/keep/memory-api.ts";
import type { CoreCustomers } from "./runtime/commands/customers.ts";
import type { IdempotencyOptions } from "./runtime/commands/idempotency.ts";
import { CoreSession, type SessionTypesOf } from "./runtime/session.ts";
import { openStore } from "./open-store.ts";
import { checkRuntimeOptions, startRuntime, type CoreRuntime, type RuntimeOptions } from "./runtime/runtime.ts";
import type { Agent } from "./runtime/agent/agent.ts";
import type { NewSessionOptions, OpenedOf, OpenSessionOptions, SessionsOf } from "./runtime/sessions.ts";
import { type Runs, runsExtension } from "./routines/runs/runs.ts";
import { safetyApi } from "./safety/audit/api.ts";
import type { Feedback, FeedbackLabel, FeedbackSource, SafetyAudit } from "./safety/audit/safety-audit.ts";

/** The gate's API, also without an agent that has a gate, because its records outlive the definition that created them. */
const safety = defineExtension({ name: "safety", api: safetyApi });

/** The memory API, also without an agent that has memory, because memories outlive the definition. */
const memory = defineExtension({ name: "memory", api: memoryApi });

/** Personal data is maintained whether or not an agent declares the extension that stored it. */
export const kept: Kept = async () => [(await import("./memory/keep/kept-entries.ts")).keptEntries];

/** One conversation. A handle caches no mutable data: every call reads the data that it needs. */
export class Session<A extends Agent = Agent> extends CoreSession<SessionTypesOf<A>> {
  /**
   * Records the customer's feedback on the session for 180 days, without an owner. Each call makes a new record. Throws `input.invalid` for an
   * unknown label. Returns null if the store fails, so that a failure blocks nothing else.
   */
  async feedback(label: FeedbackLabel, options: { readonly source?: FeedbackSource } = {}): Promise<Feedback | null> {
    return this.extension(safety).feedback(label, options);
  }

  /**
   * Returns the operations on the customer's memory. Throws `memory.off` if the session's agent has no memory. For an incognito session all reads are
   * empty, and changes throw `memory.incognito`.
   */
  get memory(): SessionMemoryControl {
    return this.extension(memory).memory;
  }

  /** Ends the episode and waits until its memories are written, which otherwise happens automatically soon after. Returns these memories. */
  async closeEpisode(options: IdempotencyOptions = {}): Promise<EndedEpisode> {
    await this.endEpisode(options);
    return this.extension(memory).closeEnded();
  }

  /**
   * Returns the recall of a turn, or the last recall, with its reasons: the numbers of the recall, and the outcome of each candidate. Undefined if
   * there was no recall. Throws `turn.not_found` if the session has no turn with that id.
   */
  async why(which: { readonly turn?: string } = {}): Promise<Why | undefined> {
    return this.extension(memory).why(which);
  }
}

/** The agent that a value or a name stands for, among the agents of a runtime. */
export type AgentOf<A extends Agent, Of> = Of extends Agent ? Of : string extends A["name"] ? Agent : Extract<A, { readonly name: Of }>;

/** Sessions of a runtime with these agents. A session's types are those of its agent. */
export interface Sessions<A extends Agent = Agent> extends Omit<SessionsOf<Session>, "create" | "open" | "openOrCreate"> {
  /** Creates a session. Throws `agent.not_found`, `customer.not_found` or `session.invalid`. */
  create<const Of extends A["name"] | A>(options: NewSessionOptions<Of>): Promise<Session<AgentOf<A, Of>>>;
  /**
   * Returns the session of that agent, customer and key, and creates it if necessary. Concurrent calls create one session. An unknown customer is
   * registered.
   */
  open<const Of extends A["name"] | A>(options: OpenSessionOptions<Of>): Promise<Session<AgentOf<A, Of>>>;
  /** Does the same as `open` and also returns whether the session is new. */
  openOrCreate<const Of extends A["name"] | A>(options: OpenSessionOptions<Of>): Promise<OpenedSession<AgentOf<A, Of>>>;
}

/** Result of opening a session. */
export type OpenedSession<A extends Agent = Agent> = OpenedOf<Session<A>>;

/** Customers of a runtime. */
export interface Customers extends CoreCustomers {
  /** Returns the memory of a customer and its operations. They throw `customer.not_found` if there is no such customer. */
  memory(id: string): OwnerMemory;
}

/** A running Throughline with these agents. */
export interface Runtime<A extends Agent = Agent> extends Omit<CoreRuntime<Session>, "customers" | "sessions"> {
  readonly sessions: Sessions<A>;
  readonly customers: Customers;
  /** The findings of gates, by day and one by one, for the operators who are responsible for them. */
  readonly safety: SafetyAudit;
  /** Runs of autonomous routines, which need no conversation. */
  readonly runs: Runs;
  /**
   * Closes finished episodes and writes their memories, for all sessions or only one. It runs automatically every few seconds where turns run. Call
   * it to wait for the result. Episodes that cannot be closed are retried later.
   */
  closeEpisodes(of?: { readonly session?: string }): Promise<readonly EpisodeReport[]>;
}

/**
 * Starts a runtime. It answers accepted messages, including those that an earlier process left unanswered. Without a store it opens
 * `./.throughline/throughline.db`, or the database of `THROUGHLINE_DB`. Throws `input.invalid` for an unknown option, and the errors of `openStore`.
 * @example const runtime = await createRuntime({ agents: [agent] })
 * @example const runtime = await createRuntime({ store: await openStore("postgres://localhost/app"), agents: [agent] })
 */
export async function createRuntime<const A extends Agent>(options: RuntimeOptions<A>): Promise<Runtime<A>> {
  // Checked before a store is opened, so that a misspelled option creates no file. Neither does a store that turned out to be undefined.
  checkRuntimeOptions(options);
  if ("store" in options) return runtimeOn(options);
  const store = await openStore(databaseLocation(process.env));
  try {
    const runtime = await runtimeOn({ ...options, store });
    const close = async (closing?: { readonly drainMs?: number }): Promise<void> => {
      await runtime.close(closing);
      await store.close();
    };
    return Object.freeze({ ...runtime, close });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Starts a runtime on the store of its options. */
async function runtimeOn<const A extends Agent>(options: RuntimeOptions<A>): Promise<Runtime<A>> {
  const runtime = await startRuntime(options, { session: Session, kept });
  const { customers, sessions } = runtime;
  return Object.freeze({
    ...runtime,
    // A session's agent is found by the value or the name that it was opened with, so its data has that agent's types.
    sessions: sessions as Sessions<A>,
    customers: Object.freeze({ ...customers, memory: (id: string) => customers.extension(memory, id) }),
    safety: runtime.extension(safety),
    runs: runtime.extension(runsExtension),
    closeEpisodes: async (of?: { readonly session?: string }) => runtime.extension(memory).closeEpisodes(of),
  });
}
