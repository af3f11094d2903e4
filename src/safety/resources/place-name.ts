/** Names of countries in the languages of replies, from the data of Unicode (CLDR) that the platform carries. */

const displays = new Map<string, Intl.DisplayNames>();

/** A country as a person reads it; its code where the language has no name for it. */
export function placeName(region: string, language: string): string {
  try {
    const known = displays.get(language);
    const display = known ?? new Intl.DisplayNames([language, "en"], { type: "region", fallback: "code" });
    if (known === undefined) displays.set(language, display);
    return display.of(region) ?? region;
  } catch {
    return region;
  }
}
