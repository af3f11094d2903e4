/** The command `throughline chat`, at a terminal or over a pipe. */
import { createInterface } from "node:readline";
import { silentLogger, ThroughlineError } from "throughline/kernel";
import type { TurnResult } from "throughline";
import { describePending, howToDecide } from "../approvals.ts";
import type { CommandContext } from "../command-context.ts";
import { describeError } from "../command-output.ts";
import { shown } from "../database-location.ts";
import type { Inspector } from "../inspector-service.ts";
import { chatAtTerminal } from "./interactive.ts";
import { type ChatOptions, type Conversation, openConversation, resuming, startAgain, disclosuresSince, unsavedResult } from "./open-conversation.ts";
import { contextLine, notSaved } from "./reply-view.ts";
import { traceOf } from "./thread-slash.ts";
import { goingOn, messageOf, parseSlash, runSlash, type SlashName } from "./slash.ts";

/** `chat`: interactive at a terminal, or one message per line over a pipe. Returns the exit code. */
export async function chat(context: CommandContext, options: ChatOptions): Promise<number> {
  const { stdin, output } = context;
  if (options.new && options.session !== undefined) throw new ThroughlineError("cli.usage", "--new and --session exclude each other.");
  if (options.session !== undefined && (options.customer !== undefined || options.incognito === true))
    throw new ThroughlineError("cli.usage", "--session names an existing session; --customer and --incognito are for a new one.");
  const atTerminal = stdin.isTTY && output.out.stream.isTTY;
  if (atTerminal && output.json)
    throw new ThroughlineError("cli.usage", "--json needs a conversation from a pipe.", {
      hint: "For example: echo hello | throughline chat --json",
    });
  // The kind of chat sets the final output. The crash switch that runs it is created before.
  output.theme = options.theme ?? output.theme;
  const beforeCrash = { run: (): void => {} };
  // A pipe starts a new session unless `--session` names one.
  const conversation = await openConversation(context, { ...options, new: options.new || (!stdin.isTTY && options.session === undefined) }, () =>
    beforeCrash.run(),
  );
  let code = 1;
  let inspector: Inspector | undefined;
  try {
    if (options.inspect === true) inspector = await showInspector(conversation);
    code = await (atTerminal ? chatAtTerminal : chatOverPipe)(conversation, stdin, beforeCrash);
    return code;
  } finally {
    await inspector?.close({ drainMs: 0 });
    // A user who leaves does not wait for a reply. The turn is released and resumed at the next start.
    await conversation.close({ drainMs: atTerminal || code > 128 ? 0 : 5_000 });
  }
}

/** Serves an inspector of the chat's database, and prints its address. */
async function showInspector({ store, agent, context: { output, clock } }: Conversation): Promise<Inspector> {
  const { openInspector } = await import("../inspector-service.ts");
  const inspector = await openInspector({ store, agents: [agent], clock, logger: silentLogger, host: "127.0.0.1", port: 0 });
  output.err.line(`Inspector: ${inspector.address}`);
  return inspector;
}

interface Signals {
  readonly interrupted: AbortSignal;
  readonly terminated: AbortSignal;
}

/** A turn in the document of `--json`. */
interface PipedTurn extends TurnResult {
  readonly message: string;
}

/**
 * Runs a conversation from standard input and answers each line before reading the next. Only replies go to standard output. A line that is exactly a
 * chat command runs it, with its output on stderr. Returns the exit code: 1 if a turn failed.
 */
async function chatOverPipe(conversation: Conversation, input: NodeJS.ReadStream, beforeCrash: { run: () => void }): Promise<number> {
  const { output, location } = conversation.context;
  const dim = (text: string): void => output.err.line(output.err.paint("dim", text));
  for (const line of conversation.opening) dim(line);
  let id: string | undefined;
  beforeCrash.run = () =>
    output.err.line(`Crashed on purpose (SIGKILL), in the middle of the reply. Start again: ${startAgain(conversation.context, id)}`);
  const interrupted = new AbortController();
  // Ctrl-C stops the turn. SIGTERM leaves the turn to the next start.
  const terminated = new AbortController();
  const onInterrupt = (): void => interrupted.abort();
  const onTerminate = (): void => terminated.abort(new ThroughlineError("aborted", "The process was asked to stop."));
  process.on("SIGINT", onInterrupt).on("SIGTERM", onTerminate);
  const signals = { interrupted: interrupted.signal, terminated: terminated.signal };
  const results: PipedTurn[] = [];
  let code = 0;
  try {
    const announce = async (): Promise<void> => {
      if (id !== undefined) return;
      ({ id } = await conversation.session());
      dim(`${conversation.resumed ? "session" : "new session"} ${id} in ${shown(location)}`);
    };
    if (conversation.resumed) {
      await announce();
      code = await resumeLeft(conversation, signals);
    }
    for await (const line of linesOf(input, AbortSignal.any([signals.interrupted, signals.terminated]))) {
      await announce();
      const result = await take(conversation, line, signals);
      if (result === "leave") break;
      if (result === undefined) continue;
      results.push({ message: messageOf(line), ...result });
      code = Math.max(code, report(conversation, result));
      if (result.saved !== undefined) continue;
      if (conversation.contextLine === true) await showContext(conversation, result);
      for (const text of traceOf(conversation, result)) output.err.line(text);
      for (const text of await disclosuresSince(conversation, result.offset)) dim(text);
    }
    if (output.json) output.document({ session_id: id ?? null, turns: results });
  } catch (error) {
    if (!terminated.signal.aborted) throw error;
  } finally {
    process.off("SIGINT", onInterrupt).off("SIGTERM", onTerminate);
  }
  return terminated.signal.aborted ? 143 : interrupted.signal.aborted ? 130 : code;
}

