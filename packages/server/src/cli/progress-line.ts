/** Shows how far a long command is: one line on stderr that is replaced, only at a terminal. */
import type { Clock } from "throughline/kernel";
import type { Output } from "./command-output.ts";
import { cut } from "./terminal-text.ts";

/** Milliseconds before the first drawing, so that a short command draws nothing, and between two. */
const firstMs = 400;
const betweenMs = 150;

interface ProgressOptions {
  /** What the command does, such as `Exporting`. */
  readonly doing: string;
  /** What is counted, such as lines. Without it the line is drawn at once, because the work cannot be looked into. */
  readonly counted?: string;
}

/**
 * Runs work with a line of progress. `work` calls its argument for each thing that is done. Where stderr is no terminal, or with `--json`, nothing is
 * written. In plain output the line is written once and stays, because nothing may move the cursor.
 */
export async function withProgress<Result>(
  { output: { err, json, plain }, clock }: { readonly output: Pick<Output, "err" | "json" | "plain">; readonly clock: Pick<Clock, "now"> },
  { doing, counted }: ProgressOptions,
  work: (done: () => void) => Result | Promise<Result>,
): Promise<Result> {
  if (!err.stream.isTTY || json) return work(() => {});
  let count = 0;
  let isShown = false;
  let next = clock.now() + firstMs;
  const draw = (): void => {
    if (!plain) err.write(`\r\u001b[K${err.paint("dim", cut(`${doing} …${count === 0 ? "" : ` ${count} ${counted}`}`, err.columns(80) - 1))}`);
    else if (!isShown) err.line(`${doing}.`);
    isShown = true;
    next = clock.now() + betweenMs;
  };
  if (counted === undefined) draw();
  try {
    return await work(() => {
      count += 1;
      if (clock.now() >= next) draw();
    });
  } finally {
    if (isShown && !plain) err.write("\r\u001b[K");
  }
}
