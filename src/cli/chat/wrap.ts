import { printable, widthOf } from "../text.ts";

/** Breaks text into lines between words while it is streamed. */
export interface Wrapper {
  write(text: string): void;
  /** Writes what is held back, and ends the line. */
  end(): void;
}

/** A text that is there already, broken into lines. */
export function wrapped(text: string, columns: number): string {
  let lines = "";
  const wrapper = createWrapper((piece) => (lines += piece), { column: 0, columns: () => columns });
  wrapper.write(text);
  wrapper.end();
  return lines.slice(0, -1);
}

/** Characters of the scripts that are written without spaces: a line may break before each. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
const pieces = new RegExp(String.raw`\n|[^\S\n]+|${unspaced}|(?:(?!${unspaced})\S)+`, "gu");
const isUnspaced = new RegExp(`^${unspaced}`, "u");

/** Long lines are hard to read, however wide the terminal is. */
const widest = 100;

/** `column` is where the text begins; `columns` is asked for at every break, so that a resized terminal is followed. */
export function createWrapper(sink: (text: string) => void, options: { readonly column: number; readonly columns: () => number }): Wrapper {
  let column = options.column;
  let word = "";
  let space = "";
  /** Lines of an item of a list begin below its text. */
  let hang = "";
  const flush = (): void => {
    if (word === "") return;
    const width = Math.min(widest, Math.max(20, options.columns()));
    const breaks = column > 0 && column + widthOf(space) + widthOf(word) > width;
    sink(breaks ? `\n${hang}${word}` : `${space}${word}`);
    if (column === 0 && space === "" && word === "-") hang = "  ";
    column = (breaks ? hang.length : column + widthOf(space)) + widthOf(word);
    word = "";
    space = "";
  };
  return {
    write(text) {
      for (const piece of printable(text).match(pieces) ?? []) {
        if (/\S/u.test(piece)) {
          if (isUnspaced.test(piece)) flush();
          word += piece;
          continue;
        }
        flush();
        if (piece === "\n") {
          sink("\n");
          hang = "";
        }
        column = piece === "\n" ? 0 : column;
        space = piece === "\n" ? "" : piece.replaceAll("\t", "  ");
      }
    },
    end() {
      flush();
      sink("\n");
    },
  };
}
