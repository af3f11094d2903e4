/** Returns the candidate closest to a name, for "did you mean" hints; undefined if none is close enough. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const limit = Math.min(name.length - 1, Math.max(2, Math.floor(name.length / 3)));
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), limit);
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Computes the Levenshtein distance. A length difference above `limit` returns `limit + 1` without computing it. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i++) {
    const current = [i + 1];
    for (let j = 0; j < right.length; j++) {
      const substituted = (previous[j] ?? 0) + (left[i] === right[j] ? 0 : 1);
      current.push(Math.min(substituted, (previous[j + 1] ?? 0) + 1, (current[j] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
