/** Reads and writes the gate's part of the state: its fields, the crisis plan, and figures for `diagnostics`. */
import type { ExtensionTurn } from "../../extension/port.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { EventOf } from "../../session/event.ts";
import { decodeEvent, foldState } from "../../session/fold.ts";
import { newEvent } from "../../session/new-event.ts";
import type { StateDefinition } from "../../state/define.ts";
import type { LoadedSession } from "../../store/port.ts";
import { type Assessment } from "../assessment.ts";
import { type CrisisPlan, type PlanStep, withdrawnPlan } from "../crisis-plan.ts";
import { foundResources } from "../resources/resource-lookup.ts";
import type { ResourceLookup } from "../resources/resource-table.ts";
import { failedPaths, type SafetySettings } from "../safety-settings.ts";

/** Result of a turn's gate. */
export interface Gated {
  readonly assessment: Assessment;
  /** The crisis plan after this turn; undefined if there was no crisis. */
  readonly plan: CrisisPlan | undefined;
  /** The content of the reply. */
  readonly step: PlanStep;
  readonly lookup: ResourceLookup;
  readonly ms: { readonly gate: number; readonly screen: number; readonly llm?: number };
}

/** State field of the crisis plan. */
export const planField = "safety_plan";

/** Returns the crisis plan of a session's state. Only the gate writes it. */
export function planIn(loaded: LoadedSession): CrisisPlan | undefined {
  const { [planField]: plan } = foldState(loaded).document as { readonly [planField]?: CrisisPlan };
  return plan;
}

/** Returns the state after messages are withdrawn: the one before them, but with the danger that they showed. */
export function withdrawnState(before: JsonObject, now: JsonObject): JsonObject {
  const plans = [before, now].map(({ [planField]: plan }) => plan as unknown as CrisisPlan | undefined);
  const plan = withdrawnPlan(plans[0], plans[1]);
  // Codes, flags and times are plain JSON by their type.
  return plan === undefined ? before : { ...before, [planField]: plan as unknown as JsonObject };
}

/** Name of the gate in a turn's journal and timings. */
export const gateStage = "safety";

const diagnosticsField = "diagnostics";

/** Turn fields and their values. A state declares those that it needs; only the plan is required. */
const turnFields = {
  crisis: ({ assessment: { level, confidence, reason_code, needs_crisis_response, needs_clarification } }: Gated): unknown => ({
    ...{ level, confidence, reason: reason_code },
    ...{ needs_crisis_response, needs_clarification },
  }),
  crisis_audit: ({ assessment: { override, path } }: Gated): unknown => ({
    crisis_override_kind: override,
    crisis_classifier_path: path,
    crisis_llm_failure_occurred: failedPaths.has(path),
  }),
  inferred_location: ({ lookup }: Gated): unknown => lookup.location,
  found_resources: ({ lookup }: Gated): unknown => foundResources(lookup),
  resource_lookup_status: ({ lookup }: Gated): unknown => lookup.status,
} as const;

/** Returns the gate's changes of a turn: the declared fields, the reply style, the crisis plan and figures. */
function gateDelta(turn: ExtensionTurn, styles: SafetySettings["styles"], gated: Gated): JsonObject {
  const { fields } = turn.agent.state;
  const { assessment, plan, ms } = gated;
  const declared = Object.entries(turnFields).filter(([name]) => livesForTurn(fields, name));
  const { style } = turn.agent.prompt;
  const wanted = styles === undefined || assessment.level === 0 ? undefined : assessment.level === 1 ? styles.clarify : styles.crisis;
  return structuredClone({
    ...Object.fromEntries(declared.map(([name, value]) => [name, value(gated)])),
    ...(style === undefined || wanted === undefined ? {} : { [style]: wanted }),
    ...planDelta(plan),
    ...(livesForTurn(fields, diagnosticsField)
      ? {
          [diagnosticsField]: {
            crisis_gate_ms: Math.round(ms.gate * 100) / 100,
            crisis_classifier_path: assessment.path,
            crisis_level: assessment.level,
          },
        }
      : {}),
  }) as JsonObject;
}

const livesForTurn = (fields: StateDefinition["fields"], name: string): boolean => Object.hasOwn(fields, name) && fields[name]?.lifecycle === "turn";

/** Returns the state change for a plan; empty if there is none. */
export const planDelta = (plan: CrisisPlan | undefined): JsonObject =>
  plan === undefined ? {} : { [planField]: structuredClone(plan) as unknown as JsonObject };

/** Writes the gate's result to the turn: its journal entry and its fields. */
export function writeGate(turn: ExtensionTurn, { styles }: SafetySettings, gated: Gated): void {
  const delta = gateDelta(turn, styles, gated);
  const { assessment, ms } = gated;
  turn.timings[gateStage] = ms.gate;
  turn.journal.apply({ type: "stage", name: gateStage }, delta, {
    writes: Object.keys(delta),
    // Levels and codes are plain JSON by their type.
    stage: { name: gateStage, ms: ms.gate, control: {}, assessment: assessment as unknown as JsonObject },
  });
}

/** Records in the log that the turn was assessed. The assessment itself is a separate record. */
export const noteAssessed = ({ journal, claim }: ExtensionTurn, { audit_id, level }: { readonly audit_id: string; readonly level: number }): void =>
  journal.add(newEvent("assessment", "system", { audit_id, level }, { turn: claim.turn.number }));

/** Returns the finding of an earlier attempt of the turn. */
export function recordedGate({ loaded }: ExtensionTurn): Assessment | undefined {
  const entry = loaded.journal
    .map((stored) => decodeEvent(stored))
    .find((event): event is EventOf<"turn"> => event.kind === "turn" && event.data.type === "stage" && event.data.assessment !== undefined);
  return entry?.data.type === "stage" ? (entry.data.assessment as unknown as Assessment | undefined) : undefined;
}
