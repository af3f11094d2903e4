/** Runs a chat at a terminal: edits input lines and shows replies while they stream. */
import { constants } from "node:os";
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { ThroughlineError, type TurnId } from "throughline/kernel";
import type { Message } from "throughline";
import { describePending, howToDecide } from "../approvals.ts";
import { type Channel, describeError } from "../command-output.ts";
import { changeLine } from "../describe-event.ts";
import { shown, withoutSecret } from "../database-location.ts";
import { changesOver } from "../read-session.ts";
import { clip, indent, printable, wrapped } from "../terminal-text.ts";
import { type Conversation, resuming, startAgain, unsavedResult } from "./open-conversation.ts";
import { contextLine, followTurn, notSaved, remark, replyView, saysItself, tellMessages, type TurnEnd } from "./reply-view.ts";
import { goingOn, messageOf, parseSlash, runSlash, type SlashCommand, unknownCommand } from "./slash.ts";

/** The state of a chat at a terminal. */
interface Screen {
  readonly conversation: Conversation;
  readonly channel: Channel;
  readonly editor: LineEditor;
  /** Whether a turn is running. */
  busy: boolean;
  /** How many times Ctrl-C was pressed since the last line. */
  interrupts: number;
  /** Whether the user has left. Later output is discarded. */
  left: boolean;
  readonly leave: (code: number) => void;
}

/** How many of the last messages are shown, and how many the arrow keys offer. */
const shownMessages = 6;
const rememberedMessages = 200;

/** Runs a chat at a terminal. Returns the exit code when the user leaves. */
export async function chatAtTerminal(conversation: Conversation, input: NodeJS.ReadStream, beforeCrash: { run: () => void }): Promise<number> {
  const channel = conversation.context.output.out;
  const session = await conversation.session();
  const messages = await session.messages({ last: rememberedMessages });
  const leaving = Promise.withResolvers<number>();
  const leave = (code: number): void => {
    screen.left = true;
    leaving.resolve(code);
  };
  const history = messages
    .flatMap(({ role, text, custom }) => (role === "user" && custom !== true ? [printable(text).replaceAll("\n", " ")] : []))
    .toReversed();
  const editor = createLineEditor({
    input,
    terminal: channel.stream,
    prompt: `${channel.paint("bold", "you")} › `,
    history,
    onInterrupt: () => interrupt(screen),
  });
  const screen: Screen = { conversation, channel, editor, busy: false, interrupts: 0, left: false, leave };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const onSignal = (signal: NodeJS.Signals): void => (signal === "SIGINT" ? interrupt(screen) : leave(128 + constants.signals[signal]));
  for (const signal of signals) process.on(signal, onSignal);
  beforeCrash.run = () => {
    editor.close();
    channel.line(
      `\n\n${channel.paint("red", "Crashed on purpose (SIGKILL), in the middle of the reply.")} Start again: ${startAgain(conversation.context)}`,
    );
  };
  try {
    greet(screen, session.id, messages.slice(-shownMessages));
    const end = await Promise.race([talk(screen), leaving.promise]);
    // Completes the line of a prompt that was left without Enter.
    if (end !== "exit") channel.line();
    remark(screen.channel, `The conversation is stored. Continue with: ${startAgain(conversation.context)}`);
    return typeof end === "number" ? end : 0;
  } finally {
    editor.close();
    for (const signal of signals) process.off(signal, onSignal);
  }
}

function greet(screen: Screen, session: string, messages: readonly Message[]): void {
  const { conversation, channel } = screen;
  for (const line of conversation.opening) remark(screen.channel, line);
  remark(
    screen.channel,
    `${conversation.resumed ? "session" : "new session"} ${session} in ${shown(conversation.context.location)} · /help lists what else there is, /exit leaves`,
  );
  channel.line();
  tellMessages(channel, { messages, agent: conversation.agent.name, plain: conversation.context.output.plain });
}

/** Ctrl-C: deletes the typed text. Without text, the first press stops the running turn and the second one leaves. */
function interrupt(screen: Screen): void {
  const { conversation, channel, editor } = screen;
  if (!screen.busy && editor.discard()) return;
  screen.interrupts += 1;
  if (screen.interrupts > 1) return screen.leave(0);
  if (screen.busy) return void stop(conversation).catch(() => {});
  channel.line();
  remark(screen.channel, "Press Ctrl-C again to leave.");
  editor.again();
}

