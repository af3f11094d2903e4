/** Declares every command with its arguments, options and help. A command's code is loaded when it runs. */
import { readFileSync } from "node:fs";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { defaultLocation, ThroughlineError } from "throughline/kernel";
import type { RunStatus } from "throughline/routines";
import type { ChatOptions } from "./chat/open-conversation.ts";
import type { CommandContext, PlainContext, Run } from "./command-context.ts";
import type { StatePlace } from "./commands/log-commands.ts";
import type { WhoseMemory as MemoryFlags } from "./commands/memory-commands.ts";
import type { Shell } from "./completions.ts";
import { databaseFlag, flag } from "./set-up.ts";

const greatestInteger = 2_147_483_647;

/** Parses a whole number within bounds. */
const whole =
  (least: number, greatest: number = greatestInteger) =>
  (text: string): number => {
    const value = /^\d{1,15}$/u.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= greatest) return value;
    throw new InvalidArgumentError(`It is a whole number from ${least}${greatest === greatestInteger ? "" : ` to ${greatest}`}.`);
  };

const offset = whole(0);

/** Parses a day or a time in ISO form into milliseconds. */
function instant(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}(?:T.+)?$/u.test(text) ? Date.parse(text) : Number.NaN;
  if (time >= 0) return time;
  throw new InvalidArgumentError("It is a day such as 2026-11-01, or a time such as 2026-11-01T12:00:00Z.");
}

/** Parses an offset, or a session with an optional offset. */
function place(text: string): StatePlace {
  const [, session, at] = /^(ses_[0-9a-z]+)(?:@(\d+))?$/u.exec(text) ?? [];
  if (session === undefined) return { at: offset(text) };
  return at === undefined ? { session } : { session, at: offset(at) };
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 };

/** Parses a duration such as `90d` into milliseconds. */
function parseDuration(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhdwy])$/u.exec(text) ?? [];
  const size = units[unit];
  if (count === undefined || size === undefined)
    throw new ThroughlineError("cli.usage", `"${text}" is not a duration.`, { hint: "Write a number and s, m, h, d, w or y, such as 90d." });
  return Number(count) * size;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "unknown";
}

const agentOption = ["--agent <module>", "module that exports `agent`; the companion by default"] as const;
const sessionOption = ["--session <id>", "id of a session; the most recent one by default"] as const;
const sessionArgument = ["[session]", sessionOption[1]] as const;
const sessionFlag = ["--session <id>", "the same, as an option"] as const;

/** Makes an action that takes its session as the first argument or as `--session`. */
const ofSession =
  (action: (...words: unknown[]) => Promise<void>) =>
  async (named: string | undefined, { session, ...options }: { readonly session?: string }): Promise<void> => {
    if (named !== undefined && session !== undefined && named !== session)
      throw new ThroughlineError("cli.usage", `Two sessions are named: ${named} and ${session}.`);
    await action(named ?? session, options);
  };

const load = {
  chat: () => import("./chat/chat.ts"),
  sessions: () => import("./commands/session-commands.ts"),
  approvals: () => import("./approvals.ts"),
  log: () => import("./commands/log-commands.ts"),
  tail: () => import("./commands/tail-command.ts"),
  memory: () => import("./commands/memory-commands.ts"),
  safety: () => import("./commands/safety-commands.ts"),
  service: () => import("./commands/service-commands.ts"),
  routines: () => import("./commands/routine-commands.ts"),
  runs: () => import("./commands/run-commands.ts"),
  setup: () => import("./commands/setup-commands.ts"),
  webhooks: () => import("./commands/webhook-commands.ts"),
  upkeep: () => import("./commands/upkeep-commands.ts"),
  doctor: () => import("./commands/doctor.ts"),
  completions: () => import("./completions.ts"),
};

/** A module with a function for a command. */
type ModuleWith<Name extends string, Given> = Readonly<Record<Name, (given: Given, ...words: never[]) => unknown>>;

/**
 * Makes actions of commands. An action loads a module and calls one function of it. The function receives what `given` returns, then the arguments of
 * the command line, then its options.
 */
const actions =
  <Given>(given: () => Given | Promise<Given>) =>
  <Name extends string>(module: () => Promise<ModuleWith<Name, Given>>, name: Name) =>
  async (...words: unknown[]): Promise<void> => {
    const { [name]: run } = await module();
    // The declaration of a command and the function's parameters agree.
    await run(await given(), ...(words as never[]));
  };

