import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { ThroughlineError } from "../kernel/error.ts";
import { openStore } from "../open-store.ts";
import type { StoreOptions } from "../store/options.ts";
import type { Store } from "../store/port.ts";
import type { Logger } from "../kernel/log.ts";
import { readKeyFile } from "./key-file.ts";

/** Where the database is when nobody says. */
export const defaultLocation = "./.throughline/throughline.db";

/** `--db`, else `THROUGHLINE_DB`, else the default. */
export function locationOf(db: string | undefined, environment: NodeJS.ProcessEnv): string {
  if (db !== undefined && db.trim() === "")
    throw new ThroughlineError("cli.usage", "--db names no database.", { hint: "Pass a file path or a postgres:// URL." });
  return db ?? (environment["THROUGHLINE_DB"]?.trim() || defaultLocation);
}

/** Whether a location is the address of a server, not a file. */
export const isServer = (location: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(location);

/** A location as it may be shown: without a password. */
export function shown(location: string): string {
  if (!isServer(location)) return location;
  return location
    .replace(/^([^:]+:\/\/)(?:([^:@/]*)(?::[^/]*)?@)?/u, (_whole, scheme: string, user?: string) =>
      user === undefined ? scheme : `${scheme}${user}@`,
    )
    .replace(/([?&]password=)[^&]*/giu, "$1***");
}

/** Takes the password of a location out of a text. */
export function withoutSecret(text: string, location: string): string {
  if (!isServer(location)) return text;
  const clean = text.replaceAll(location, shown(location));
  const password = /^[^:]+:\/\/[^:@/]*:([^/]*)@/u.exec(location)?.[1] ?? "";
  // A password that is also a name of the location, or ours, is only one where a password stands.
  const isWord = (secret: string): boolean => secret.length < 3 || `${shown(location)} throughline`.includes(secret);
  return [...new Set([password, decoded(password)])].reduce(
    (left, secret) => (isWord(secret) ? left.replaceAll(`:${secret}@`, ":***@") : left.replaceAll(secret, "***")),
    clean,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether there is a database file; undefined where only opening tells. */
export function fileExists(location: string): boolean | undefined {
  if (isServer(location) || location === ":memory:") return undefined;
  return statOf(location) !== undefined;
}

/** Where a database is, and where its operator keys are if it is encrypted. */
export interface DatabasePlace {
  /** As it was given: it may hold a password. */
  readonly location: string;
  readonly keyFile: string | undefined;
}

/** What a database is opened with. */
export const storeOptionsOf = ({ keyFile }: DatabasePlace): StoreOptions => (keyFile === undefined ? {} : { encryption: readKeyFile(keyFile) });

/** Opens the database. Without `create` it must be there already: looking at something must not make it. */
export async function openLocation(
  place: DatabasePlace,
  { create, ...options }: { readonly create: boolean; readonly logger?: Logger },
): Promise<Store> {
  const { location } = place;
  if (fileExists(location) !== undefined) checkFile(location, create);
  return openStore(location, { ...storeOptionsOf(place), ...options });
}

function checkFile(location: string, create: boolean): void {
  const file = statOf(location);
  if (file === undefined) {
    if (create) return;
    throw new ThroughlineError("store.not_found", `There is no database at ${location}.`, { details: { location } });
  }
  if (file.isDirectory()) {
    throw new ThroughlineError("store.location_invalid", `${location} is a folder, not a database file.`, {
      hint: `Name a file in it: --db ${join(location, "throughline.db")}`,
      details: { location },
    });
  }
  try {
    accessSync(location, constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw new ThroughlineError("store.unreachable", `${location} cannot be read and written.`, {
      hint: "Check the file's owner and permissions.",
      details: { location },
      cause,
    });
  }
}

/** A path through something that is no folder leads nowhere; what is wrong with it is told when the file is created. */
function statOf(location: string): ReturnType<typeof statSync> | undefined {
  try {
    return statSync(location, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
