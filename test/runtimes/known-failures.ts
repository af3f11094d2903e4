/** What does not work on a runtime: a text in the errors of the checks that fail, and why. docs/reference/runtimes.md says it for users. */
export const knownFailures: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deno: {
    "database is locked":
      "Deno's node:sqlite gives errors of `exec` no code, so a file that another process has locked is not recognized and not awaited. Not every run meets one.",
  },
};
