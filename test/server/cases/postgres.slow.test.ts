import { noPostgres } from "../../setup/database.ts";
import { allCases } from "./all-cases.ts";
import { runCases } from "./run-cases.ts";

if (noPostgres === undefined) runCases("PostgreSQL", allCases);
