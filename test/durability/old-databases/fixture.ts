/** The databases in `test/fixtures/databases`, and what the version that made each of them said of it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { root } from "../../../scripts/root.ts";
import type { EncryptionOptions, Json, JsonObject } from "../../../packages/throughline/src/index.ts";
import type { Erasure } from "../../../packages/throughline/src/session.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../../setup/database.ts";
import type { Told } from "./told.ts";

/** Versions with databases, the oldest first. */
export const versions = ["97d9779"] as const;
export type Version = (typeof versions)[number];

/** The kinds of databases that there are here. */
export const databases = noPostgres === undefined ? (["sqlite", "encrypted", "postgres"] as const) : (["sqlite", "encrypted"] as const);
export type Database = "sqlite" | "encrypted" | "postgres";

/** A command that was sent under a key, and what it came to. */
export interface Kept {
  readonly session: string;
  readonly command: string;
  readonly args: readonly Json[];
  readonly answer: JsonObject | null;
}

/** A request over HTTP under a key, and its answer. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  readonly key: string;
  readonly status: number;
  readonly etag: string | null;
  readonly answer: string;
}

/** What the version that made a database said of it. */
export interface Expected extends Told {
  /** Ids of sessions by what they show. */
  readonly named: Readonly<Record<string, string>>;
  readonly kept: readonly Kept[];
  readonly asks: readonly Asked[];
  /** An API key with all scopes. */
  readonly key: string;
  /** An export that the service has made. */
  readonly job: { readonly id: string; readonly result: string };
  /** What the service had written down of who did what, newest first. */
  readonly audit: readonly Json[];
  readonly erasures: readonly Erasure[];
  /** The time at which it was made. */
  readonly at: number;
  readonly encryption?: EncryptionOptions;
}

const read = (version: Version, name: string): Buffer => gunzipSync(readFileSync(join(root, "test/fixtures/databases", version, `${name}.gz`)));

export const expectedOf = (version: Version, database: Database): Expected => JSON.parse(read(version, `${database}.json`).toString()) as Expected;

/** A copy of a database, as it was left by the version that made it, removed when the test ends; its location. */
export async function copyOf(version: Version, database: Database): Promise<string> {
  if (database === "postgres") {
    const url = await newPostgresDatabase();
    await runSql(url, read(version, "postgres.sql").toString());
    return url;
  }
  const path = newSqliteFile();
  writeFileSync(path, read(version, `${database}.db`));
  return path;
}
