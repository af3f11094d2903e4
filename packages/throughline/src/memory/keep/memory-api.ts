/**
 * Memory API for callers: the memory of a session's user or of a customer, and episodes. The code is loaded on the first call, since most programs
 * never call it.
 */
import { headerOf } from "../../extension/commit.ts";
import { getCustomer } from "../../extension/lists.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { parseSessionId, type SessionId } from "../../kernel/id.ts";
import { objectGiven } from "../../kernel/json.ts";
import type { ExportedMemory, OwnerMemory, SessionMemoryControl } from "../control/owner-memory.ts";
import { closeEpisodes, type EpisodeReport } from "./memory-work.ts";
import type { EndedEpisode, Why } from "./session-reports.ts";

/** Memory API of a session. */
export interface SessionRemembered {
  /**
   * The user's memory and the operations on it. Throws `memory.off` if the session's agent has no memory. In an incognito session, reads return
   * nothing and changes throw `memory.incognito`.
   */
  readonly memory: SessionMemoryControl;
  /** Closes the episode that ended last and waits until its memory is written. Returns the result. */
  closeEnded(): Promise<EndedEpisode>;
  /**
   * Explains the recall of a turn, or of the last turn that recalled: the metrics, and each item found with its placement. Returns undefined if there
   * was no recall. Throws `turn.not_found` for an id that is not a turn of the session.
   */
  why(which?: { readonly turn?: string }): Promise<Why | undefined>;
}

/** Memory API for callers. It also works if no agent of the runtime has a memory, since entries outlive a change of their agent's definition. */
export interface MemoryApi {
  readonly runtime: {
    /**
     * Closes the episodes that are over and writes their memory, optionally of one session only. Runtimes that run turns do this every few seconds;
     * call it to wait for completion. Episodes that cannot be closed are retried later.
     */
    closeEpisodes(of?: { readonly session?: string }): Promise<readonly EpisodeReport[]>;
  };
  session(session_id: SessionId): SessionRemembered;
  customer(customer_id: string): OwnerMemory;
}

/** Creates the memory API of a runtime. */
export const memoryApi = (context: ExtensionContext): MemoryApi => ({
  runtime: Object.freeze({
    closeEpisodes: async (of: { readonly session?: string } = {}) => {
      const { session } = objectGiven(of, "closeEpisodes");
      const row = session === undefined ? undefined : await headerOf(context, parseSessionId(session));
      return closeEpisodes(context, row);
    },
  }),
  session: (session_id) =>
    Object.freeze({
      memory: sessionMemory(context, session_id),
      closeEnded: async () => {
        const { endedEpisode } = await import("./session-reports.ts");
        return endedEpisode(context, await headerOf(context, session_id));
      },
      why: async (which: { readonly turn?: string } = {}) => {
        const { whyOf } = await import("./session-reports.ts");
        return whyOf(context.store, await headerOf(context, session_id), objectGiven(which, "why"));
      },
    }),
  customer: (customer_id) => {
    let opened: Promise<OwnerMemory> | undefined;
    const whose = (): ReturnType<typeof getCustomer> => getCustomer(context.store, customer_id);
    const open = (): Promise<OwnerMemory> =>
      (opened ??= import("./owner-access.ts").then(({ createOwnerMemory }) => createOwnerMemory(context, { whose })));
    return Object.freeze(lazily(open));
  },
});

/** Creates the memory API of a session's owner. */
function sessionMemory(context: ExtensionContext, session_id: SessionId): SessionMemoryControl {
  let opened: Promise<SessionMemoryControl> | undefined;
  const open = (): Promise<SessionMemoryControl> =>
    (opened ??= import("./session-access.ts").then(({ createSessionMemory }) => createSessionMemory(context, session_id)));
  return Object.freeze({
    ...lazily(open),
    pending: async () => (await open()).pending(),
    control: async (...given: Parameters<SessionMemoryControl["control"]>) => (await open()).control(...given),
    answer: async (...given: Parameters<SessionMemoryControl["answer"]>) => (await open()).answer(...given),
    isCommand: async (...given: Parameters<SessionMemoryControl["isCommand"]>) => (await open()).isCommand(...given),
  });
}

/** Creates a memory whose code is loaded on first use. */
function lazily(open: () => Promise<OwnerMemory>): OwnerMemory {
  function exported(options: { readonly format: "json" }): Promise<ExportedMemory>;
  function exported(options: { readonly format: "markdown" }): Promise<string>;
  async function exported(options: { readonly format: "json" | "markdown" }): Promise<ExportedMemory | string> {
    const memory = await open();
    // Each format has its own overload. The export itself rejects other values.
    return options?.format === "markdown"
      ? memory.export({ ...options, format: "markdown" })
      : memory.export({ ...options, format: options?.format });
  }
  return {
    status: async () => (await open()).status(),
    list: async (...given) => (await open()).list(...given),
    get: async (...given) => (await open()).get(...given),
    find: async (...given) => (await open()).find(...given),
    recall: async (...given) => (await open()).recall(...given),
    setRecall: async (...given) => (await open()).setRecall(...given),
    savePreference: async (...given) => (await open()).savePreference(...given),
    remember: async (...given) => (await open()).remember(...given),
    correct: async (...given) => (await open()).correct(...given),
    mark: async (...given) => (await open()).mark(...given),
    pin: async (...given) => (await open()).pin(...given),
    neverRecall: async (...given) => (await open()).neverRecall(...given),
    forget: async (...given) => (await open()).forget(...given),
    clear: async (...given) => (await open()).clear(...given),
    conflicts: async () => (await open()).conflicts(),
    export: exported,
  };
}
