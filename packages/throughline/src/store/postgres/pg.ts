/** The package `pg`: an optional peer, loaded when a PostgreSQL database is opened, so that a bundle of a program starts without it. */
import type * as Pg from "pg";
import { ThroughlineError } from "../../kernel/error.ts";

/** What is used of the package. */
type Library = Pick<typeof Pg, "Client" | "Pool" | "types">;

let library: Library | undefined;

/** Loads the package; `package.missing` if it is not installed. Has to come before {@link pg}. */
export async function loadPg(): Promise<void> {
  try {
    // Versions before 8.15 export their names through `default` alone.
    const found = await import("pg");
    library ??= Object.hasOwn(found, "Client") ? found : found.default;
  } catch (cause) {
    throw new ThroughlineError("package.missing", 'A PostgreSQL database needs the package "pg", which cannot be loaded.', {
      hint: "Install it beside throughline: npm install pg",
      cause,
    });
  }
}

/** The package, once {@link loadPg} has loaded it. */
export function pg(): Library {
  if (library === undefined) throw new ThroughlineError("internal", "The package pg was used before it was loaded.");
  return library;
}
