/** What does not work on a runtime: the beginning of the names of the checks that fail, and why. docs/reference/runtimes.md says it for users. */
export const knownFailures: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deno: {
    "SQLite: 100 pairs of writers in four processes":
      "Deno's node:sqlite gives errors of `exec` no code, so a locked file is not recognized and not awaited.",
  },
};
