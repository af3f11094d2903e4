/** The package `pg`: an optional peer dependency, loaded when a PostgreSQL database is opened, so that a bundled program starts without it. */
import type * as Pg from "pg";
import { ThroughlineError } from "../../kernel/error.ts";

/** The used part of the package. */
type Library = Pick<typeof Pg, "Client" | "Pool" | "types">;

let library: Library | undefined;

/** Loads the package. Throws `package.missing` if it is not installed. Call it before {@link pg}. */
export async function loadPg(): Promise<void> {
  try {
    // Versions before 8.15 export their names only through `default`.
    const found = await import("pg");
    library ??= Object.hasOwn(found, "Client") ? found : found.default;
  } catch (cause) {
    throw new ThroughlineError("package.missing", 'A PostgreSQL database needs the package "pg", which cannot be loaded.', {
      hint: "Install it beside throughline: npm install pg",
      cause,
    });
  }
}

/** Returns the package after {@link loadPg} has loaded it. */
export function pg(): Library {
  if (library === undefined) throw new ThroughlineError("internal", "The package pg was used before it was loaded.");
  return library;
}
