/** How sure a share is, and whether one has become worse by more than chance. */

/** The normal quantiles of 95 %. */
const [twoSided, oneSided] = [1.959964, 1.644854];

/** The bounds of a share with 95 % confidence, from 0 to 1 (Wilson 1927): they hold for few and for extreme counts, where the usual ones do not. */
export const wilson = (hits: number, of: number): readonly [low: number, high: number] => boundsOf(hits, of, twoSided);

/** What a share is at least, or at most, with 95 % confidence: the one-sided bound of Wilson. */
export const bound = (hits: number, of: number, side: "low" | "high"): number => boundsOf(hits, of, oneSided)[side === "low" ? 0 : 1];

function boundsOf(hits: number, of: number, z: number): readonly [low: number, high: number] {
  if (of === 0) return [0, 1];
  const share = hits / of;
  const scale = 1 + z ** 2 / of;
  const middle = (share + z ** 2 / (2 * of)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/**
 * How likely it is by chance alone that at least `worse` of the `worse + better` messages whose answer changed became worse:
 * the exact test of McNemar (1947), one-sided. 1 where nothing changed.
 */
export function mcnemar(worse: number, better: number): number {
  const changed = worse + better;
  let term = 0.5 ** changed;
  let atLeast = 0;
  for (let count = 0; count <= changed; count++) {
    if (count >= worse) atLeast += term;
    term = (term * (changed - count)) / (count + 1);
  }
  return Math.min(1, atLeast);
}