/** Creates the program. Each command sets its exit code in `run`. */
export function createProgram(run: Run): Command {
  const program = new Command("throughline")
    .description("Typed, durable, inspectable state for conversational agents.")
    .version(version())
    .option("--db <location>", `database: a file or a postgres:// URL (default: $THROUGHLINE_DB, else as configured, else ${defaultLocation})`)
    .option("--key-file <file>", "operator keys of an encrypted database (default: $THROUGHLINE_KEY_FILE, else as configured)")
    .option("--config <file>", "configuration (default: $THROUGHLINE_CONFIG, else throughline.yaml if there is one)")
    .option("--json", "print one JSON document on standard output; everything else goes to standard error")
    .option("--plain", "write for screen readers: no colors, frames, status panel or cursor movements (also with TERM=dumb)")
    .showHelpAfterError(false)
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 conflict.");
  const on: Actions = { stored: actions(run.context), plain: actions(run.plain), running: actions(() => run) };
  addChat(program, run);
  addServing(program, run);
  addSetup(program, on);
  const sessions = addSessions(program, on);
  addApprovals(sessions, run);
  addReading(program, on);
  addMemory(program, on, run);
  addSafety(program, on);
  addRuns(program, on);
  addWebhooks(program, on);
  addUpkeep(program, sessions, on);
  program
    .command("doctor")
    .description("check Node, the configuration, the database with its data, and the service")
    .option(...agentOption)
    .action(on.running(load.doctor, "doctor"));
  program
    .command("completions")
    .description("print the completions of a shell for this command")
    .addArgument(new Argument("<shell>", "bash, zsh or fish").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      '\nbash: eval "$(throughline completions bash)" in ~/.bashrc\nzsh: eval "$(throughline completions zsh)" in ~/.zshrc, after compinit' +
        "\nfish: throughline completions fish > ~/.config/fish/completions/throughline.fish",
    )
    .action(async (shell: Shell) => run.plain().output.out.write((await load.completions()).completionScript(program, shell)));
  return program;
}

/** Actions by what their functions receive. */
interface Actions {
  /** The context of a command with a database. */
  readonly stored: ReturnType<typeof actions<CommandContext>>;
  /** The context of a command without a database. */
  readonly plain: ReturnType<typeof actions<PlainContext>>;
  /** The whole run, to set the exit code. */
  readonly running: ReturnType<typeof actions<Run>>;
}

interface ChatFlags extends Omit<ChatOptions, "new" | "context"> {
  readonly new?: true;
  readonly context?: "on" | "off";
}

function addChat(program: Command, run: Run): void {
  program
    .command("chat")
    .description("chat with an agent; piped standard input is a conversation, one message a line")
    .option("--new", "start a new session")
    .option(...sessionOption)
    .option(...agentOption)
    .option("--customer <id>", "id of the customer, whose memory spans all sessions; anonymous by default")
    .option("--incognito", "start a session that is not remembered")
    .option("--model <name>", "language model that answers instead of the agent's own (default: $THROUGHLINE_MODEL, for the companion)")
    .addOption(
      new Option(
        "--context <on|off>",
        "on: show under each reply how it came about; off: show neither that nor the panel (default: the panel, at a terminal)",
      ).choices(["on", "off"]),
    )
    .addOption(
      new Option("--mode <mode>", "what answers: the named model, or the agent's rules alone (default: auto)").choices(["auto", "deterministic"]),
    )
    .addOption(new Option("--theme <theme>", "colors at a terminal (default: dark)").choices(["dark", "light", "contrast", "none"]))
    .option("--inspect", "print the address of an inspector that shows this chat live")
    .option("--base-url <url>", "server of the model, with chat completions (default: $THROUGHLINE_BASE_URL, else Ollama on this machine)")
    .addHelpText(
      "after",
      "\nA terminal continues the last session, and /help lists the commands. A pipe starts a new session unless --session names one." +
        "\nThe key for the model's server is read from $THROUGHLINE_API_KEY.",
    )
    .action(async ({ context: line, ...options }: ChatFlags) => {
      const { chat } = await load.chat();
      run.code = await chat(await run.context(), {
        ...options,
        new: options.new ?? false,
        ...(line === undefined ? {} : { context: line === "on" }),
      });
    });
}

