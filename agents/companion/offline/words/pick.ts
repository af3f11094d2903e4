/** Variation without chance: the same conversation is answered with the same words, another one with others. */

/** FNV-1a over the characters of a text: spreads short texts well enough to choose among a handful. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

/** What a choice depends on. */
export interface Seed {
  /** What the choice is made by. */
  readonly text: string;
  /** What was said lately: a variant that stands in it is passed over while there is another. */
  readonly said: string;
}

/** Whether a variant was said: one with a blank is known by what stands before it, or after it. */
function wasSaid(variant: string, said: string): boolean {
  const parts = variant.split(/\{\w+\}/u).filter((part) => part.trim().length > 1);
  return parts.length > 0 && parts.every((part) => said.includes(part));
}

/** One of several ways to say the same. `purpose` keeps choices of one reply from moving together. */
export function pick(variants: readonly string[], { text, said }: Seed, purpose = ""): string {
  const fresh = variants.filter((variant) => !wasSaid(variant, said));
  const list = fresh.length > 0 ? fresh : variants;
  return list[hashOf(`${purpose}|${text}`) % Math.max(1, list.length)] ?? "";
}
