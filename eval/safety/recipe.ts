/** How the learned weights come about: what they are fitted on, how they are tried on messages that they were not fitted on, and from which scores they raise. */
import { createHash } from "node:crypto";
import { packs } from "../../packages/companion/src/companion-gate.ts";
import { createScreen, type LearnedRaises, type LearnedWeights, type SafetyLevel } from "../../packages/throughline/src/safety.ts";
import { readLearned, type Score } from "../../packages/throughline/src/safety/screen/learned.ts";
import { fit, sampleOf } from "./fit.ts";
import type { Labelled } from "./labelled.ts";

/** Parts of a cross-validation. */
const parts = 5;
/** How much an everyday message counts against another: most of what people write is everyday talk, and few of these messages are. */
const everydayWeight = 6;

/** A message in its part of the cross-validation. */
export interface Placed {
  readonly message: Labelled;
  readonly part: number;
}

/** The kind of a message, as its id says: `fit`, `varied`, `plain` or `everyday`. */
export const kindOf = ({ id }: Labelled): string => id.slice(0, id.indexOf("-"));

/**
 * Places messages. Scenes recur across languages in the same order, so that neighbors of a file go to the same part, and so do the same fifths of all files.
 * Everyday messages name their scene.
 */
export function placed(messages: readonly Labelled[]): readonly Placed[] {
  const files = Map.groupBy(messages, (message) => `${kindOf(message)} ${message.language}`);
  return [...files.values()].flatMap((some) =>
    some.map((message, place) => {
      const { scene } = message;
      const part = scene === undefined ? Math.floor((parts * place) / some.length) : (createHash("sha256").update(scene).digest()[1] ?? 0) % parts;
      return { message, part };
    }),
  );
}

const fitOn = (some: readonly Placed[], version: string): LearnedWeights =>
  fit(
    some.map(({ message }) => sampleOf(message.text, message.level, kindOf(message) === "everyday" ? everydayWeight : 1)),
    version,
  );

/** A message with its scores by weights that were fitted without it. */
interface Scored extends Placed {
  readonly score: Score;
}

/** Shares of the harmless messages outside the fit that score above what raises to 1, to 2, and to 2 where rules suspect something. */
const shares = { unclear: 0.036, grave: 0.016, suspected: 0.06 };

/** Returns by language the scores that so many of the harmless messages exceed: halfway between its own and that of all, because each has few. */
function raisesOf(scored: readonly Scored[]): Readonly<Record<string, LearnedRaises>> {
  const harmless = scored.filter(({ message }) => message.level === 0);
  const exceeded = (some: readonly Scored[], kind: keyof Score, share: number): number =>
    some.map(({ score }) => score[kind]).toSorted((one, other) => other - one)[Math.floor(share * some.length)] ?? Infinity;
  const languages = Map.groupBy(harmless, ({ message }) => message.language);
  return Object.fromEntries(
    [...languages].map(([language, own]) => {
      const between = (kind: keyof Score, share: number): number =>
        Math.round(50 * (exceeded(own, kind, share) + exceeded(harmless, kind, share))) / 100;
      return [language, [between("unclear", shares.unclear), between("grave", shares.grave), between("grave", shares.suspected)] as const];
    }),
  );
}

/** A message, and the level that a screen gives it. */
export interface Read {
  readonly message: Labelled;
  readonly got: SafetyLevel;
}

/** The result of a cross-validation: the levels of messages by weights that were fitted without them, and the scores from which weights raise. */
export interface Crossed {
  readonly read: readonly Read[];
  readonly raises: Readonly<Record<string, LearnedRaises>>;
}

/** Fits on all parts but one, and reads that one, and as the last part what is in none. `share`: the share of the messages that are fitted on. */
export function cross(some: readonly Placed[], others: readonly Labelled[], share = 1): Crossed {
  const neighbors = 16;
  const used = some.filter((_, place) => (Math.floor(place / neighbors) % 4) / 4 < share);
  const fits = Array.from({ length: parts }, (_, part) =>
    fitOn(
      used.filter((one) => one.part !== part),
      "check",
    ),
  );
  const scoreOf = (text: string, weights: LearnedWeights): Score => {
    const { unclear, grave } = readLearned([{ text, offset: 0 }], weights);
    return { unclear, grave };
  };
  const raises = raisesOf(
    some.flatMap((one) => {
      const weights = fits[one.part];
      return weights === undefined ? [] : [{ ...one, score: scoreOf(one.message.text, weights) }];
    }),
  );
  const read = fits.flatMap((weights, part) => {
    const screen = createScreen(packs.map((pack) => ({ ...pack, weights: { ...weights, raises } })));
    const messages = [...some.filter((one) => one.part === part).map(({ message }) => message), ...(part === parts - 1 ? others : [])];
    return messages.map((message) => ({ message, got: screen(message.text, screen.contextOf(message.before)).level }));
  });
  return { read, raises };
}

/** Fits on everything. */
export const fitAll = (some: readonly Placed[], raises: Crossed["raises"], version: string): LearnedWeights => ({ ...fitOn(some, version), raises });