function addSessions(program: Command, { stored }: Actions): Command {
  const sessions = program.command("sessions").description("show and change sessions");
  sessions
    .command("list")
    .description("sessions, newest first")
    .option("--limit <count>", "maximum number of items", whole(1, 100), 20)
    .option("--cursor <cursor>", "continue after a page")
    .option("--agent-name <name>", "only sessions of this agent")
    .option("--customer <id>", "only sessions of this customer")
    .addOption(new Option("--mode <mode>", "only sessions that the agent answers (auto), or a person (manual)").choices(["auto", "manual"]))
    .addOption(new Option("--handover <status>", "only sessions with this handover").choices(["waiting", "assigned", "resolved"]))
    .option("--operator <name>", "only sessions that this operator has taken, or had")
    .option("--label <label>", "only sessions with this label; repeat it for several", collect)
    .option("--after <time>", "only sessions with an event since, such as 2026-11-01", instant)
    .option("--before <time>", "only sessions without an event since", instant)
    .addOption(new Option("--waits <decision>", "only sessions whose turn waits for an approval, or for an answer").choices(["approval", "answer"]))
    .option("--search <text>", "only sessions with this text in their title or messages")
    .option("--children", "include sessions of child agents")
    .action(stored(load.sessions, "listSessions"));
  sessions
    .command("fork")
    .description("fork a session from an offset; the original stays unchanged")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .option("--at <offset>", "the last shared offset; the head by default", offset)
    .option("--title <title>", "title of the fork")
    .option("--reuse", "reuse recorded results of tools, and run no `once` tool")
    .action(ofSession(stored(load.sessions, "forkFrom")));
  sessions
    .command("effects")
    .description("calls with effects outside, which a fork does not undo")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .option("--after <offset>", "only calls after this offset, where a fork would begin", offset)
    .option("--limit <count>", "maximum number of items", whole(1, 1000), 100)
    .action(ofSession(stored(load.sessions, "listEffects")));
  sessions
    .command("tree")
    .description("where a session was forked from, and what was forked from it")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .action(ofSession(stored(load.sessions, "showTree")));
  sessions
    .command("show")
    .description("a session: its header and its last messages")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .option("--messages <count>", "how many of the last messages", whole(0, 1000), 20)
    .option("--visible", "everything that the model can know in the next turn")
    .option(...agentOption)
    .action(ofSession(stored(load.sessions, "showSession")));
  sessions
    .command("identify")
    .description("assign an anonymous session to a customer; an unknown customer is registered")
    .argument("<session>", "id of the session")
    .argument("<customer>", "id of the customer")
    .option("--carry", "move the session's variables and memory to the customer; otherwise they are removed")
    .action(stored(load.sessions, "identifySession"));
  sessions
    .command("pending")
    .description("calls of a session that wait for a decision")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .action(ofSession(stored(load.approvals, "listPending")));
  return sessions;
}

function addApprovals(sessions: Command, { context }: Run): void {
  const words = [
    ["approve", "approve a pending call", "--edit <json>", "arguments to run it with"],
    ["reject", "reject a call or a question", "--feedback <text>", "feedback for the model"],
    ["answer", "answer the question of a tool", "--answer <text>", "the answer"],
  ] as const;
  for (const [word, description, option, meaning] of words) {
    sessions
      .command(word)
      .description(description)
      .argument(...sessionArgument)
      .argument("[call]", "number or id of the call, as `sessions pending` lists it; the only one by default")
      .option(option, meaning)
      .option("--by <name>", "the operator's name for the log")
      .action(
        async (
          session: string | undefined,
          call: string | undefined,
          options: { edit?: string; feedback?: string; answer?: string; by?: string },
        ) => {
          const { edit, feedback, answer, by } = options;
          const rest = edit === undefined ? (feedback ?? answer ?? "") : `--edit ${edit}`;
          const named = [session, call].filter((name) => name !== undefined);
          await (await load.approvals()).giveWord(await context(), word, { named, rest, by });
        },
      );
  }
}