async function stop(conversation: Conversation): Promise<void> {
  await (await conversation.session()).stop("stopped at the terminal");
}

async function talk(screen: Screen): Promise<"exit" | "end"> {
  await resumeLeft(screen);
  for (;;) {
    const line = await screen.editor.next();
    if (line === undefined) return "end";
    screen.interrupts = 0;
    if (line.trim() === "") continue;
    const command = parseSlash(line);
    if (command !== undefined && command !== "unknown" && command.name === "exit") return "exit";
    await guarded(screen, async () => {
      if (command === "unknown") remark(screen.channel, unknownCommand(line));
      else if (command === undefined) await say(screen, messageOf(line));
      else await obey(screen, command);
    });
  }
}

/** Prints an error. It ends the command, not the chat. */
async function guarded(screen: Screen, work: () => Promise<void>): Promise<void> {
  const { conversation, channel } = screen;
  try {
    await work();
  } catch (error) {
    if (screen.left) return;
    channel.line(withoutSecret(describeError(ThroughlineError.from(error), channel.paint), conversation.context.location));
  }
}

async function say(screen: Screen, text: string): Promise<void> {
  const { conversation, channel } = screen;
  const session = await conversation.session();
  try {
    const { offset, turn_id } = await session.post(text);
    if (turn_id !== undefined) return await watch(screen, { turn_id, from: offset + 1, message: offset });
    remark(channel, "People have this session, so the agent stays silent. Your message is stored for them; /handback returns the session.");
  } catch (error) {
    if (screen.left) throw error;
    const result = await unsavedResult(conversation, text, error);
    replyView(channel, conversation.agent.name, () => screen.left).final(result.reply ?? "");
    remark(channel, notSaved(result), "red");
  }
}

/** Runs a command and shows the turn that it continues. */
async function obey(screen: Screen, command: SlashCommand): Promise<void> {
  const { conversation, channel } = screen;
  const going = goingOn(command);
  if (going === undefined) return runSlash(conversation, command, channel);
  const goesOn = await going(conversation, channel);
  if (goesOn !== undefined) await watch(screen, goesOn);
}

/** Resumes the turns that an earlier process left open and shows their replies. */
async function resumeLeft(screen: Screen): Promise<void> {
  const { turns, waiting } = screen.conversation.left;
  for (const turn of turns) {
    const messages = waiting.filter((message) => message.turn === turn.number).map((message) => message.offset);
    const what =
      messages.length === 0
        ? turn.cause
        : messages.length === 1
          ? `your message at offset ${messages[0]}`
          : `your messages at offsets ${messages.join(", ")}`;
    remark(screen.channel, resuming(turn, what), "cyan");
    const from = messages[0] ?? 0;
    await guarded(screen, () => watch(screen, { turn_id: turn.turn_id, from, message: messages.at(-1) }));
  }
}

/** Shows a turn: the streaming reply, its end, and the state changes. */
async function watch(screen: Screen, turn: { readonly turn_id: TurnId; readonly from: number; readonly message: number | undefined }): Promise<void> {
  const session = await screen.conversation.session();
  screen.busy = true;
  try {
    const end = await followTurn(
      session,
      turn,
      replyView(screen.channel, screen.conversation.agent.name, () => screen.left),
    );
    showEnd(screen, end);
    if (end.type === "ended") await showContextOf(screen, turn, end.offset);
  } finally {
    screen.busy = false;
  }
}

function showEnd(screen: Screen, end: TurnEnd): void {
  if (end.type === "paused") {
    screen.channel.line(describePending(end.pending, screen.channel, screen.conversation.context.clock.now()));
    return remark(screen.channel, howToDecide(end.pending), "cyan");
  }
  if (end.type === "behind") return remark(screen.channel, "Another turn waits for your decision, and this one behind it: /pending");
  if (end.type === "withdrawn") return remark(screen.channel, "The turn was withdrawn.");
  if (end.type === "manual") return remark(screen.channel, "A person has taken over, so the agent stays silent.");
  const { outcome } = end;
  if (outcome.status === "stopped") remark(screen.channel, `Stopped (${clip(outcome.reason, 40)}). Your message is stored without an answer.`);
  if (outcome.status === "failed") remark(screen.channel, `The turn failed: ${clip(outcome.error.message, 200)} (${outcome.error.code})`, "red");
}

