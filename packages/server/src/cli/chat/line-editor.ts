/** Reads lines from a person at a terminal: editing, history, and pasted text that stays one message. */
import { createInterface, type Interface } from "node:readline";
import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { widthOf } from "../terminal-text.ts";
import type { Screen } from "./chat-screen.ts";

/** Stands for a line break in a line that is being typed. */
const breakSign = "⏎";

/** A text with line breaks as one line, and the other way round. */
export const asOneLine = (text: string): string => text.replaceAll(/\r\n?|\n/gu, breakSign);
const asLines = (line: string): string => line.replaceAll(breakSign, "\n");

const pasteBegins = "\u001b[200~";
const pasteEnds = "\u001b[201~";
/** The shortest part of a mark that is held back until the rest arrives. A lone escape is a key. */
const leastHeld = 2;

/** Separates what is typed from what is pasted. The terminal marks pasted text, if it was asked to. */
export function createPasteFilter(take: { readonly typed: (text: string) => void; readonly pasted: (text: string) => void }): (text: string) => void {
  let rest = "";
  let isPasting = false;
  return (chunk) => {
    rest += chunk;
    for (;;) {
      const mark = isPasting ? pasteEnds : pasteBegins;
      const at = rest.indexOf(mark);
      if (at === -1) break;
      const text = rest.slice(0, at);
      rest = rest.slice(at + mark.length);
      if (isPasting) take.pasted(text);
      else if (text !== "") take.typed(text);
      isPasting = !isPasting;
    }
    // Pasted text is taken as a whole.
    if (isPasting) return;
    const held = heldFrom(rest);
    if (held > 0) take.typed(rest.slice(0, held));
    rest = rest.slice(held);
  };
}

/** Where a mark that is not complete may begin at the end of a text. */
function heldFrom(text: string): number {
  for (let length = Math.min(pasteBegins.length - 1, text.length); length >= leastHeld; length -= 1)
    if (pasteBegins.startsWith(text.slice(-length))) return text.length - length;
  return text.length;
}

/** The number of times that a text breaks where lines have `columns`. A line that is full has broken. */
export function rowsOf(text: string, columns: number): number {
  let row = 0;
  let column = 0;
  for (const character of stripVTControlCharacters(text)) {
    const width = widthOf(character);
    if (column + width > columns) {
      row += 1;
      column = 0;
    }
    column += width;
  }
  return column === columns ? row + 1 : row;
}

/** The output of the line editor. It draws while a prompt is open, and draws nothing while a reply streams. */
class Gate extends Writable {
  readonly #screen: Screen;
  open = false;

  constructor(screen: Screen) {
    super({ decodeStrings: false });
    this.#screen = screen;
  }

  /** Hidden text must not count as rows, or the next prompt would erase them. */
  get columns(): number {
    return this.open ? this.#screen.channel.stream.columns || 80 : 1_000_000;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    if (this.open) this.#screen.draw(chunk);
    done();
  }
}

/** Reads lines from a user, one at a time. Lines typed ahead are kept and shown with the next prompt. */
export interface LineEditor {
  /** The next line; undefined at the end of the input. `prompt` replaces the usual one. */
  next(prompt?: string): Promise<string | undefined>;
  /** Deletes the typed text. Returns whether there was any. */
  discard(): boolean;
  /** Shows the prompt again after other output. */
  again(): void;
  /** Ends the input and restores the terminal. */
  close(): void;
}

interface LineEditorOptions {
  readonly input: NodeJS.ReadStream;
  readonly screen: Screen;
  /** Whether lines can be edited. Without that the terminal itself reads them, and nothing moves its cursor. */
  readonly edits: boolean;
  readonly prompt: string;
  /** Earlier lines for the arrow keys, newest first. */
  readonly history: readonly string[];
  /** Completes a line that begins with one of these words. */
  readonly words: readonly string[];
  /** Called on Ctrl-C. */
  readonly onInterrupt: () => void;
}

/** The keys of a terminal, of which the pasted ones are taken apart. It is a stream because readline reads one. */
class Keys extends PassThrough {
  readonly #input: NodeJS.ReadStream;
  readonly #listener: (chunk: Buffer) => void;

  constructor(input: NodeJS.ReadStream, onPaste: (text: string) => void) {
    super();
    this.#input = input;
    const decoder = new TextDecoder();
    const filter = createPasteFilter({ typed: (text) => this.emit("data", Buffer.from(text)), pasted: onPaste });
    this.#listener = (chunk) => filter(decoder.decode(chunk, { stream: true }));
    input.on("data", this.#listener).once("end", () => this.emit("end"));
  }

  setRawMode(on: boolean): this {
    this.#input.setRawMode(on);
    return this;
  }

  leave(): void {
    this.#input.off("data", this.#listener);
    this.#input.pause();
  }
}

/** Creates a line editor with history at a terminal. */
export function createLineEditor(options: LineEditorOptions): LineEditor {
  const { input, screen, edits, history, words, onInterrupt } = options;
  const { channel } = screen;
  const gate = new Gate(screen);
  const keys = edits ? new Keys(input, (text) => editor.write(asOneLine(text))) : undefined;
  let prompt = options.prompt;
  const editor: Interface = createInterface({
    input: keys ?? input,
    output: gate,
    terminal: edits,
    prompt,
    history: history.map(asOneLine),
    historySize: 500,
    removeHistoryDuplicates: true,
    escapeCodeTimeout: 50,
    completer: (line: string) => [line.startsWith("/") ? words.filter((word) => word.startsWith(line)).map((word) => `${word} `) : [], line],
  });
  const typed: string[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  const resumed = (): void => void channel.stream.write("\u001b[?2004h");

  if (edits) {
    resumed();
    process.on("SIGCONT", resumed);
    screen.connect({
      place() {
        if (!gate.open) return undefined;
        const { rows } = editor.getCursorPos();
        const below = Math.max(0, rowsOf(`${prompt}${editor.line}`, gate.columns) - rows);
        return { above: rows, below, atEnd: editor.cursor === editor.line.length };
      },
      again: () => editor.prompt(true),
    });
  }
  editor.on("line", (line) => {
    typed.push(asLines(line));
    gate.open = false;
    wake?.();
  });
  editor.on("close", () => {
    ended = true;
    gate.open = false;
    wake?.();
  });
  editor.on("SIGINT", onInterrupt);

  return {
    async next(asked = options.prompt) {
      prompt = asked;
      editor.setPrompt(asked);
      const ahead = typed.shift();
      if (ahead !== undefined) {
        channel.line(`${prompt}${asOneLine(ahead)}`);
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
      if (!edits || editor.line === "") return false;
      editor.write(null, { ctrl: true, name: "e" });
      editor.write(null, { ctrl: true, name: "u" });
      return true;
    },
    again() {
      if (!ended) editor.prompt(true);
    },
    close() {
      gate.open = false;
      if (edits) {
        process.off("SIGCONT", resumed);
        channel.stream.write("\u001b[?2004l");
      }
      keys?.leave();
      editor.close();
    },
  };
}
