/** How long a crisis stays one. */
import type { SafetyLevel } from "../assessment.ts";
import type { CrisisPlan } from "../plan.ts";
import type { ScreenContext } from "../screen/screened.ts";

/** After a level of 2 or more, no turn is below 1 for this many turns or this long, whichever lasts longer. */
export const stickyTurns = 6;
/** In milliseconds. */
export const stickyMs = 24 * 60 * 60 * 1000;
/** Turns without anything after which an unclear moment, which was no crisis, is over. */
const calmTurns = 6;

/** Whether the floor after a level of 2 or more holds for the turn that comes next. A clock that was set back keeps it. */
export function isSticky(plan: CrisisPlan | undefined, now: number): boolean {
  const { last_high_at, turns_since_high = 0 } = plan ?? {};
  return last_high_at !== undefined && (turns_since_high < stickyTurns || now - last_high_at < stickyMs);
}

/** Whether what the plan tells of is over: what comes next begins anew. */
export function isOver(plan: CrisisPlan, now: number): boolean {
  if (plan.last_high_at !== undefined) return !isSticky(plan, now);
  return plan.highest === 0 || plan.calm_turns >= calmTurns;
}

/** The highest level of the last ten turns. */
export function windowMax(plan: CrisisPlan | undefined): SafetyLevel {
  return (plan?.window ?? []).reduce<SafetyLevel>((highest, { level }) => (level > highest ? level : highest), 0);
}

const screened = ["suicide", "plan", "means", "time", "someone", "willing"] as const;

/** What the screen needs to know of the turns before. */
export function contextFrom(plan: CrisisPlan | undefined): ScreenContext {
  if (plan === undefined) return {};
  const asked = screened.find((question) => question === plan.last_asked);
  return {
    ...(asked === undefined ? {} : { asked }),
    ...(plan.language === undefined ? {} : { language: plan.language }),
    highest: windowMax(plan),
    // In a crisis, unclear answers are followed up anyway; they do not add up to a second one.
    unclear: plan.highest >= 2 ? 0 : plan.window.filter(({ level }) => level === 1).length,
  };
}
