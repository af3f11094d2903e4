import type { TurnResult } from "../../runtime/reading/outcome.ts";
import type { Channel, Style } from "../output.ts";
import type { ReplyView } from "./follow-turn.ts";
import { widthOf } from "../text.ts";
import { createWrapper, wrapped } from "./wrap.ts";

/** What the chat itself has to say. */
export function remark(channel: Channel, text: string, style: Style = "dim"): void {
  channel.line(channel.paint(style, wrapped(text, channel.columns(80))));
}

/** The remark under a reply that the database does not hold. */
export const notSaved = ({ error, saved }: Pick<TurnResult, "error" | "saved">): string => {
  const kept = saved === false ? "this message and its reply are not kept" : "this message may be kept, its reply is not";
  return `The database does not answer${error === undefined ? "" : ` (${error.code})`}: ${kept}.`;
};

/** Shows one reply at a terminal, as it comes; `name` is who speaks. Once it is `over` for the reader, nothing more is shown. */
export function replyView(channel: Channel, name: string, over: () => boolean): ReplyView {
  let written = "";
  let told: string[] = [];
  let wrapper: ReturnType<typeof createWrapper> | undefined;
  const open = (): ReturnType<typeof createWrapper> => {
    if (wrapper !== undefined) return wrapper;
    channel.stream.write(`${channel.paint("cyan", name)} › `);
    wrapper = createWrapper((text) => channel.stream.write(text), { column: widthOf(name) + 3, columns: () => channel.columns(80) });
    return wrapper;
  };
  const close = (): void => {
    if (!over()) wrapper?.end();
    wrapper = undefined;
    written = "";
    for (const text of told) if (!over()) remark(channel, text, "cyan");
    told = [];
  };
  return {
    delta(text) {
      if (over()) return;
      written += text;
      open().write(text);
    },
    takenBack(reason) {
      if (wrapper === undefined || over()) return;
      close();
      if (reason !== "stopped") channel.line(channel.paint("dim", "  (taken back; what follows holds)"));
    },
    final(text) {
      if (over()) return;
      // The end of a reply may be held back until all of it was read: what is shown already stays.
      const goesOn = text.startsWith(written);
      if (!goesOn) close();
      if (written !== text) open().write(goesOn ? text.slice(written.length) : text);
      close();
    },
    // Before the reply, unless that is being shown already.
    told(text) {
      if (wrapper !== undefined) told.push(text);
      else if (!over()) remark(channel, text, "cyan");
    },
    end: close,
  };
}
