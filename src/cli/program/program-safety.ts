/** Commands for an agent's gate. */
import { Option, type Command } from "commander";
import { whole } from "../arguments.ts";
import type { Run } from "./program.ts";

const levels = [0, 1, 2, 3] as const;
const agentOption = ["--agent <module>", "module that exports the `agent` with the gate; the companion by default"] as const;

/** Adds them to the program. */
export function addSafety(program: Command, run: Run): void {
  const safety = program.command("safety").description("look at what an agent's gate finds, and at what it has found");
  safety
    .command("screen")
    .description("assess texts with the screen alone, without a model: one line of JSON in, one out")
    .requiredOption("--jsonl", 'read lines of {"text", "context"?} from standard input, print lines of {"level", "matches", "quality"}')
    .option(...agentOption)
    .addHelpText(
      "after",
      '\n`context` is what was said before: the assistant\'s last message as a text, or a list of {"role": "user" | "assistant", "text"}, oldest first; texts in a\nlist without roles are taken turn by turn, the last one as the assistant\'s. A line that is wrong is answered with {"error"}, and the rest goes on.',
    )
    .action(async (options: { readonly agent?: string }) => (await import("../commands/safety-screen.ts")).screenLines(run, options));
  addAudit(safety, run);
  safety
    .command("protocol")
    .description("the protocol of an agent's gate, in Markdown, from its configuration, for publication")
    .option(...agentOption)
    .action(async (options: { readonly agent?: string }) => (await load()).printProtocol(run, options));
}

const load = () => import("../commands/safety-audit.ts");

function addAudit(safety: Command, { context }: Run): void {
  safety
    .command("report")
    .description("sums by day: levels, referrals by year and region, lowered levels; the last 30 days by default")
    .option("--from <day>", "first day in UTC, such as 2026-01-01")
    .option("--to <day>", "last day; today by default")
    .action(async (range: { readonly from?: string; readonly to?: string }) => (await load()).showReport(await context(), range));
  safety
    .command("assessments")
    .description("assessments one by one, newest days first; they contain no person's text")
    .addOption(new Option("--level <level>", "only this level").choices(["0", "1", "2", "3"]))
    .option("--day <day>", "only this day in UTC, such as 2026-11-21")
    .option("--limit <count>", "maximum number of items", whole(1, 100), 100)
    .option("--cursor <cursor>", "continue after a page")
    .action(async ({ level, ...filter }: { readonly level?: string; readonly day?: string; readonly limit: number; readonly cursor?: string }) => {
      const only = levels.find((one) => String(one) === level);
      return (await load()).listAssessments(await context(), { ...filter, ...(only === undefined ? {} : { level: only }) });
    });
}
