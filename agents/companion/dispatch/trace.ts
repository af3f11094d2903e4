/** How a turn was routed, one record for each decision, in its diagnostics. */
import type { CompanionState } from "../state.ts";

/** A decision. No word of a person is in it. */
export interface RoutingRecord {
  readonly stage: string;
  readonly decision: string;
  readonly source: "gate" | "rules" | "model" | "fallback";
  readonly reason: string;
  readonly confidence: "low" | "medium" | "high";
}

/** The trace with one more record, as an update of `diagnostics`. */
export function traced({ diagnostics }: Pick<CompanionState, "diagnostics">, record: RoutingRecord): { readonly routing_trace: readonly object[] } {
  const { routing_trace } = diagnostics;
  return { routing_trace: [...(Array.isArray(routing_trace) ? (routing_trace as readonly object[]) : []), { ...record }] };
}

/** Why a model could not be asked: a code, never what it said. */
export const causeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : error instanceof Error && error.name === "TimeoutError"
      ? "timeout"
      : "failed";
