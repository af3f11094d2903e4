import { obedient } from "./script.ts";

export const agent = obedient("eager", "supersede");
