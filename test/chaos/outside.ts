/** A place outside of the database that tools change: it survives the processes that write to it, and counts. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../packages/throughline/src/index.ts";

/** What was done under one key: each time that it was begun, and each time that it was done, with what it was given. */
export interface Done {
  readonly begun: readonly JsonObject[];
  readonly done: readonly JsonObject[];
}

/** Where tools do what cannot be taken back. */
export interface Outside {
  note(key: string, what: keyof Done, given: JsonObject): void;
}

/** A folder with a file for each key; a line is on disk before the tool goes on. */
export function outsideIn(folder: string): Outside {
  mkdirSync(folder, { recursive: true });
  return {
    note(key, what, given) {
      const file = openSync(join(folder, key), "a");
      writeSync(file, `${JSON.stringify({ what, given })}\n`);
      fsyncSync(file);
      closeSync(file);
    },
  };
}

/** Everything that was done in a folder, by key. */
export function doneIn(folder: string): ReadonlyMap<string, Done> {
  return new Map(
    readdirSync(folder).map((key) => {
      const lines = readFileSync(join(folder, key), "utf8").split("\n").slice(0, -1);
      const entries = lines.map((line) => JSON.parse(line) as { readonly what: keyof Done; readonly given: JsonObject });
      const given = (what: keyof Done): readonly JsonObject[] => entries.flatMap((entry) => (entry.what === what ? [entry.given] : []));
      return [key, { begun: given("begun"), done: given("done") }];
    }),
  );
}

/** The same in memory, for processes that only pretend to die. */
export function outsideHere(): { readonly outside: Outside; readonly done: ReadonlyMap<string, Done> } {
  const done = new Map<string, Done>();
  return {
    done,
    outside: {
      note(key, what, given) {
        const before = done.get(key) ?? { begun: [], done: [] };
        done.set(key, { ...before, [what]: [...before[what], given] });
      },
    },
  };
}
