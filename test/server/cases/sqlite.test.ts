import { allCases } from "./all-cases.ts";
import { runCases } from "./run-cases.ts";

runCases("SQLite", allCases);