function addReading(program: Command, { stored, plain }: Actions): void {
  const events = program.command("events").description("show the log of a session, or follow all sessions");
  events
    .command("list")
    .description("events by offset")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .option("--min-offset <offset>", "first offset", offset, 0)
    .option("--kinds <kinds>", "only these kinds, separated by commas")
    .option("--limit <count>", "maximum number of items", whole(1, 1000), 100)
    .option("--withdrawn", "include withdrawn events")
    .action(ofSession(stored(load.log, "listEvents")));
  events
    .command("tail")
    .description("events of all sessions as they are committed, until SIGTERM or SIGINT; with --json one document per line")
    .option("--after <position>", "continue after this position, the first number of a line; new events only by default", offset)
    .option("--kinds <kinds>", "only these kinds, separated by commas")
    .option("--limit <count>", "end after so many events", whole(1, 1_000_000_000))
    .action(stored(load.tail, "tailEvents"));
  const state = program.command("state").description("show and change the state of a session");
  state
    .command("get")
    .description("the state, now or at an offset")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .option("--at <offset>", "offset", offset)
    .action(ofSession(stored(load.log, "getState")));
  state
    .command("edit")
    .description("change fields of the state through the agent's reducers")
    .argument("<delta>", 'update of each field, as JSON: {"note": "calls back on Monday"}')
    .option(...sessionOption)
    .option("--dry-run", "show the patch, or what the edit would be refused for, and change nothing")
    .option("--by <name>", "the operator's name for the log")
    .option("--agent <module>", "module that exports the session's `agent`; the companion by default")
    .action(stored(load.log, "editState"));
  state
    .command("writers")
    .description("who wrote each field last")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .option("--at <offset>", "offset", offset)
    .action(ofSession(stored(load.log, "showWriters")));
  state
    .command("diff")
    .description("changes from one offset to another, or from one session to another, such as a fork")
    .argument("<from>", "offset, session, or session@offset", place)
    .argument("<to>", "offset, session, or session@offset", place)
    .option(...sessionOption)
    .action(stored(load.log, "diffState"));
  const prompt = program.command("prompt").description("show prompts and model requests");
  prompt
    .command("matrix")
    .description("which response style sees which part of an agent's prompt")
    .argument("[module]", "module that exports `agent`; the companion by default")
    .action(plain(load.log, "printMatrix"));
  prompt
    .command("show")
    .description("the exact request of a step, if the agent keeps requests")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .option("--turn <id>", "id of a turn; the last one by default")
    .option("--step <number>", "a step of that turn, from 1; its last one by default", whole(1, 100_000))
    .action(ofSession(stored(load.log, "showPrompt")));
}

const ofKind = (meaning: string): Option => new Option("--kind <kind>", meaning).choices(["fact", "turn", "arc", "rule"]);
const messages = ["--messages", "also remove the text of the source messages from the log"] as const;
const yes = ["--yes", "do not ask for confirmation: for scripts"] as const;

