import { access } from "./access.ts";
import { delivery, listing } from "./reading.ts";
import { manual, takingBack } from "./manual.ts";
import { posting } from "./posting.ts";
import { sameJson } from "./same-json.ts";
import { turns } from "./turns.ts";
import { known } from "./variables.ts";
import type { Case } from "./world.ts";

/** The listed cases that are about what one process does and another one sees. */
export const allCases: readonly Case[] = [...posting, ...listing, ...delivery, ...turns, ...manual, ...takingBack, ...known, ...sameJson, ...access];
