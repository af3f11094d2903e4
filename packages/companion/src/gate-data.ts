/** The data of the companion's gate, for any agent: rule packs, phrases and the table of crisis services. @module */
export { packs, phrases } from "./companion-gate.ts";
export { hotlines } from "./safety/crisis-data.ts";
