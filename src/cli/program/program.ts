import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { offset, place, whole } from "../arguments.ts";
import type { Context, PlainContext, ServiceContext } from "../context.ts";
import type { Flag } from "../flags.ts";
import { addService } from "./program-service.ts";
import type { StatePlace } from "../commands/state.ts";
import { defaultLocation } from "../location.ts";
import { addMemory } from "./program-memory.ts";
import { addSafety } from "./program-safety.ts";
import { addUpkeep } from "./program-upkeep.ts";

/** What a command is run with, once the command line is read. */
export interface Run {
  readonly context: Context;
  readonly plain: () => PlainContext;
  /** For what runs until it is told to end: flags go before what is configured. */
  readonly service: (flags: readonly Flag[]) => Promise<ServiceContext>;
  /** Exit code of the command; 0 if it says nothing. */
  code: number;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "unknown";
}

const agentOption = ["--agent <module>", "module that exports `agent`; the companion by default"] as const;
const sessionOption = ["--session <id>", "id of a session; the most recent one by default"] as const;

/** The command line as a program; every command leaves its exit code in `run`, and is loaded when it is run. */
export function createProgram(run: Run): Command {
  const program = new Command("throughline")
    .description("Typed, durable, inspectable state for conversational agents.")
    .version(version())
    .option("--db <location>", `database: a file or a postgres:// URL (default: $THROUGHLINE_DB, else as configured, else ${defaultLocation})`)
    .option("--key-file <file>", "operator keys of an encrypted database (default: $THROUGHLINE_KEY_FILE, else as configured)")
    .option("--config <file>", "configuration (default: $THROUGHLINE_CONFIG, else throughline.yaml if there is one)")
    .option("--json", "print one JSON document on standard output; everything else goes to standard error")
    .showHelpAfterError(false)
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 conflict.");
  const { context } = run;
  addChat(program, context, run);
  addService(program, run);
  const sessions = addSessions(program, context);
  addApprovals(sessions, context);
  addEvents(program, context);
  addState(program, context);
  addPrompt(program, run);
  addMemory(program, context);
  addSafety(program, run);
  addUpkeep(program, sessions, context);
  program
    .command("doctor")
    .description("check Node, the configuration, the database with its data, and the service")
    .option(...agentOption)
    .action(async (options: { agent?: string }) => {
      const { doctor } = await import("../commands/doctor.ts");
      if (!(await doctor(run, options))) run.code = 1;
    });
  return program;
}

interface ChatFlags {
  readonly new?: true;
  readonly session?: string;
  readonly agent?: string;
  readonly customer?: string;
  readonly incognito?: true;
  readonly context?: "on" | "off";
  readonly model?: string;
  readonly baseUrl?: string;
}

function addChat(program: Command, context: Context, run: Run): void {
  program
    .command("chat")
    .description("chat with an agent; piped standard input is a conversation, one message a line")
    .option("--new", "begin a new session")
    .option(...sessionOption)
    .option(...agentOption)
    .option("--customer <id>", "the person who talks, with their memory from all sessions; anonymous by default")
    .option("--incognito", "begin a session that is not remembered")
    .option("--model <name>", "language model that answers instead of the agent's own (default: $THROUGHLINE_MODEL, for the companion)")
    .addOption(
      new Option(
        "--context <on|off>",
        "show under each reply: mode, route, style, approach, safety level, recalled entries, exercise (default: on at a terminal)",
      ).choices(["on", "off"]),
    )
    .option("--base-url <url>", "server of the model, with chat completions (default: $THROUGHLINE_BASE_URL, else Ollama on this machine)")
    .addHelpText(
      "after",
      "\nA terminal continues the last session, and /help lists the commands. A pipe begins a new session unless --session names one." +
        "\nThe key for the model's server is read from $THROUGHLINE_API_KEY.",
    )
    .action(async ({ context: line, ...options }: ChatFlags) => {
      const { chat } = await import("../commands/chat.ts");
      run.code = await chat(await context(), { ...options, new: options.new ?? false, ...(line === undefined ? {} : { context: line === "on" }) });
    });
}