/** Yields lines that are not blank until the input ends or the signal aborts. */
async function* linesOf(input: NodeJS.ReadStream, signal: AbortSignal): AsyncGenerator<string> {
  if (signal.aborted) return;
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, terminal: false });
  signal.addEventListener("abort", () => reader.close(), { once: true });
  for await (const line of reader) {
    const text = line.replace(/^\uFEFF/u, "");
    if (text.trim() !== "") yield text;
    if (signal.aborted) return;
  }
}

async function take(conversation: Conversation, line: string, signals: Signals): Promise<TurnResult | "leave" | undefined> {
  const command = parseSlash(line);
  // Any other line that starts with a slash is a message.
  if (command !== undefined && command !== "unknown" && isWhole(command)) {
    if (command.name === "exit") return "leave";
    const going = goingOn(command);
    if (going !== undefined) return give(conversation, going, signals);
    const { err } = conversation.context.output;
    try {
      await runSlash(conversation, command, err);
    } catch (error) {
      // A rejected command does not end the conversation.
      if (!ThroughlineError.is(error)) throw error;
      err.line(describeError(error, err.paint));
    }
    return undefined;
  }
  const text = messageOf(line);
  const session = await conversation.session();
  try {
    const { offset } = await session.post(text, conversation.messageOptions);
    return await outcome(conversation, offset, signals);
  } catch (error) {
    if (signals.terminated.aborted) throw error;
    return unsavedResult(conversation, text, error);
  }
}

/** Runs a command that continues a turn, and returns that turn's outcome. A rejected decision does not end the conversation. */
async function give(conversation: Conversation, going: NonNullable<ReturnType<typeof goingOn>>, signals: Signals): Promise<TurnResult | undefined> {
  const { err } = conversation.context.output;
  try {
    const goesOn = await going(conversation, err);
    if (goesOn === undefined) return undefined;
    return await outcome(conversation, goesOn.turn_id, signals);
  } catch (error) {
    if (!ThroughlineError.is(error, "approval.not_pending", "approval.stale", "handover.none", "input.invalid")) throw error;
    err.line(describeError(error, err.paint));
    return undefined;
  }
}

const words: ReadonlySet<SlashName> = new Set(["approve", "reject", "answer", "memory", "forget", "recall", "vars", "handover"]);

/** The arguments with which a line over a pipe is a command, and not a message that begins with its name. */
const wholeWith: Readonly<Partial<Record<SlashName, RegExp>>> = {
  rewind: /^\d+$/u,
  fork: /^\d+$/u,
  resume: /^(?:\d+|ses_\w+)$/u,
  new: /^incognito$/u,
  mode: /^(?:auto|deterministic|hybrid)$/u,
  trace: /^(?:on|off|once)$/u,
  theme: /^(?:dark|light|contrast|none)$/u,
};

const isWhole = ({ name, argument }: { readonly name: SlashName; readonly argument: string }): boolean =>
  argument === "" || words.has(name) || (wholeWith[name]?.test(argument) ?? false);

/** Waits for the outcome of a message or a turn. An interruption stops the turn first. */
async function outcome(conversation: Conversation, of: number | string, { interrupted, terminated }: Signals): Promise<TurnResult> {
  const session = await conversation.session();
  const stop = (): void => void session.stop("interrupted").catch(() => {});
  interrupted.addEventListener("abort", stop, { once: true });
  if (interrupted.aborted) stop();
  try {
    return await session.outcome(of, { signal: terminated });
  } finally {
    interrupted.removeEventListener("abort", stop);
  }
}

/** Prints the reply to stdout and remarks to stderr. Returns the exit code. */
function report({ context: { output, clock } }: Conversation, result: TurnResult): number {
  if (result.reply !== undefined && !output.json) output.out.line(result.reply);
  if (result.status === "waiting")
    output.err.line("A person has this session, so the agent stays silent. The message is stored for them; /handback returns the session.");
  if (result.pending !== undefined) {
    output.err.line(describePending(result.pending, output.err, clock.now()));
    output.err.line(howToDecide(result.pending));
  }
  if (result.status === "stopped") output.err.line(`The turn was stopped (${result.reason ?? "no reason given"}).`);
  if (result.saved !== undefined) output.err.line(notSaved(result));
  else if (result.error !== undefined) output.err.line(`The turn failed: ${result.error.message} (${result.error.code})\n${result.error.hint}`);
  return result.status === "failed" ? 1 : 0;
}

/** Prints the line that explains the reply. */
async function showContext({ session, context: { output } }: Conversation, result: TurnResult): Promise<void> {
  const line = contextLine(result, await (await session()).info());
  if (line !== undefined) output.err.line(output.err.paint("dim", line));
}

/** Waits for turns that an earlier process left open, so that replies keep their order. */
async function resumeLeft(conversation: Conversation, signals: Signals): Promise<number> {
  const { turns, waiting } = conversation.left;
  const { output } = conversation.context;
  let code = 0;
  for (const turn of turns) {
    const offset = waiting.findLast((message) => message.turn === turn.number)?.offset;
    if (offset === undefined) continue;
    output.err.line(resuming(turn, `the message at offset ${offset}`));
    code = Math.max(code, report(conversation, await outcome(conversation, offset, signals)));
  }
  return code;
}
