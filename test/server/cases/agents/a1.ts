import { obedient } from "./script.ts";

export const agent = obedient("a1", "queue");
