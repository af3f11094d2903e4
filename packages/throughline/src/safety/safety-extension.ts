/** The safety gate as an extension: its points of the extension port. */
import { defineExtension, type Extension, type ExtensionTurn } from "../extension/port.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import { safetyApi, type SafetyApi, workedBy } from "./audit/api.ts";
import { SafetyWorker } from "./audit/safety-worker.ts";
import { sharedOf } from "./audit/gate-shared.ts";
import type { CrisisPlan } from "./crisis-plan.ts";
import { guard } from "./guard/guard.ts";
import { findRegions } from "./resources/regions.ts";
import type { SafetyOptions, SafetySettings } from "./safety-settings.ts";
import { createScreen } from "./screen/screen.ts";
import { acceptScreened } from "./turn/accept-screened.ts";
import { answerSafely } from "./turn/answer-safely.ts";
import { followUpBeside } from "./turn/follow-up.ts";
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
    finish: (turn, ending) => Promise.resolve(followUpBeside(turn, ending)),
    finished: knowPlan,
    withdrawn: ({ before, now }) => withdrawnState(before, now),
    erased: (context, owner_id) => void sharedOf(context).secrets.delete(owner_id),
    prepare: (context) => {
      try {
        // Reads a text as a turn would, because patterns are compiled and tables built on first use.
        findRegions("I live in Canada");
        guard("Are you safe?", { level: 1 });
      } catch (error) {
        context.logger.error("the gate could not be made ready", { code: ThroughlineError.from(error).code }, error);
      }
    },
    background: (context, options) => workedBy(context, new SafetyWorker(context, options)),
    api: safetyApi,
  });

/** Remembers a session's crisis plan once its turn is committed, for use while the store cannot be read. */
function knowPlan({ journal, claim, loaded, runtime }: Pick<ExtensionTurn, "journal" | "claim" | "loaded" | "runtime">): void {
  const { [planField]: plan } = journal.state as { readonly [planField]?: CrisisPlan };
  if (plan !== undefined) sharedOf(runtime).plans.set(claim.session_id, { plan, saved: true, customer: loaded.session.customer_id });
}

const optionNames = [
  ...["packs", "phrases", "resources", "classifier", "hedge", "softMs", "hardMs", "replyMs", "replyBy", "sink", "sinkFrom", "profile", "styles"],
  ...["retentionDays", "disclosureMs", "sinkDeadlineMs", "servicesAskedFor", "isRequest", "isLeaving", "languageOf"],
];

const wrong = (message: string): ThroughlineError => new ThroughlineError("safety.invalid", message);

function number(name: string, value: unknown, { from, to }: { readonly from: number; readonly to: number }): number {
  if (Number.isInteger(value) && Number(value) >= from && Number(value) <= to) return Number(value);
  throw wrong(`safety's ${name} is a whole number from ${from} to ${to.toLocaleString("en")}, got ${seen(value)}.`);
}

function list<Item>(name: string, value: readonly Item[]): readonly Item[] {
  const given: unknown = value;
  if (Array.isArray(given) && given.length > 0) return Object.freeze([...value]);
  throw wrong(`safety needs ${name}: a list with at least one, got ${seen(value)}.`);
}

const hourMs = 60 * 60 * 1000;

/** Validates the options of a gate and fills in the defaults. Throws `safety.invalid` for an invalid option. */
function settingsFrom(options: SafetyOptions): Omit<SafetySettings, "extension"> {
  if (!isPlainObject(options)) throw wrong(`safety takes one object of options, got ${seen(options)}.`);
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw wrong(`safety has no option "${unknown}"; it has ${optionNames.join(", ")}.`);
  const { packs, phrases, resources, classifier, hedge, sink, sinkDeadlineMs, styles } = options;
  const { softMs = 1_500, hardMs = 3_000, replyMs = 12_000, retentionDays = 90, replyBy = "model", sinkFrom = 3, profile = "adult" } = options;
  const { disclosureMs = profile === "minor" ? hourMs : 3 * hourMs } = options;
  if (profile !== "adult" && profile !== "minor") throw wrong(`safety's profile is "adult" or "minor", got ${seen(profile)}.`);
  if (replyBy !== "model" && replyBy !== "static") throw wrong(`safety's replyBy is "model" or "static", got ${seen(replyBy)}.`);
  const { servicesAskedFor = () => undefined } = options;
  if (typeof servicesAskedFor !== "function") throw wrong(`safety's servicesAskedFor is a function of a text, got ${seen(servicesAskedFor)}.`);
  const { isRequest = () => false } = options;
  if (typeof isRequest !== "function") throw wrong(`safety's isRequest is a function of a text, got ${seen(isRequest)}.`);
  const { isLeaving = () => false } = options;
  if (typeof isLeaving !== "function") throw wrong(`safety's isLeaving is a function of a text and a state, got ${seen(isLeaving)}.`);
  const { languageOf = () => undefined } = options;
  if (typeof languageOf !== "function") throw wrong(`safety's languageOf is a function of texts, got ${seen(languageOf)}.`);
  if (sinkFrom !== 2 && sinkFrom !== 3) throw wrong(`safety's sinkFrom is 2 or 3, got ${seen(sinkFrom)}.`);
  if (!isPlainObject(resources) || !Array.isArray(resources.services)) throw wrong(`safety needs a table of resources, got ${seen(resources)}.`);
  const checkedPacks = list("packs", packs);
  const soft = number("softMs", softMs, { from: 50, to: 10_000 });
  const hard = number("hardMs", hardMs, { from: 100, to: 30_000 });
  if (soft > hard) throw wrong(`safety's softMs (${soft}) must not be above hardMs (${hard}).`);
  return {
    type: "safety",
    packs: checkedPacks,
    phrases: list("phrases", phrases),
    resources,
    classifier,
    hedge,
    softMs: soft,
    hardMs: hard,
    replyMs: number("replyMs", replyMs, { from: 1_000, to: 60_000 }),
    replyBy,
    sink,
    sinkFrom,
    sinkDeadlineMs: sinkDeadlineMs === undefined ? undefined : number("sinkDeadlineMs", sinkDeadlineMs, { from: 1_000, to: 168 * hourMs }),
    profile,
    servicesAskedFor,
    isRequest,
    isLeaving,
    languageOf,
    styles,
    retentionDays: number("retentionDays", retentionDays, { from: 1, to: 3_650 }),
    disclosureMs: number("disclosureMs", disclosureMs, { from: 60_000, to: 24 * hourMs }),
    screen: createScreen(checkedPacks),
  };
}
