import { resourceTable } from "throughline/safety";
import table from "./hotlines.json" with { type: "json" };

/**
 * Crisis services by country, as compiled on 2026-11-20 (CC0): what is confirmed is shown, with its grade of evidence in `hotlines.json`. No row was
 * checked by a person: a deployment does that, and fills `verified_by`.
 */
export const hotlines = resourceTable(table);
