/** Where somebody has said they are, and what help there is: neither can fail a reply. */
import type { CrisisPlan } from "../plan.ts";
import { emptyLookup, lookupResources } from "../resources/lookup.ts";
import { findRegions, type StatedRegions } from "../resources/regions.ts";
import type { ResourceLookup } from "../resources/resource.ts";
import { asTheirOwn } from "../resources/their-place.ts";
import type { SafetySettings } from "../settings.ts";

/** The regions that a message names. */
export function statedIn(text: string, plan: CrisisPlan | undefined): StatedRegions {
  const asked = plan?.location_asked ?? false;
  try {
    // Whoever writes of somebody else and was asked where may say where that person is.
    return findRegions(asked && plan?.subject === "other" ? asTheirOwn(text) : text, { asked });
  } catch {
    return { regions: [], refused: false };
  }
}

/** The help that there is. A table that cannot be read leaves the directories. */
export function helpNear(
  { resources, profile }: SafetySettings,
  {
    regions,
    refused,
    language,
    ...needs
  }: Pick<Parameters<typeof lookupResources>[1], "regions" | "refused" | "now" | "riskTypes"> & {
    readonly language: string | undefined;
  },
): ResourceLookup {
  try {
    const spoken = language === undefined ? {} : { language };
    return lookupResources(resources, { ...needs, ...spoken, regions, refused: refused === true && regions.length === 0, profile });
  } catch {
    return emptyLookup(resources, "lookup_error");
  }
}
