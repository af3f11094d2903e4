/** What memory adds for callers: the memory of a session's person and of a customer, and episodes. The code is loaded with the first call: most programs never ask. */
import { headerOf } from "../../extension/commit.ts";
import { getCustomer } from "../../extension/lists.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { parseSessionId, type SessionId } from "../../kernel/id.ts";
import { objectGiven } from "../../kernel/json.ts";
import type { ExportedMemory, OwnerMemory, SessionMemoryControl } from "../control/owner-memory.ts";
import type { EpisodeReport } from "./closing-record.ts";
import type { EndedEpisode } from "./close-episode.ts";
import { closeEpisodes } from "./keeper-of.ts";
import type { Why } from "./why.ts";

/** What memory adds to a session. */
export interface SessionRemembered {
  /**
   * What is remembered of the person, and what they can do with it. `memory.off` if the session's agent remembers nothing; of an incognito session everything reads as empty and a
   * change is refused with `memory.incognito`.
   */
  readonly memory: SessionMemoryControl;
  /** Closes the episode that was ended last, and waits until what of it is worth remembering is written; what that is. */
  closeEnded(): Promise<EndedEpisode>;
  /**
   * What a turn recalled, or the last one that did, and why: the numbers of the recall, and each piece that was found with what became of it. Undefined if nothing was looked
   * for; `turn.not_found` for an id that is no turn of the session.
   */
  why(which?: { readonly turn?: string }): Promise<Why | undefined>;
}

/** What memory adds for callers, whether or not an agent of the runtime has one: what is remembered stays after their agent's definition has changed. */
export interface MemoryApi {
  readonly runtime: {
    /**
     * Closes the episodes that are over and writes what of them is worth remembering; of one session only, if that is given. It happens by itself every few
     * seconds where turns are run: for whoever wants to wait for it. What cannot be closed is tried again later.
     */
    closeEpisodes(of?: { readonly session?: string }): Promise<readonly EpisodeReport[]>;
  };
  session(session_id: SessionId): SessionRemembered;
  customer(customer_id: string): OwnerMemory;
}

/** What memory adds for callers in a runtime. */
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
        const { endedEpisode } = await import("./close-episode.ts");
        return endedEpisode(context, await headerOf(context, session_id));
      },
      why: async (which: { readonly turn?: string } = {}) => {
        const { whyOf } = await import("./why.ts");
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

/** The memory of whoever a session belongs to. */
function sessionMemory(context: ExtensionContext, session_id: SessionId): SessionMemoryControl {
  let opened: Promise<SessionMemoryControl> | undefined;
  const open = (): Promise<SessionMemoryControl> =>
    (opened ??= import("./session-access.ts").then(({ createSessionMemory }) => createSessionMemory(context, session_id)));
  return Object.freeze({
    ...lazily(open),
    pending: async () => (await open()).pending(),
    control: async (...given: Parameters<SessionMemoryControl["control"]>) => (await open()).control(...given),
    answer: async (...given: Parameters<SessionMemoryControl["answer"]>) => (await open()).answer(...given),
  });
}

/** A memory whose code is loaded when it is first asked for something. */
function lazily(open: () => Promise<OwnerMemory>): OwnerMemory {
  function exported(options: { readonly format: "json" }): Promise<ExportedMemory>;
  function exported(options: { readonly format: "markdown" }): Promise<string>;
  async function exported(options: { readonly format: "json" | "markdown" }): Promise<ExportedMemory | string> {
    const memory = await open();
    // Each of the two forms has its own type; what is neither is refused by whoever exports.
    return options?.format === "markdown"
      ? memory.export({ ...options, format: "markdown" })
      : memory.export({ ...options, format: options?.format });
  }
  return {
    status: async () => (await open()).status(),
    list: async (...given) => (await open()).list(...given),
    get: async (...given) => (await open()).get(...given),
    find: async (...given) => (await open()).find(...given),
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
