/** The safety gate as an extension: its points of the extension port. */
import { defineExtension, type Extension, type ExtensionTurn } from "../extension/port.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import { safetyApi, type SafetyApi, workedBy } from "./audit/api.ts";
import { SafetyKeeper } from "./audit/safety-keeper.ts";
import { sharedOf } from "./audit/gate-shared.ts";
import type { CrisisPlan } from "./crisis-plan.ts";
import { guard } from "./guard/guard.ts";
import { findRegions } from "./resources/regions.ts";
import { type SafetyOptions, type SafetySettings, settingsFrom } from "./safety-settings.ts";
import { acceptScreened } from "./turn/accept-screened.ts";
import { answerSafely } from "./turn/answer-safely.ts";
import { gateStage, planField, withdrawnState } from "./turn/gate-fields.ts";
import { replyWithoutStore, unbegunSafely } from "./turn/without-store.ts";

/**
 * Creates the gate that every message passes before anything else runs: a screen without a model, an optional classifier, and a guaranteed reply.
 * Throws `safety.invalid` for an invalid option.
 * @example defineAgent({ name: "friend", safety: safety({ packs, phrases, resources }), … })
 */
export function safety(options: SafetyOptions): SafetySettings {
  return Object.freeze({
    ...settingsFrom(options),
    extension(this: SafetySettings): Extension<SafetyApi> {
      return gateExtension(this);
    },
  });
}

/** Creates the gate extension of these settings. As a guard, it runs before all other extensions and has the final decision on the reply. */
const gateExtension = (settings: SafetySettings): Extension<SafetyApi> =>
  defineExtension({
    name: "safety",
    guards: true,
    settings,
    check: ({ name, state, stages }) => {
      if (settings.type !== "safety")
        throw new ThroughlineError("agent.invalid", `Agent "${name}" has a gate that safety() has not made: ${seen(settings)}.`);
      if (stages.includes(gateStage))
        throw new ThroughlineError("agent.invalid", `Agent "${name}" has a gate, so no stage of it can be called "${gateStage}".`);
      if (state.fields[planField]?.lifecycle !== "reduced")
        throw new ThroughlineError(
          "agent.invalid",
          `Agent "${name}" has a gate, so its state needs the fields of safetyFields(): "${planField}" is missing.`,
        );
    },
    accept: (heard) => acceptScreened(settings, heard),
    withoutStore: (unstored) => replyWithoutStore(settings, unstored),
    answer: (turn, step) => answerSafely(turn, { safety: settings, draft: step.draft, ordinary: step.next }),
    insteadOfApology: (given) => unbegunSafely(settings, given),
    finished: knowPlan,
    withdrawn: ({ before, now }) => withdrawnState(before, now),
    erased: (context, owner_id) => void sharedOf(context).secrets.delete(owner_id),
    prepare: (context) => {
      try {
        // Reads a text as a turn would, because patterns are compiled and tables built on first use.
        findRegions("I live in Canada");
        guard("Are you safe?", { level: 1 });
      } catch (error) {
        context.logger.error("the gate could not be made ready", { code: ThroughlineError.from(error).code });
      }
    },
    background: (context, options) => workedBy(context, new SafetyKeeper(context, options)),
    api: safetyApi,
  });

/** Remembers a session's crisis plan once its turn is committed, for use while the store cannot be read. */
function knowPlan({ journal, claim, loaded, runtime }: Pick<ExtensionTurn, "journal" | "claim" | "loaded" | "runtime">): void {
  const { [planField]: plan } = journal.state as { readonly [planField]?: CrisisPlan };
  if (plan !== undefined) sharedOf(runtime).plans.set(claim.session_id, { plan, saved: true, customer: loaded.session.customer_id });
}
