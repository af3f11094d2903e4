/** A session's header and settings. */
import { memoryOf, type ClientMemory } from "./memory.ts";
import type { BodyFor, Caller, RequestOptions, ResultOf } from "./operation-call.ts";
import { variablesOf, type ClientVariables } from "./variables.ts";
import type { WireSession } from "./wire.ts";

type Patch = BodyFor<"updateSession">;

/** A session's header and settings. */
export interface SessionSettings {
  /** The session as it stands. */
  info(options?: RequestOptions): Promise<WireSession>;
  /** Changes what is named, and leaves the rest. */
  update(patch: Patch, options?: RequestOptions): Promise<WireSession>;
  /** Hands it to people (`manual`: the agent falls silent at once) or back to the agent (`auto`). */
  setMode(mode: NonNullable<Patch["mode"]>, options?: RequestOptions): Promise<WireSession>;
  /** Sets the title; null takes it away. */
  setTitle(title: string | null, options?: RequestOptions): Promise<WireSession>;
  /** Sets metadata that is named, takes away what is named with null, and leaves the rest. No agent ever sees any of it. */
  updateMetadata(metadata: NonNullable<Patch["metadata"]>, options?: RequestOptions): Promise<WireSession>;
  /** Sets variables of this session alone that are named, takes away those named with null; in force from the agent's next turn on. */
  setVariables(values: BodyFor<"updateSessionVariables">, options?: RequestOptions): Promise<ResultOf<"updateSessionVariables">>;
  /** The variables of this session alone, one by one. */
  readonly variables: ClientVariables;
  /** The memory of the session's owner. Of an incognito session everything reads as empty, and a change is `memory.incognito`. */
  readonly memory: ClientMemory;
  /** Ends the episode and waits for what of it is remembered. */
  closeEpisode(options?: RequestOptions): Promise<ResultOf<"closeEpisode">>;
  /** Ends the episode, so that the next message begins another. */
  endEpisode(options?: RequestOptions): Promise<WireSession>;
  /** Says who the customer of an anonymous session is. */
  identify(customer_id: string, options?: RequestOptions & { readonly carry?: boolean }): Promise<WireSession>;
  /** Puts on record what the person agrees to, or no longer does; where that stands in the log. */
  consent(consent: BodyFor<"giveConsent">, options?: RequestOptions): Promise<ResultOf<"giveConsent">>;
  /** Keeps what the person says of the session; null where that could not be. */
  feedback(label: BodyFor<"giveFeedback">["label"], options?: RequestOptions): Promise<ResultOf<"giveFeedback">>;
  /** What it has spent. */
  usage(options?: RequestOptions): Promise<ResultOf<"getSessionUsage">>;
  /** Deletes it with its log. */
  delete(options?: RequestOptions): Promise<void>;
}

/** The settings of one session. */
export function sessionSettings(call: Caller, session_id: string): SessionSettings {
  const path = { session_id };
  const update = (body: Patch, options?: RequestOptions): Promise<WireSession> => call("updateSession", { ...options, path, body });
  return {
    info: (options) => call("getSession", { ...options, path }),
    update,
    setMode: (mode, options) => update({ mode }, options),
    setTitle: (title, options) => update({ title }, options),
    updateMetadata: (metadata, options) => update({ metadata }, options),
    setVariables: (body, options) => call("updateSessionVariables", { ...options, path, body }),
    variables: variablesOf(call, { scope: "Session", path }),
    memory: memoryOf(call, { scope: "Session", path }),
    closeEpisode: (options) => call("closeEpisode", { ...options, path }),
    endEpisode: (options) => call("endEpisode", { ...options, path }),
    identify: (customer_id, { carry, ...options } = {}) =>
      call("identifySession", { ...options, path, body: { customer_id, ...(carry === undefined ? {} : { carry }) } }),
    consent: (body, options) => call("giveConsent", { ...options, path, body }),
    feedback: (label, options) => call("giveFeedback", { ...options, path, body: { label } }),
    usage: (options) => call("getSessionUsage", { ...options, path }),
    delete: (options) => call("deleteSession", { ...options, path, removes: true }),
  };
}
