/** The only writer to the terminal of a chat. What was said stands above, and a panel stays below the line that is being typed or written. */
import type { Channel } from "../command-output.ts";
import { fitted } from "../terminal-text.ts";
import type { Size } from "./panel.ts";

const escape = "\u001b";
/** Moves down by a row in the same column, and scrolls at the bottom. */
const down = `${escape}D`;
const eraseBelow = `${escape}[J`;
const [save, restore] = [`${escape}7`, `${escape}8`];
/** Terminals that know it show all between the two at once. */
const [begin, end] = [`${escape}[?2026h`, `${escape}[?2026l`];

const upBy = (rows: number): string => (rows === 0 ? "" : `${escape}[${rows}A`);
const downBy = (rows: number): string => (rows === 0 ? "" : `${escape}[${rows}B`);

/** Where the cursor is in the line that is being typed: the rows of the line above and below it, and whether it is at the end. */
interface Place {
  readonly above: number;
  readonly below: number;
  readonly atEnd: boolean;
}

/** The line that is being typed, as far as the screen needs it. */
export interface TypedLine {
  /** Where the cursor is; undefined while no line is edited. */
  place(): Place | undefined;
  /** Shows the line again, at the cursor. */
  again(): void;
}

export interface Screen {
  /** Writes what stays: it goes above the panel, and above a line that is being typed. */
  readonly channel: Channel;
  /** Writes what draws the line that is being typed. */
  draw(text: string): void;
  /** Sets the panel; undefined removes it. */
  show(panel: ((size: Size) => readonly string[]) | undefined): void;
  /** Connects the line editor. */
  connect(line: TypedLine): void;
  /** Removes the panel and writes nothing more by itself. */
  close(): void;
}

/** The text that draws the panel below the line at the cursor, and returns there. */
export function drawnBelow(lines: readonly string[], place: { readonly below: number } | undefined): string {
  const below = place?.below ?? 0;
  if (lines.length === 0) return "";
  const rows = below + lines.length;
  // Room is made first, because what scrolls the screen would make the saved place wrong.
  const room = `${down.repeat(rows)}${upBy(rows)}`;
  return `${room}${save}${downBy(below)}\r\n${eraseBelow}${lines.join("\r\n")}${restore}`;
}

/** Creates the screen of a chat. `channel` is the terminal's. */
export function createScreen(channel: Channel): Screen {
  const { stream } = channel;
  let panel: ((size: Size) => readonly string[]) | undefined;
  let line: TypedLine | undefined;
  let pending = "";
  /** The place at the last drawing. */
  let last: Place | undefined;
  let isShown = false;
  let isScheduled = false;

  const size = (): Size => ({ columns: stream.columns || 80, rows: stream.rows || 24 });
  /** Whether a text stays in the row of the cursor, and so leaves the panel as it is. */
  const staysInRow = (text: string, place: Place | undefined): boolean =>
    isShown &&
    text !== "" &&
    place?.above === last?.above &&
    place?.below === last?.below &&
    !["\n", `${escape}[J`, `${escape}[0J`].some((moves) => text.includes(moves));
  /** Writes a text at the cursor, and the panel below it. */
  const put = (text: string): void => {
    const place = line?.place();
    const isSame = staysInRow(text, place);
    const lines = isSame ? [] : (panel?.(size()) ?? []);
    // Nothing but the panel is behind the cursor while no line is typed, and at the end of one. Elsewhere the editor erases what it moves.
    const erased = isShown && (last === undefined || last.atEnd) ? eraseBelow : "";
    last = place;
    if (isSame) return void stream.write(text);
    isShown = lines.length > 0;
    stream.write(lines.length === 0 && erased === "" ? text : `${begin}${erased}${text}${drawnBelow(lines, place)}${end}`);
  };
  const flush = (): void => {
    isScheduled = false;
    const text = pending;
    pending = "";
    put(text);
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(() => {
      if (isScheduled) flush();
    });
  };
  /** Writes a text in place of the typed line, and the line below it. The editor goes up by the rows of its last drawing before it draws anew. */
  const over = ({ above }: Place, text: string): void => {
    stream.write(`${upBy(above)}\r${eraseBelow}${text}${"\n".repeat(last?.above ?? 0)}`);
    last = undefined;
    isShown = false;
    line?.again();
  };
  const write = (text: string): void => {
    if (isScheduled) flush();
    const place = line?.place();
    if (place === undefined) put(text);
    else over(place, text);
  };
  const onResize = (): void => {
    if (isScheduled) flush();
    const place = line?.place();
    if (place === undefined) schedule();
    else over(place, "");
  };
  stream.on("resize", onResize);
  return {
    channel: {
      stream,
      // The last column stays free: a line that fills it would leave the cursor where terminals differ.
      columns: (otherwise) => channel.columns(otherwise + 1) - 1,
      paint: channel.paint,
      // What is painted was wrapped before.
      line: (text = "") => write(`${text.includes(escape) ? text : fitted(text, channel.columns(81) - 1)}\n`),
      write,
    },
    draw(text) {
      pending += text;
      schedule();
    },
    show(next) {
      panel = next;
      schedule();
    },
    connect(next) {
      line = next;
    },
    close() {
      if (isScheduled) flush();
      stream.off("resize", onResize);
      panel = undefined;
      if (isShown) stream.write(eraseBelow);
      isShown = false;
    },
  };
}
