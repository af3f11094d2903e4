import type { ExtensionTurn } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SafetySettings } from "../settings.ts";
import type { Gated } from "./gated.ts";

/** Milliseconds that a reply waits for a sink to say that it has taken an alert. */
const mostWait = 500;

/** Tells the sink, if there is one and it is grave enough. A sink that fails or takes its time holds no reply up, and nothing is claimed of it. */
export async function escalate(
  turn: ExtensionTurn,
  { gated, safety }: { readonly gated: Gated; readonly safety: SafetySettings },
): Promise<"queued" | "failed" | "none"> {
  const { sink, sinkFrom } = safety;
  const { level, risk_types, subject } = gated.assessment;
  if (sink === undefined || level < sinkFrom) return "none";
  const { claim, runtime, signal, began_at } = turn;
  const late = new AbortController();
  const limit = AbortSignal.any([signal, late.signal]);
  const event = { key: claim.turn.turn_id, level, risk_types, subject, at: began_at, session_id: claim.session_id };
  const waited = runtime.clock.sleep(mostWait, limit).then(
    () => "failed" as const,
    () => "failed" as const,
  );
  try {
    return await Promise.race([sink.notify(event, { signal: limit }), waited]);
  } catch (error) {
    signal.throwIfAborted();
    runtime.logger.error("nobody was told of a person in danger", { turn_id: claim.turn.turn_id, code: ThroughlineError.from(error).code });
    return "failed";
  } finally {
    late.abort();
  }
}
