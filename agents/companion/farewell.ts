/** What is said when a session ends: what it was about, how it went, what is left open. */
import type { EndedEpisode } from "throughline/memory";

/** What a session came to, for whoever ends it. */
export interface EndEnvelope extends Omit<EndedEpisode, "episode"> {
  /** What the person reads. */
  readonly farewell: string;
}

/** Loops and threads are often in the person's own words, so each stands in marks of its own. */
const listed = (items: readonly string[], between?: string): string => {
  const lines = items.map((item) => item.replaceAll(/\s+/gu, " ").trim()).filter((item) => item !== "");
  return between === undefined ? lines.map((line) => `“${line}”`).join(", ") : lines.join(between);
};

/** Words of goodbye, with themes, mood and open loops where there are any. */
export function farewellOf({ finalized, themes, mood_opened, mood_closed, open_loops, resolved_threads }: EndedEpisode): string {
  const about = listed(themes, ", ");
  const open = listed(open_loops);
  const done = listed(resolved_threads);
  const mood =
    mood_opened !== null && mood_closed !== null && mood_opened !== mood_closed
      ? `You came feeling ${mood_opened}, and leave feeling ${mood_closed}.`
      : "";
  return [
    about === "" ? "Thank you for talking with me." : `Thank you for talking with me. We spoke about: ${about}.`,
    mood,
    done === "" ? "" : `Settled for now: ${done}.`,
    open === "" ? "" : `Still open, for another time: ${open}.`,
    finalized ? "I will remember the gist of it; you can ask me what, and have it forgotten, whenever you like." : "",
    "Take care of yourself.",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

/** The envelope of an end. */
export const endEnvelope = (ended: EndedEpisode): EndEnvelope => {
  const { finalized, summary, detail, themes, mood_opened, mood_closed, turn_count, open_loops, resolved_threads } = ended;
  return { finalized, summary, detail, themes, mood_opened, mood_closed, turn_count, open_loops, resolved_threads, farewell: farewellOf(ended) };
};
