/** The screen that ships, as something that gives messages their level. */
import { packs } from "../../packages/companion/src/companion-gate.ts";
import type { Screened } from "../../packages/throughline/src/safety/screen/screened.ts";
import { createScreen } from "../../packages/throughline/src/safety/screen/screen.ts";
import type { Labelled } from "./labelled.ts";

const screen = createScreen(packs);

/** All that the companion's screen finds in a message, without a model, knowing what was said before. */
export const screened = ({ text, before }: Labelled): Screened => screen(text, screen.contextOf(before));

/** By language, the version of the rules that were measured. */
export const versions = screen.versions;