/** Explains the reply in one line. Also shows the state changes, unless the agent's state describes the turn itself. */
async function showContextOf(screen: Screen, { turn_id, from }: { readonly turn_id: TurnId; readonly from: number }, to: number): Promise<void> {
  const { conversation, channel } = screen;
  const session = await conversation.session();
  const isWanted = conversation.contextLine ?? true;
  const [result, info] = isWanted ? await Promise.all([session.outcome(turn_id), session.info()]) : [];
  const line = result === undefined || info === undefined ? undefined : contextLine(result, info);
  if (line !== undefined) channel.line(channel.paint("dim", indent(wrapped(line, channel.columns(80) - 2))));
  if (line === undefined || result === undefined || !saysItself(result)) await showChanges(screen, Math.max(0, from - 1), to);
}

async function showChanges({ conversation, channel }: Screen, from: number, to: number): Promise<void> {
  const { id } = await conversation.session();
  const changes = await changesOver(conversation.store, id, from, to);
  if (changes.length > 0) channel.line(channel.paint("dim", `  ${changeLine(changes, Math.min(100, channel.columns(80)))} · /diff`));
}

/** The output of the line editor. It writes to the terminal while a prompt is open, and discards output while a reply streams. */
class Gate extends Writable {
  readonly #terminal: NodeJS.WriteStream;
  open = false;

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    terminal.on("resize", () => this.emit("resize"));
  }

  /** Hidden text must not count as rows, or the next prompt would erase them. */
  get columns(): number {
    return this.open ? this.#terminal.columns || 80 : 1_000_000;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    if (this.open) this.#terminal.write(chunk);
    done();
  }
}

/** Reads lines from a user, one at a time. Lines typed ahead are kept and shown with the next prompt. */
interface LineEditor {
  /** The next line; undefined at the end of the input. */
  next(): Promise<string | undefined>;
  /** Deletes the typed text. Returns whether there was any. */
  discard(): boolean;
  /** Shows the prompt again after other output. */
  again(): void;
  /** Ends the input and restores the terminal. */
  close(): void;
}

interface LineEditorOptions {
  readonly input: NodeJS.ReadStream;
  readonly terminal: NodeJS.WriteStream;
  readonly prompt: string;
  /** Earlier lines for the arrow keys, newest first. */
  readonly history: readonly string[];
  /** Called on Ctrl-C. */
  readonly onInterrupt: () => void;
}

/** Creates a line editor with history at a terminal. */
function createLineEditor(options: LineEditorOptions): LineEditor {
  const { input, terminal, prompt, history, onInterrupt } = options;
  const gate = new Gate(terminal);
  const smart = process.env["TERM"] !== "dumb";
  const editor: Interface = createInterface({
    input,
    output: gate,
    terminal: smart,
    prompt,
    history: [...history],
    historySize: 500,
    removeHistoryDuplicates: true,
    escapeCodeTimeout: 50,
  });
  const typed: string[] = [];
  let ended = false;
  let wake: (() => void) | undefined;

  editor.on("line", (line) => {
    typed.push(line);
    gate.open = false;
    wake?.();
  });
  editor.on("close", () => {
    ended = true;
    wake?.();
  });
  editor.on("SIGINT", onInterrupt);

  return {
    async next() {
      const ahead = typed.shift();
      if (ahead !== undefined) {
        terminal.write(`${prompt}${ahead}\n`);
        return ahead;
      }
      if (ended) return undefined;
      gate.open = true;
      editor.prompt(true);
      await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
      gate.open = false;
      return typed.shift();
    },
    discard() {
      const some = editor.line !== "";
      editor.write(null, { ctrl: true, name: "e" });
      editor.write(null, { ctrl: true, name: "u" });
      return some;
    },
    again() {
      if (!ended) editor.prompt(true);
    },
    close() {
      gate.open = false;
      editor.close();
    },
  };
}
