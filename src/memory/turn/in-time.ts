/** Waiting for what a memory needs: a store or a model that is slow, or hangs, holds up no conversation. */
import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId } from "../../kernel/id.ts";
import type { MemorySettings } from "../settings.ts";
import type { RuntimeContext } from "../../runtime/context.ts";
import type { CachedMemory } from "../keep/memory-cache.ts";

/** How long to wait. */
export interface InTimeOptions {
  readonly ms: number;
  /** Ends the turn: its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** What work for a memory comes to, or `memory.late`. The work itself goes on: what was read is there for the next turn. */
export async function inTime<Result>(
  { clock }: Pick<RuntimeContext, "clock">,
  { ms, signal }: InTimeOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const settled = new AbortController();
  clock.sleep(ms, settled.signal).then(
    () => late.abort(new ThroughlineError("memory.late", `What the memory needs did not come within ${ms} ms.`, { details: { ms } })),
    () => {},
  );
  try {
    return await abortable(work(), signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } finally {
    settled.abort();
  }
}

/** Whose memory is read, as of which version of the owner. */
interface MemoryOf {
  readonly owner_id: OwnerId;
  readonly version: number | undefined;
  readonly signal?: AbortSignal;
}

/** An owner's memory from the cache, by the agent's deadline. */
export const memoryInTime = (
  runtime: Pick<RuntimeContext, "clock" | "memory">,
  settings: MemorySettings,
  { owner_id, version, signal }: MemoryOf,
): Promise<CachedMemory> =>
  inTime(runtime, { ms: settings.readDeadlineMs, signal }, async () => (await runtime.memory.cache()).of(owner_id, settings, version));

/** A memory was not read: said in the log, by a code, without what the store said. */
export const logUnread = ({ logger }: Pick<RuntimeContext, "logger">, message: string, error: unknown): void =>
  logger.warn(message, { code: ThroughlineError.from(error).code });
