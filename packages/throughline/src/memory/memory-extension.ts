/** Long-term memory as an extension: its hooks at each point of a turn. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { defineExtension, type Extension } from "../extension/port.ts";
import { memoryApi, type MemoryApi } from "./keep/memory-api.ts";
import { keptEntries } from "./keep/kept-entries.ts";
import { cacheOf, dropOwner } from "./keep/memory-cache.ts";
import { touched, whoseSession } from "./keep/memory-work.ts";
import { MemoryWorker } from "./keep/memory-worker.ts";
import { createSessionMemory } from "./keep/session-access.ts";
import { settingsFrom, type MemoryOptions, type MemorySettings } from "./memory-settings.ts";
import { prefetchQuery, recallFor, recallStage } from "./turn/recall-turn.ts";
import { finishTurn, knownMasks } from "./turn/remember-turn.ts";
import { retractFrom } from "./write/retract.ts";

/**
 * Adds long-term memory to an agent. Without it, an agent remembers nothing beyond its session. Throws `memory.invalid`, which names the invalid
 * option.
 * @example defineAgent({ name: "diary", memory: memory({ tokens: 400 }), … })
 */
export function memory(options: MemoryOptions = {}): MemorySettings {
  return Object.freeze({
    ...settingsFrom(options),
    extension(this: MemorySettings): Extension {
      return memoryExtension(this);
    },
  });
}

const memoryExtension = (settings: MemorySettings): Extension<MemoryApi> =>
  defineExtension<MemoryApi>({
    ...keptEntries,
    settings,
    check: ({ name, stages }) => {
      if (settings.type !== "memory")
        throw new ThroughlineError("agent.invalid", `Agent "${name}" has a memory that memory() has not made: ${seen(settings)}.`);
      if (stages.includes(recallStage))
        throw new ThroughlineError("agent.invalid", `Agent "${name}" has a memory, so no stage of it can be called "${recallStage}".`);
      if (settings.before !== undefined && !stages.includes(settings.before))
        throw new ThroughlineError("agent.invalid", `Agent "${name}" recalls before the stage "${settings.before}", which it does not have.`);
    },
    history: async ({ context, loaded: { session } }, next) =>
      next({
        readMs: settings.readDeadlineMs,
        masks: () => knownMasks(context, settings, { owner_id: session.owner_id, version: session.owner_version }),
      }),
    stages: [
      {
        name: recallStage,
        before: settings.before,
        run: (turn) => recallFor(turn, settings),
        ahead: (turn) => prefetchQuery(turn, settings),
      },
    ],
    hands: (turn, { step_id }) => createSessionMemory(turn.runtime, turn.claim.session_id, { turn, step_id }),
    finish: (turn, ending) => finishTurn(turn, settings, ending),
    finished: ({ runtime, claim, owner_id }) => touched(runtime, owner_id, whoseSession(runtime, claim.session_id)),
    retracted: async ({ context, session: { owner_id, owner_version, session_id }, from }) =>
      retractFrom((await cacheOf(context).whole(owner_id, settings, owner_version)).entries(), session_id, from),
    erased: dropOwner,
    background: (context, options) => new MemoryWorker(context, options),
    api: memoryApi,
  });
