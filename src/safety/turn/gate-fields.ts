/** What a gate writes to the state, and reads from it: its fields, the plan of a crisis, and numbers for `diagnostics`. */
import type { ExtensionTurn } from "../../extension/port.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { EventOf } from "../../session/event.ts";
import { foldState } from "../../session/fold.ts";
import { newEvent } from "../../session/new-event.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { StateDefinition } from "../../state/define.ts";
import type { LoadedSession } from "../../store/port.ts";
import { failedPaths } from "../assessment-totals.ts";
import type { Assessment } from "../assessment.ts";
import type { CrisisPlan, PlanStep } from "../crisis-plan.ts";
import { withdrawnPlan } from "../crisis/plan-changes.ts";
import { foundResources } from "../resources/render-resources.ts";
import type { ResourceLookup } from "../resources/resource-table.ts";
import type { SafetySettings } from "../safety-settings.ts";

/** What a turn's gate has come to. */
export interface Gated {
  readonly assessment: Assessment;
  /** Where the crisis stands with this turn; undefined as long as there was none. */
  readonly plan: CrisisPlan | undefined;
  /** What the reply does. */
  readonly step: PlanStep;
  readonly lookup: ResourceLookup;
  readonly ms: { readonly gate: number; readonly screen: number; readonly llm?: number };
}

/** The field of the state that a crisis is kept in. */
export const planField = "safety_plan";

/** The crisis that a session is in, as its state says; the gate alone writes it. */
export function planIn(loaded: LoadedSession): CrisisPlan | undefined {
  const { [planField]: plan } = foldState(loaded).document as { readonly [planField]?: CrisisPlan };
  return plan;
}

/** The state that is left when messages are taken back: as it was before them, but for the danger that they have shown. */
export function withdrawnState(before: JsonObject, now: JsonObject): JsonObject {
  const plans = [before, now].map(({ [planField]: plan }) => plan as unknown as CrisisPlan | undefined);
  const plan = withdrawnPlan(plans[0], plans[1]);
  // Codes, flags and times: plain data by its type.
  return plan === undefined ? before : { ...before, [planField]: plan as unknown as JsonObject };
}

/** The name that the gate has in a turn's journal and its timings. */
export const gateStage = "safety";

const diagnosticsField = "diagnostics";

/** Fields that last for a turn, and what each is given. A state declares those that it wants; it has to declare the plan. */
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

/** What a gate changes of a turn: the fields that the state declares, the style of its reply, the crisis, numbers. */
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

/** The crisis as the state is given it; nothing as long as there was none. */
export const planDelta = (plan: CrisisPlan | undefined): JsonObject =>
  plan === undefined ? {} : { [planField]: structuredClone(plan) as unknown as JsonObject };

/** Writes what a gate has found to the turn: its journal entry, the fields, and that it was assessed. */
export function writeGate(turn: ExtensionTurn, { styles }: SafetySettings, gated: Gated): void {
  const delta = gateDelta(turn, styles, gated);
  const { assessment, ms } = gated;
  turn.timings[gateStage] = ms.gate;
  turn.journal.apply({ type: "stage", name: gateStage }, delta, {
    writes: Object.keys(delta),
    // Levels and codes: plain data by its type.
    stage: { name: gateStage, ms: ms.gate, control: {}, assessment: assessment as unknown as JsonObject },
  });
}

/** Notes in the log that the turn was assessed; the assessment itself lies beside it. */
export const noteAssessed = ({ journal, claim }: ExtensionTurn, { audit_id, level }: { readonly audit_id: string; readonly level: number }): void =>
  journal.add(newEvent("assessment", "system", { audit_id, level }, { turn: claim.turn.number }));

/** What an earlier attempt of the turn has found. */
export function recordedGate({ loaded }: ExtensionTurn): Assessment | undefined {
  const entry = loaded.journal
    .map((stored) => decodeEvent(stored))
    .find((event): event is EventOf<"turn"> => event.kind === "turn" && event.data.type === "stage" && event.data.assessment !== undefined);
  return entry?.data.type === "stage" ? (entry.data.assessment as unknown as Assessment | undefined) : undefined;
}
