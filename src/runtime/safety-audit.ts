/** What gates have found, for those who answer for it: its code is loaded when it is first asked for something. */
import type { BackgroundWorker } from "../extension/port.ts";
import type { RuntimeContext } from "./context.ts";
import type { SafetyAudit } from "../safety/audit/audit.ts";

/** The audit of a runtime; its keeper, if it has one, does first what there is to do. */
export function lazySafety(runtime: RuntimeContext, keeper: BackgroundWorker | undefined): SafetyAudit {
  const refresh = async (): Promise<void> => {
    if (keeper === undefined) await import("../safety/audit/days.ts").then(({ updateDays }) => updateDays(runtime));
    else await keeper.look();
  };
  let opened: Promise<SafetyAudit> | undefined;
  const open = (): Promise<SafetyAudit> => (opened ??= import("../safety/audit/audit.ts").then(({ createAudit }) => createAudit(runtime, refresh)));
  return Object.freeze({
    report: async (...given: Parameters<SafetyAudit["report"]>) => (await open()).report(...given),
    assessments: async (...given: Parameters<SafetyAudit["assessments"]>) => (await open()).assessments(...given),
    sample: async (...given: Parameters<SafetyAudit["sample"]>) => (await open()).sample(...given),
    hold: async (...given: Parameters<SafetyAudit["hold"]>) => (await open()).hold(...given),
    review: async (...given: Parameters<SafetyAudit["review"]>) => (await open()).review(...given),
    escalations: async (...given: Parameters<SafetyAudit["escalations"]>) => (await open()).escalations(...given),
    settle: async (...given: Parameters<SafetyAudit["settle"]>) => (await open()).settle(...given),
  });
}
