/** What of a crisis stays when a person takes back what they have said. */
import type { CrisisPlan } from "../plan.ts";

/**
 * The plan after messages were taken back, of how it stood `before` them and stands `now`. What was asked, answered and given in them is so no more; that there was danger
 * has been seen, and holds as long as it would have: taking it back is no sign that it is over.
 */
export function withdrawnPlan(before: CrisisPlan | undefined, now: CrisisPlan | undefined): CrisisPlan | undefined {
  if (now?.last_high_at === undefined || now.last_high_at === before?.last_high_at) return before;
  const { last_asked: _asked, heard: _heard, ...danger } = now;
  const { last_asked } = before ?? {};
  return Object.freeze({
    ...danger,
    answers: before?.answers ?? {},
    asked: before?.asked ?? [],
    location_asked: before?.location_asked ?? false,
    location_refused: before?.location_refused ?? false,
    regions: before?.regions ?? [],
    given: before?.given ?? [],
    emergency_given: before?.emergency_given ?? false,
    human_care_given: before?.human_care_given ?? false,
    coping_given: before?.coping_given ?? false,
    ai_limits_given: before?.ai_limits_given ?? false,
    replies: before?.replies ?? 0,
    ...(last_asked === undefined ? {} : { last_asked }),
  });
}
