import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";

/** What a terminal's line editor writes to: the terminal while a line is asked for, nothing while a reply is written. */
class Gate extends Writable {
  readonly #terminal: NodeJS.WriteStream;
  open = false;

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    terminal.on("resize", () => this.emit("resize"));
  }

  /** While nothing is shown nothing must be thought to take up rows, or the next prompt would erase them. */
  get columns(): number {
    return this.open ? this.#terminal.columns || 80 : 1_000_000;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    if (this.open) this.#terminal.write(chunk);
    done();
  }
}

/** Lines that a person types, one at a time. What is typed while nobody asks is kept and shown with the next prompt. */
export interface LineEditor {
  /** The next line; undefined at the end of the input. */
  next(): Promise<string | undefined>;
  /** Takes away what was typed; whether there was anything. */
  discard(): boolean;
  /** Shows the prompt again, after something else was written. */
  again(): void;
  /** Ends the input and gives the terminal back as it was. */
  close(): void;
}

export interface LineEditorOptions {
  readonly input: NodeJS.ReadStream;
  readonly terminal: NodeJS.WriteStream;
  readonly prompt: string;
  /** Earlier lines for the arrow keys, newest first. */
  readonly history: readonly string[];
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
}

/** A line editor with history, on a terminal. */
export function createLineEditor(options: LineEditorOptions): LineEditor {
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
