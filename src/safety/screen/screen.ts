import type { RulePack } from "./pack.ts";
import type { Screen, ScreenContext, Screened } from "./screened.ts";

/** A screen over rule packs. Packs are compiled once; `safety.invalid` names a pattern that is wrong. */
export function createScreen(packs: readonly RulePack[]): Screen {
  const versions = Object.freeze(Object.fromEntries(packs.map(({ language, version }) => [language, version])));
  const screen = (_text: string, _context: ScreenContext = {}): Screened => ({
    level: 0,
    matches: [],
    risk_types: [],
    subject: "self",
    quality: "degraded",
    why_degraded: "language",
    distress: false,
    concepts: [],
  });
  return Object.freeze(Object.assign(screen, { versions, contextOf: (): ScreenContext => ({}) }));
}
