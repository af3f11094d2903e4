/** The line of a long command. */
import { expect, test } from "vitest";
import { createOutput } from "../../packages/server/src/cli/command-output.ts";
import { withProgress } from "../../packages/server/src/cli/progress-line.ts";

/** Runs work of five things, a second each, and returns what was written to stderr. */
async function written(isTTY: boolean, options: { readonly json?: boolean; readonly plain?: boolean; readonly counted?: string }): Promise<string> {
  let text = "";
  const stream = { isTTY, columns: 40, write: (more: string) => ((text += more), true) } as unknown as NodeJS.WriteStream & { readonly fd: 1 };
  const { counted, json = false, plain = false } = options;
  const output = createOutput({ stdout: stream, stderr: stream as never }, { json, plain, environment: { NO_COLOR: "1" } });
  let now = 0;
  const work = (done: () => void): number => {
    for (let count = 0; count < 5; count += 1) {
      now += 100 + count * 100;
      done();
    }
    return 7;
  };
  expect(await withProgress({ output, clock: { now: () => now } }, { doing: "Exporting", ...(counted === undefined ? {} : { counted }) }, work)).toBe(
    7,
  );
  return text;
}

const clear = "\r\u001b[K";

test("is replaced as the work goes on, and leaves nothing", async () => {
  expect(await written(true, { counted: "lines" })).toBe(`${clear}Exporting … 3 lines${clear}Exporting … 4 lines${clear}Exporting … 5 lines${clear}`);
});

test("is there at once for work that cannot be looked into", async () => {
  expect(await written(true, {})).toContain(`${clear}Exporting …\r`);
});

test("is one line of words in plain output", async () => {
  expect(await written(true, { plain: true, counted: "lines" })).toBe("Exporting.\n");
});

test("is nothing where stderr is no terminal, and with --json", async () => {
  expect([await written(false, {}), await written(true, { json: true }), await written(false, { plain: true })]).toEqual(["", "", ""]);
});

test("is removed also if the work fails", async () => {
  let text = "";
  const stream = { isTTY: true, columns: 40, write: (more: string) => ((text += more), true) } as never;
  const output = createOutput({ stdout: stream, stderr: stream }, { json: false, environment: {} });
  await expect(withProgress({ output, clock: { now: () => 0 } }, { doing: "Importing" }, () => Promise.reject(new Error("no")))).rejects.toThrow(
    "no",
  );
  expect(text.endsWith(clear)).toBe(true);
});
