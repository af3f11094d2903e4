/** Locates the database, its key file and the fallback log for assessments. */
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { EncryptionOptions, Store, StoreOptions } from "throughline";
import { databaseLocation, defaultLocation, type Logger, ThroughlineError } from "throughline/kernel";
import type { AssessmentSpool } from "throughline/safety";
import { quoted } from "./terminal-text.ts";

/** The location from `--db`, else from `THROUGHLINE_DB`, else the default. Throws `cli.usage` for an empty `--db`. */
export function locationOf(db: string | undefined, environment: NodeJS.ProcessEnv): string {
  if (db !== undefined && db.trim() === "")
    throw new ThroughlineError("cli.usage", "--db names no database.", { hint: "Pass a file path or a postgres:// URL." });
  return db ?? databaseLocation(environment);
}

/** Whether a location is a server URL instead of a file path. */
const isServer = (location: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(location);

/** A location without its password, for output. */
export function shown(location: string): string {
  if (!isServer(location)) return location;
  return location
    .replace(/^([^:]+:\/\/)(?:([^:@/]*)(?::[^/]*)?@)?/u, (_whole, scheme: string, user?: string) =>
      user === undefined ? scheme : `${scheme}${user}@`,
    )
    .replace(/([?&]password=)[^&]*/giu, "$1***");
}

/** A follow-up command with the `--db` that this command was given. */
export const followUp = ({ db }: { readonly db?: string }, command: string): string =>
  `throughline ${command}${db === undefined ? "" : ` --db ${quoted(shown(db))}`}`;

/** Adds the `--db` that this command was given to the commands that a hint names between backticks. */
export const withDatabase = (hint: string, of: { readonly db?: string }): string =>
  hint.replaceAll(/`throughline ([^`<]+?)( > [^`]+)?`/gu, (named, command: string, rest = "") =>
    command === "keys generate" ? named : `\`${followUp(of, command)}${rest}\``,
  );

/** The folder of a database file that opening it would create; undefined if it is there, or if there is none. */
export function missingFolder(location: string): string | undefined {
  const folder = isServer(location) || location === ":memory:" ? undefined : dirname(location);
  return folder === undefined || statOf(folder) !== undefined ? undefined : folder;
}

/** Removes the password of a location from a text. */
export function withoutSecret(text: string, location: string): string {
  if (!isServer(location)) return text;
  const clean = text.replaceAll(location, shown(location));
  const password = /^[^:]+:\/\/[^:@/]*:([^/]*)@/u.exec(location)?.[1] ?? "";
  // A password that also occurs in the location or in our name is removed only where a URL has its password.
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

/** Whether the database file exists. Undefined for a server or an in-memory database. */
export function fileExists(location: string): boolean | undefined {
  if (isServer(location) || location === ":memory:") return undefined;
  return statOf(location) !== undefined;
}

/** The location of a database and, if it is encrypted, of its key file. */
export interface DatabasePlace {
  /** The unchanged location, which may contain a password. */
  readonly location: string;
  readonly keyFile: string | undefined;
}

/** The options for opening a database. */
export const storeOptionsOf = ({ keyFile }: DatabasePlace): StoreOptions => (keyFile === undefined ? {} : { encryption: readKeyFile(keyFile) });

/** Opens the database. Without `create` it must exist, so that reading commands create no file. */
export async function openLocation(
  place: DatabasePlace,
  { create, ...options }: { readonly create: boolean; readonly logger?: Logger },
): Promise<Store> {
  const { location } = place;
  if (fileExists(location) !== undefined) checkFile(location, create);
  const { openStore } = await import("throughline/internal");
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

/** Treats a path through a file as missing. Creating the database then reports the error. */
function statOf(location: string): ReturnType<typeof statSync> | undefined {
  try {
    return statSync(location, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * The key file from `--key-file`, else from `THROUGHLINE_KEY_FILE`; undefined if neither is set. Keys are never passed as arguments, because other
 * users can see the arguments of a process.
 */
export function keyFileOf(option: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  if (option !== undefined && option.trim() === "") throw new ThroughlineError("cli.usage", "--key-file names no file.");
  return option ?? (environment["THROUGHLINE_KEY_FILE"]?.trim() || undefined);
}

/** Reads the keys of a file. Errors name a line by its number, because the line may contain a key. Throws `cli.usage` or `encryption.key_invalid`. */
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
 * Opens the fallback log for assessments: a file next to the database. For a server, the file lies in the default folder, because the log is needed
 * when the server is down. Undefined for an in-memory database, whose data must not reach a disk.
 */
export async function spoolBeside(location: string): Promise<AssessmentSpool | undefined> {
  if (location === ":memory:") return undefined;
  const path = isServer(location) ? join(dirname(defaultLocation), "server.safety.jsonl") : `${location}.safety.jsonl`;
  const { openSpool } = await import("throughline/safety");
  const spool = openSpool(path);
  return Object.freeze({
    ...spool,
    // The folder is created with the first record. Writing the file reports any error.
    append: async (record) => {
      await mkdir(dirname(path), { recursive: true }).catch(() => {});
      return spool.append(record);
    },
  } satisfies AssessmentSpool);
}
