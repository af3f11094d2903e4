import type { Tracer } from "../kernel/trace.ts";

/** How often a turn came to its end here, and how often it was left for another process. */
export interface TurnCount {
  ended: number;
  left: number;
}

/** Counts turns. What a turn ends as is in its log. */
export const counting = (count: TurnCount): Tracer => ({
  async span(name, _attributes, work) {
    if (name !== "turn") return work();
    try {
      const result = await work();
      count.ended += 1;
      return result;
    } catch (error) {
      count.left += 1;
      throw error;
    }
  },
});

/** What is said of them at the end. */
export const told = ({ ended, left }: TurnCount, signal: string): string =>
  `Ended on ${signal}: ${ended} turns ended here, ${left} were left for another process.`;
