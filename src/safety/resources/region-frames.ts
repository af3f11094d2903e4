/** How people say where they are, from `region-frames.yaml`. Patterns for keys: folded words with single spaces, commas kept. */
import frames from "./region-frames.data.json" with { type: "json" };

/** How much a statement says of where somebody is now: that they are there; that they live there; that they come from there. */
export type Standing = 3 | 2 | 1;

interface Frame {
  readonly standing: Standing;
  /** Ends where the place begins. */
  readonly pattern: RegExp;
}

const standingOf = (standing: number): Standing => (standing === 3 ? 3 : standing === 2 ? 2 : 1);

/** Between words, with an article before the place. */
const spaced = (patterns: readonly string[]): string =>
  String.raw`(?<![\p{L}\p{M}])(?:${patterns.join("|").normalize("NFC")})(?: (?:the|el|la|los|las|le|les|der|den|dem|die|das|o|a|os|as))?(?![\p{L}\p{M}]) `;

/** Frames whose place follows. */
export const framesBefore: readonly Frame[] = frames.before.map(({ standing, glued, patterns }) => ({
  standing: standingOf(standing),
  pattern: new RegExp(glued === true ? `(?:${patterns.join("|")})` : spaced(patterns), "gu"),
}));

/** Frames whose place stands before: `मैं दिल्ली में रहता हूँ`. The person of the verb tells that it is the writer's own. */
export const framesAfter: readonly Frame[] = frames.after.map(({ standing, pattern }) => ({
  standing: standingOf(standing),
  pattern: new RegExp(pattern.normalize("NFC"), "gu"),
}));

/** Before a frame: what follows is no statement of the writer's own. */
export const notStated = new RegExp(frames.notStated, "u");

/** Between a frame and its place. */
export const approach = new RegExp(frames.approach, "u");

/** What follows a name that is no place then. */
export const noPlaceThen = new RegExp(frames.noPlaceThen, "u");

/** The writer would rather not say where they are. */
export const refusals = new RegExp(frames.refusals.join("|").normalize("NFC"), "u");

/** An answer to the question where somebody is that gives none. */
export const refusedWhenAsked = new RegExp(frames.refusedWhenAsked, "u");

/** What may stand around a bare answer. */
export const aroundAnswer = new RegExp(frames.aroundAnswer, "gu");
