/** Where the database is, the file with the keys that open it, and the file for assessments that it does not take. */
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ThroughlineError, type Logger } from "throughline/kernel";
import type { EncryptionOptions, StoreOptions, Store } from "throughline";
import type { AssessmentSpool } from "throughline/safety";

/** Where the database is when nobody says. */
export const defaultLocation = "./.throughline/throughline.db";

/** `--db`, else `THROUGHLINE_DB`, else the default. */
export function locationOf(db: string | undefined, environment: NodeJS.ProcessEnv): string {
  if (db !== undefined && db.trim() === "")
    throw new ThroughlineError("cli.usage", "--db names no database.", { hint: "Pass a file path or a postgres:// URL." });
  return db ?? (environment["THROUGHLINE_DB"]?.trim() || defaultLocation);
}

/** Whether a location is the address of a server, not a file. */
const isServer = (location: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(location);

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
  const { openStore } = await import("throughline/store");
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

/**
 * `--key-file`, else `THROUGHLINE_KEY_FILE`; undefined if neither names one. A key itself is never an argument: others see the arguments of a
 * process.
 */
export function keyFileOf(option: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  if (option !== undefined && option.trim() === "") throw new ThroughlineError("cli.usage", "--key-file names no file.");
  return option ?? (environment["THROUGHLINE_KEY_FILE"]?.trim() || undefined);
}

/** The keys of a file. What is wrong with a line is said by its number, because it may be a key. */
export function readKeyFile(path: string): EncryptionOptions {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new ThroughlineError("cli.usage", `The key file ${path} cannot be read.`, { hint: "Check its path and permissions.", cause });
  }
  const keys = text.split(/\r?\n/u).flatMap((line, index) => {
    const words = line.trim().split(/\s+/u);
    if (words[0] === "" || words[0]?.startsWith("#") === true) return [];
    const [id, key] = words;
    if (id === undefined || key === undefined || words.length > 2)
      throw new ThroughlineError("encryption.key_invalid", `Line ${index + 1} of ${path} is not an id and a key with a space between them.`);
    return [{ id, key }];
  });
  return { keys };
}

/**
 * A file beside the database; for one on a server, a file in the folder where a database of this folder would be, since what is waiting waits because the
 * server is away. Undefined for a database in memory: nothing of it is to be on a disk.
 */
export async function spoolBeside(location: string): Promise<AssessmentSpool | undefined> {
  if (location === ":memory:") return undefined;
  const path = isServer(location) ? join(dirname(defaultLocation), "server.safety.jsonl") : `${location}.safety.jsonl`;
  const { openSpool } = await import("throughline/safety");
  const spool = openSpool(path);
  return Object.freeze({
    ...spool,
    // The folder is made when there is something to put into it, and no sooner; what is wrong with it is told when the file is written.
    append: async (record) => {
      await mkdir(dirname(path), { recursive: true }).catch(() => {});
      return spool.append(record);
    },
  } satisfies AssessmentSpool);
}