function addSessions(program: Command, context: Context): Command {
  const sessions = program.command("sessions").description("look at sessions");
  sessions
    .command("list")
    .description("sessions, newest first")
    .option("--limit <count>", "maximum number of items", whole(1, 100), 20)
    .option("--cursor <cursor>", "continue after a page")
    .option("--agent-name <name>", "only sessions of this agent")
    .option("--children", "include sessions of child agents")
    .action(async (options: { limit: number; cursor?: string; agentName?: string; children?: boolean }) => {
      const { listSessions } = await import("../commands/sessions.ts");
      const { agentName, ...rest } = options;
      return listSessions(await context(), { ...rest, ...(agentName === undefined ? {} : { agent: agentName }) });
    });
  sessions
    .command("fork")
    .description("fork a session from an offset; the original stays unchanged")
    .argument("[session]", "id of a session; the most recent one by default")
    .option("--at <offset>", "the last shared offset; the head by default", offset)
    .option("--title <title>", "title of the fork")
    .action(async (session: string | undefined, options: { at?: number; title?: string }) => {
      const { forkFrom } = await import("../commands/forks.ts");
      return forkFrom(await context(), { ...options, ...(session === undefined ? {} : { session }) });
    });
  sessions
    .command("tree")
    .description("where a session was forked from, and what was forked from it")
    .argument("[session]", "id of a session; the most recent one by default")
    .action(async (session: string | undefined) => {
      const { showTree } = await import("../commands/forks.ts");
      return showTree(await context(), session === undefined ? {} : { session });
    });
  sessions
    .command("show")
    .description("a session: its header and its last messages")
    .argument("[session]", "id of a session; the most recent one by default")
    .option("--messages <count>", "how many of the last messages", whole(0, 1000), 20)
    .option("--visible", "everything that the model can know in the next turn")
    .option(...agentOption)
    .action(async (session: string | undefined, options: { messages: number; visible?: true; agent?: string }) => {
      const { showSession } = await import("../commands/sessions.ts");
      return showSession(await context(), { ...options, visible: options.visible ?? false, ...(session === undefined ? {} : { session }) });
    });
  sessions
    .command("identify")
    .description("assign an anonymous session to a customer; an unknown customer is registered")
    .argument("<session>", "id of the session")
    .argument("<customer>", "id of the customer")
    .option("--carry", "move the session's variables and memory to the customer; otherwise they are removed")
    .action(async (session: string, customer: string, options: { carry?: true }) =>
      (await import("../commands/sessions.ts")).identifySession(await context(), { session, customer, carry: options.carry ?? false }),
    );
  return sessions;
}

function addApprovals(sessions: Command, context: Context): void {
  sessions
    .command("pending")
    .description("calls of a session that wait for a decision")
    .argument("[session]", "id of a session; the most recent one by default")
    .action(async (session: string | undefined) => {
      const { listPending } = await import("../commands/approvals.ts");
      return listPending(await context(), session === undefined ? {} : { session });
    });
  const words = [
    ["approve", "approve a pending call", "--edit <json>", "arguments to run it with"],
    ["reject", "reject a call or a question", "--feedback <text>", "what the model is told"],
    ["answer", "answer the question of a tool", "--answer <text>", "the answer"],
  ] as const;
  for (const [word, description, option, meaning] of words) {
    sessions
      .command(word)
      .description(description)
      .argument("<session>", "id of the session")
      .argument("[call]", "number or id of the call, as `sessions pending` lists it; the only one by default")
      .option(option, meaning)
      .option("--by <name>", "who decides, for the record")
      .action(async (session: string, call: string | undefined, options: { edit?: string; feedback?: string; answer?: string; by?: string }) => {
        const { giveWord } = await import("../commands/approvals.ts");
        const { edit, feedback, answer, by } = options;
        const rest = edit === undefined ? (feedback ?? answer ?? "") : `--edit ${edit}`;
        return giveWord(await context(), word, { session, rest, ...(call === undefined ? {} : { call }), ...(by === undefined ? {} : { by }) });
      });
  }
}

function addEvents(program: Command, context: Context): void {
  program
    .command("events")
    .description("show the log of a session")
    .command("list")
    .description("events by offset")
    .option(...sessionOption)
    .option("--min-offset <offset>", "first offset", offset, 0)
    .option("--kinds <kinds>", "only these kinds, separated by commas")
    .option("--limit <count>", "maximum number of items", whole(1, 1000), 100)
    .option("--withdrawn", "include withdrawn events")
    .action(async (options: { session?: string; minOffset: number; kinds?: string; limit: number; withdrawn?: true }) => {
      const { listEvents, parseKinds } = await import("../commands/events.ts");
      const { kinds, withdrawn = false, ...rest } = options;
      return listEvents(await context(), { ...rest, withdrawn, ...(kinds === undefined ? {} : { kinds: parseKinds(kinds) }) });
    });
}

function addState(program: Command, context: Context): void {
  const state = program.command("state").description("look at the state of a session");
  state
    .command("get")
    .description("the state, now or at an offset")
    .option(...sessionOption)
    .option("--at <offset>", "offset", offset)
    .action(async (options: { session?: string; at?: number }) => (await import("../commands/state.ts")).getState(await context(), options));
  state
    .command("diff")
    .description("changes from one offset to another, or from one session to another, such as a fork")
    .argument("<from>", "offset, session, or session@offset", place)
    .argument("<to>", "offset, session, or session@offset", place)
    .option(...sessionOption)
    .action(async (from: StatePlace, to: StatePlace, options: { session?: string }) =>
      (await import("../commands/state.ts")).diffState(await context(), { ...options, from, to }),
    );
}

function addPrompt(program: Command, run: Run): void {
  const prompt = program.command("prompt").description("look at what models are asked");
  prompt
    .command("matrix")
    .description("which response style sees which part of an agent's prompt")
    .argument("[module]", "module that exports `agent`; the companion by default")
    .action(async (module: string | undefined) => (await import("../commands/prompt.ts")).printMatrix(run.plain(), module));
  prompt
    .command("show")
    .description("the exact request of a step, if the agent keeps requests")
    .argument("[session]", "id of a session; the most recent one by default")
    .option("--turn <id>", "id of a turn; the last one by default")
    .option("--step <number>", "a step of that turn, from 1; its last one by default", whole(1, 100_000))
    .action(async (session: string | undefined, options: { turn?: string; step?: number }) =>
      (await import("../commands/prompt.ts")).showPrompt(await run.context(), { ...options, ...(session === undefined ? {} : { session }) }),
    );
}