function addMemory(program: Command, { stored }: Actions, { context }: Run): void {
  const memory = program
    .command("memory")
    .description("show and change a person's memory")
    .addHelpText("after", "\n--customer names a person, --session the owner of a session; the default is the most recent session.");
  const add = (name: string, description: string): Command =>
    memory
      .command(name)
      .description(description)
      .option("--customer <id>", "the customer's id as the integration gave it")
      .option(...sessionOption);
  add("status", "the size of the memory").action(stored(load.memory, "showStatus"));
  add("list", "entries, in the order of writing")
    .addOption(ofKind("only entries of this kind"))
    .option("--all", "include withdrawn and replaced entries")
    .option("--limit <count>", "maximum number of items", whole(1, 100), 100)
    .option("--cursor <cursor>", "continue after a page")
    .action(stored(load.memory, "listMemory"));
  add("search", "what a turn would recall for this message, and why")
    .argument("<words...>", "text of the message")
    .option("--agent <module>", "module that exports an `agent`, for its languages and limits")
    .action(stored(load.memory, "searchMemory"));
  add("export", "write the whole memory, with quotes and dates, to standard output")
    .addOption(new Option("--format <format>", "markdown for reading, json with all provenance").choices(["json", "markdown"]).default("markdown"))
    .action(stored(load.memory, "exportMemory"));
  add("correct", "correct a fact; the correction outranks extractions")
    .argument("<entry>", "id of the fact")
    .argument("<value>", "the corrected text")
    .option("--quote <words>", "the person's own words for it")
    .action(stored(load.memory, "correctMemory"));
  for (const [name, mark, description] of [
    ["pin", "pinned", "protect an entry from eviction"],
    ["never-recall", "never_recall", "keep an entry, but hide it from every model"],
  ] as const)
    add(name, description)
      .argument("<entry>", "id of the entry")
      .option("--undo", "undo this")
      .action(async (entry: string, { undo, ...whose }: MemoryFlags & { undo?: true }) =>
        (await load.memory()).markMemory(await context(), whose, { entry, [mark]: undo !== true }),
      );
  add("recall", "whether the agent may mention memories on its own")
    .addArgument(new Argument("<switch>", "on or off").choices(["on", "off"]))
    .action(stored(load.memory, "setRecall"));
  add("forget", "forget entries and everything derived from them; asks for the word `forget`")
    .argument("[entries...]", "ids of entries")
    .option("--query <words>", "entries that contain all of these words")
    .option(...messages)
    .option(...yes)
    .action(stored(load.memory, "forgetMemory"));
  add("clear", "forget everything, or every entry of a kind; asks for the word `clear`")
    .addOption(ofKind("only entries of this kind"))
    .option(...messages)
    .option(...yes)
    .action(stored(load.memory, "clearMemory"));
  memory
    .command("why")
    .description("what a turn recalled, the placement of each entry, and the parts of its score")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .option("--turn <id>", "id of a turn; the last one with a recall by default")
    .action(ofSession(stored(load.memory, "showWhy")));
  memory
    .command("close")
    .description("end the episode of a session, and show what is remembered of it")
    .argument(...sessionArgument)
    .option(...sessionFlag)
    .option("--agent <module>", "module that exports the session's `agent`; the companion by default")
    .action(ofSession(stored(load.memory, "closeEpisode")));
}

const gatedAgentOption = ["--agent <module>", "module that exports the `agent` with the gate; the companion by default"] as const;

function addSafety(program: Command, { stored, plain, running }: Actions): void {
  const safety = program.command("safety").description("screen messages with an agent's gate, and show its assessments");
  safety
    .command("screen")
    .description("assess texts with the screen alone, without a model: one line of JSON in, one out")
    .requiredOption("--jsonl", 'read lines of {"text", "context"?} from standard input, print lines of {"level", "matches", "quality"}')
    .option(...gatedAgentOption)
    .addHelpText(
      "after",
      '\n`context` is what was said before: the assistant\'s last message as a text, or a list of {"role": "user" | "assistant", "text"}, oldest first; texts in a\nlist without roles are taken turn by turn, the last one as the assistant\'s. An invalid line is answered with {"error"}; the others are processed.',
    )
    .action(running(load.safety, "screenLines"));
  safety
    .command("report")
    .description("sums by day: levels, referrals by year and region, lowered levels; the last 30 days by default")
    .option("--from <day>", "first day in UTC, such as 2026-01-01")
    .option("--to <day>", "last day; today by default")
    .action(stored(load.safety, "showReport"));
  safety
    .command("assessments")
    .description("assessments one by one, newest days first; they contain no person's text")
    .addOption(new Option("--level <level>", "only this level").choices(["0", "1", "2", "3"]))
    .option("--day <day>", "only this day in UTC, such as 2026-11-21")
    .option("--limit <count>", "maximum number of items", whole(1, 100), 100)
    .option("--cursor <cursor>", "continue after a page")
    .action(stored(load.safety, "listAssessments"));
  safety
    .command("protocol")
    .description("the protocol of an agent's gate, in Markdown, from its configuration, for publication")
    .option(...gatedAgentOption)
    .action(plain(load.safety, "printProtocol"));
}

const runStatuses = ["queued", "running", "waiting", "completed", "failed", "cancelled"] as const satisfies readonly RunStatus[];

