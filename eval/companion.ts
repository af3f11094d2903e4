/**
 * `npm run eval:companion -- [--json] [--only NAME]`: whether conversations with the companion, offline and by rules, go where they must, turn by turn, and whether
 * each style of reply is shown what it may be. Prints shares by file and what went elsewhere; exit code 1 if anything did.
 */
import { parseArgs } from "node:util";
import { matrixChecks } from "./companion/matrix.ts";
import { type Checked, play } from "./companion/run.ts";
import { readTrajectories } from "./companion/trajectories.ts";

const { values } = parseArgs({ options: { json: { type: "boolean", default: false }, only: { type: "string" } } });

interface Played {
  readonly file: string;
  readonly trajectories: number;
  readonly whole: number;
  readonly checks: readonly Checked[];
}

/** A file's conversations, one after the other. */
async function playFile(file: string, trajectories: Parameters<typeof play>[0][]): Promise<Played> {
  const played: (readonly Checked[])[] = [];
  for (const trajectory of trajectories) played.push(await play(trajectory));
  const whole = played.filter((checks) => checks.every(({ ok }) => ok)).length;
  return { file, trajectories: trajectories.length, whole, checks: played.flat() };
}

const passed = (checks: readonly Checked[]): number => checks.filter(({ ok }) => ok).length;
const line = ({ file, trajectories, whole, checks }: Played): string =>
  `${file.padEnd(16)}${`${whole} of ${trajectories}`.padStart(10)} conversations${`${passed(checks)} of ${checks.length}`.padStart(12)} checks`;
const failure = ({ trajectory, turn, what, expected, got }: Checked): string =>
  `  ${trajectory}, turn ${turn}: ${what} should be ${expected}, is ${got.slice(0, 160)}`;

const results: Played[] = [];
for (const [file, trajectories] of readTrajectories()) {
  const chosen = trajectories.filter(({ name }) => values.only === undefined || name.includes(values.only));
  if (chosen.length > 0) results.push(await playFile(file, chosen));
}
if (values.only === undefined) {
  const checks = matrixChecks();
  results.push({ file: "prompt matrix", trajectories: 1, whole: checks.every(({ ok }) => ok) ? 1 : 0, checks });
}
const failures = results.flatMap(({ checks }) => checks.filter(({ ok }) => !ok));
if (values.json)
  console.log(
    JSON.stringify(
      { files: results.map(({ checks, ...rest }) => ({ ...rest, checks: checks.length, passed: passed(checks) })), failures },
      undefined,
      2,
    ),
  );
else console.log([...results.map(line), ...failures.map(failure)].join("\n"));
if (failures.length > 0) process.exitCode = 1;
