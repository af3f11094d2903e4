/** A clock that begins at the same moment in every run. Processes that share its shift agree on the time. */
import { type Clock, systemClock } from "throughline";

/** The moment when the pictures begin: a Monday morning. */
export const firstMoment = Date.UTC(2026, 10, 2, 9, 0);

/** Creates a clock that is `shift` milliseconds ahead of the system's. */
export const shiftedClock = (shift: () => number): Clock => ({ ...systemClock, now: () => Date.now() + shift() });