function addRuns(program: Command, { stored, running }: Actions): void {
  const runs = program.command("runs").description("runs of autonomous routines: start, follow and end them");
  runs
    .command("list")
    .description("runs whose results are kept")
    .option("--routine <id>", "only runs of this routine")
    .addOption(new Option("--status <status>", "only runs with this status").choices(runStatuses))
    .option("--session <session>", "only runs in this session")
    .option("--limit <count>", "maximum number of items", whole(1, 100), 100)
    .option("--cursor <cursor>", "continue after a page")
    .action(stored(load.runs, "listRuns"));
  runs.command("show").description("a run with its output").argument("<run>", "id of a run").action(stored(load.runs, "showRun"));
  runs
    .command("start")
    .description("start a run; a running service or worker does its work")
    .argument("<routine>", "id of an autonomous routine of the configured agents")
    .option("--input <json>", "input of the routine, a JSON object")
    .option("--session <session>", "run in this session; otherwise in one of its own, which is deleted after it")
    .option("--agent <name>", "agent that runs it; the only one that has it by default")
    .option("--key <key>", "start once for this key, however often the command runs")
    .option("--timeout <seconds>", "fail after this time", whole(1))
    .option("--keep <seconds>", "keep the result for this time; a day by default", whole(1))
    .option("--callback-url <url>", "post the end of the run to this address")
    .action(running(load.runs, "startRun"));
  runs
    .command("resend")
    .description("post the end of a run that is over once more; a running service or worker sends it")
    .argument("<run>", "id of a run")
    .requiredOption("--callback-url <url>", "the address; one that was given up is not kept")
    .action(running(load.runs, "resendRun"));
  runs.command("cancel").description("end a run that is not over").argument("<run>", "id of a run").action(stored(load.runs, "cancelRun"));
}

function addWebhooks(program: Command, { running }: Actions): void {
  const webhooks = program.command("webhooks").description("targets of webhooks: their state, dead letters, pauses and secrets");
  webhooks.command("list").description("all targets and addresses with their state").action(running(load.webhooks, "listWebhooks"));
  webhooks
    .command("positions")
    .description("how far each target is in a session")
    .argument("<session>", "id of a session")
    .option("--limit <count>", "maximum number of items", whole(1, 100), 100)
    .option("--cursor <cursor>", "continue after a page")
    .action(running(load.webhooks, "listPositions"));
  webhooks
    .command("dead")
    .description("events that could not be delivered")
    .option("--target <name>", "only those of this target")
    .option("--limit <count>", "maximum number of items", whole(1, 100), 100)
    .option("--cursor <cursor>", "continue after a page")
    .action(running(load.webhooks, "listDeadLetters"));
  webhooks
    .command("resend")
    .description("deliver a dead letter once more, under its first id")
    .argument("<id>", "id of a dead letter, as `webhooks dead` shows it")
    .action(running(load.webhooks, "resendDeadLetter"));
  webhooks
    .command("pause")
    .description("stop the deliveries to an endpoint; nothing is lost")
    .argument("<endpoint>", "as `webhooks list` shows it")
    .action(running(load.webhooks, "pauseWebhook"));
  webhooks
    .command("resume")
    .description("continue the deliveries to an endpoint, in order")
    .argument("<endpoint>", "as `webhooks list` shows it")
    .action(running(load.webhooks, "resumeWebhook"));
  webhooks
    .command("rotate")
    .description("make and print a new secret for a target without configured ones; the former one signs too for a day")
    .argument("<name>", "name of the target")
    .action(running(load.webhooks, "rotateSecret"));
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const longest = 86_400;
const servedAgentOption = [
  "--agent <module>",
  "module that exports `agent`; may be given several times (default: as configured, else the companion)",
  collect,
] as const;

interface ServeFlags {
  readonly agent?: readonly string[];
  readonly host?: string;
  readonly port?: number;
  readonly work: boolean;
  readonly demo?: true;
  readonly inspector?: boolean;
}

interface InspectFlags {
  readonly agent?: readonly string[];
  readonly host: string;
  readonly port: number;
}

interface WorkerFlags {
  readonly agent?: readonly string[];
  readonly store?: string;
  readonly concurrency?: number;
  readonly lease?: number;
  readonly drain?: number;
}

function addServing(program: Command, run: Run): void {
  program
    .command("serve")
    .description("serve the HTTP API, and run turns, until SIGTERM or SIGINT")
    .option(...servedAgentOption)
    .option("--host <address>", "address to listen on (default: as configured, else 127.0.0.1)")
    .option("--port <port>", "port to listen on; 0 takes a free one (default: as configured, else 8420)", whole(0, 65_535))
    .option("--no-work", "run no turns; a worker runs them")
    .option("--demo", "also serve a customer chat, and the inspector")
    .option("--inspector", "also serve the inspector (default: as configured, else only on a loopback address)")
    .option("--no-inspector", "do not serve the inspector")
    .addHelpText(
      "after",
      "\nIt needs no configuration: without one it serves the companion on 127.0.0.1, from a database in this folder." +
        "\nA public address needs an API key first: throughline keys create. To see the settings: throughline config print --redacted.",
    )
    .action(async ({ agent, host, port, work, demo, inspector }: ServeFlags) => {
      const { serve } = await load.service();
      const flags = [
        ...flag("--agent", "agents", agent),
        ...flag("--host", "server.host", host),
        ...flag("--port", "server.port", port),
        ...flag("--no-work", "worker.enabled", work ? undefined : false),
        ...flag("--demo", "server.demo", demo),
        ...flag(inspector === false ? "--no-inspector" : "--inspector", "server.inspector", inspector),
      ];
      await serve(await run.service(flags));
    });
  program
    .command("inspect")
    .description("open the inspector on a database, also while other processes use it; it runs no turns")
    .option(...servedAgentOption)
    .option("--host <address>", "loopback address to listen on", "127.0.0.1")
    .option("--port <port>", "port to listen on; a free one by default", whole(0, 65_535), 0)
    .addHelpText("after", "\nIt prints one address. The address admits one browser, once, within ten minutes.")
    .action(async ({ agent, host, port }: InspectFlags) => {
      const { inspect } = await load.service();
      await inspect(await run.service(flag("--agent", "agents", agent)), { host, port });
    });
  program
    .command("worker")
    .description("run the turns of a database until SIGTERM or SIGINT")
    .option(...servedAgentOption)
    .option("--store <location>", "the database; the same as --db before the command")
    .option("--concurrency <turns>", "turns at the same time, in different sessions (default: as configured, else 16)", whole(1, 10_000))
    .option("--lease <seconds>", "seconds until another worker takes over a dead process's turn (default: as configured, else 30)", whole(1, longest))
    .option("--drain <seconds>", "seconds to wait for running turns before they are released (default: as configured, else 20)", whole(0, longest))
    .addHelpText(
      "after",
      "\nAfter the first signal the worker takes no more turns, waits for running ones, and releases the rest. The second signal releases them immediately." +
        "\nA worker takes only turns of its agents, in sessions that no newer definition has written. Exit code 0 after a requested end.",
    )
    .action(async ({ agent, store, concurrency, lease, drain }: WorkerFlags) => {
      const { worker } = await load.service();
      const flags = [
        ...flag("--agent", "agents", agent),
        ...databaseFlag("--store", store),
        ...flag("--concurrency", "worker.concurrency", concurrency),
        ...flag("--lease", "worker.lease_seconds", lease),
        ...flag("--drain", "worker.drain_seconds", drain),
      ];
      await worker(await run.service(flags));
    });
}

function addSetup(program: Command, { stored, plain }: Actions): void {
  const routines = program.command("routines").description("check and draw routines: graphs that an agent follows");
  routines
    .command("check")
    .argument("<files...>", "YAML or JSON files with one routine each")
    .description("check files and name the line of each fault")
    .action(plain(load.routines, "checkRoutines"));
  routines
    .command("show")
    .argument("<name>", "a file, or the name of a routine of an agent")
    .option("--agent <module>", "module that exports `agent`; those of the configuration by default")
    .description("draw a routine as a Mermaid flowchart")
    .action(plain(load.routines, "showRoutine"));
  routines.command("schema").description("the JSON Schema of a routine's file, for editors").action(plain(load.routines, "printRoutineSchema"));
  const config = program.command("config").description("show and check the configuration: throughline.yaml and the environment");
  config
    .command("check")
    .description("list every violation with its line")
    .argument("[file]", "the file; the same as --config")
    .action(plain(load.setup, "checkConfig"));
  config
    .command("print")
    .description("print all settings with their defaults, in the form of a file")
    .option("--redacted", "without secrets")
    .action(plain(load.setup, "printConfig"));
  config.command("schema").description("the JSON Schema of the file, for editors").action(plain(load.setup, "printSchema"));
  const keys = program
    .command("keys")
    .description("API keys for callers of the service, tokens of customers, and operator keys that encrypt a database");
  keys
    .command("create")
    .description("API keys: make one for callers of the service; it is shown once")
    .requiredOption("--name <name>", "its purpose")
    .requiredOption("--scope <scope>", "a permission, such as sessions:read; may be given several times, or with commas", collect)
    .option("--expires-days <days>", "it expires after this many days (default: never)", whole(1, 3650))
    .action(stored(load.setup, "createApiKey"));
  keys.command("list").description("API keys: scopes and last use").action(stored(load.setup, "listApiKeys"));
  keys
    .command("revoke")
    .description("API keys: revoke one; every process rejects it within seconds")
    .argument("<id>", "id of the key, as `keys list` shows it")
    .action(stored(load.setup, "revokeApiKey"));
  keys
    .command("revoke-tokens")
    .description("customer tokens: revoke all of one customer; every process rejects them within two seconds")
    .argument("<customer>", "id of the customer")
    .action(stored(load.setup, "revokeCustomerTokens"));
  keys
    .command("generate")
    .description("operator keys: print a new one, as a line of a key file")
    .addHelpText("after", "\nFor example: (umask 077; throughline keys generate > throughline.keys)")
    .action(plain(load.setup, "generateKey"));
  keys
    .command("rotate")
    .description("operator keys: wrap the keys of the database with the first key of the key file; the former key is below it")
    .action(stored(load.setup, "rotate"));
  program.command("openapi").description("print the OpenAPI document of the service").action(plain(load.service, "printOpenApi"));
}

function addUpkeep(program: Command, sessions: Command, { stored }: Actions): void {
  program
    .command("erase")
    .description("erase a customer with all sessions, or one session")
    .option("--customer <id>", "the customer's id as the integration gave it")
    .option("--session <id>", "id of a session")
    .action(stored(load.upkeep, "erase"));
  const erasures = program.command("erasures").description("receipts of erasures, without personal data");
  erasures
    .command("list")
    .description("receipts, newest first")
    .option("--limit <count>", "maximum number of items", whole(1, 100), 20)
    .option("--cursor <cursor>", "continue after a page")
    .action(stored(load.upkeep, "listErasures"));
  erasures
    .command("export")
    .description("write the list of erasures for a restored backup to standard output")
    .action(stored(load.upkeep, "exportErasures"));
  erasures
    .command("replay")
    .description("repeat the erasures of a list")
    .argument("<file>", "output of `erasures export`")
    .action(stored(load.upkeep, "replayErasures"));
  program.command("purge").description("scrub erased data from the database's free pages and logs").action(stored(load.upkeep, "purge"));
  program
    .command("retention")
    .description("remove the beginnings of logs; waiting, running and shared events stay")
    .option("--older-than <duration>", "events older than this, such as 90d", parseDuration)
    .option("--keep-events <count>", "number of newest events of each log to keep", whole(1))
    .option("--agent-name <name>", "only sessions of this agent")
    .option("--customer <id>", "only sessions of this customer")
    .option("--delete-sessions", "also remove sessions without events for that long")
    .option("--dry-run", "only show what would be removed")
    .action(stored(load.upkeep, "applyRetention"));
  const redacted = ["--redacted", "replace text by its shape"] as const;
  sessions
    .command("export")
    .description("write a session as lines of JSON to standard output; a fork with its shared events")
    .argument("<session>", "id of a session")
    .option(...redacted)
    .action(stored(load.upkeep, "printSession"));
  sessions
    .command("import")
    .description("import sessions from a file of lines, completely or not at all")
    .argument("<file>", "output of an export, or - for standard input")
    .option("--keep-ids", "keep the ids of sessions")
    .action(stored(load.upkeep, "importLines"));
  program
    .command("export")
    .description("write a customer with memory and all sessions as lines of JSON to standard output")
    .requiredOption("--customer <id>", "the customer's id as the integration gave it")
    .option(...redacted)
    .action(stored(load.upkeep, "printCustomer"));
  program
    .command("backup")
    .description("copy the database into a new file")
    .argument("<file>", "file of the copy")
    .action(stored(load.upkeep, "backup"));
  program
    .command("restore")
    .description("replace the database by a backup, and repeat the erasures since then")
    .argument("<backup>", "output of `backup`")
    .argument("[location]", "location of the database; --db by default")
    .option("--tombstones <file>", "output of `erasures export`, if the database itself is lost")
    .option("--without-tombstones", "restore without a list of the erasures since the backup")
    .action(stored(load.upkeep, "restore"));
}
