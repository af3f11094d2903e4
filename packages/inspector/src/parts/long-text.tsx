/** Texts of people and models: always as text, isolated from the direction of what stands around them, and cut when they are long. */
import { useState } from "preact/hooks";
import { texts } from "../base/page-texts.ts";

/** Characters that are shown at once. */
const shortLength = 2_000;
/** Characters that are shown on demand. More would stop the page. */
const longestShown = 1_000_000;

/** Cuts a text for one line. Line breaks become spaces. */
export const oneLine = (text: string, most = 240): string => {
  const line = text
    .slice(0, most * 2)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > most || text.length > most * 2 ? `${line.slice(0, most)}…` : line;
};

/** A text that wraps. A long one can be shown whole. */
export function LongText({ text, code = false }: { readonly text: string; readonly code?: boolean }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > shortLength;
  const shown = cut ? text.slice(0, shortLength) : text.slice(0, longestShown);
  return (
    <>
      {code ? (
        <pre class="long-text" tabIndex={0}>
          <bdi>{shown}</bdi>
        </pre>
      ) : (
        <p class="long-text">
          <bdi>{shown}</bdi>
        </p>
      )}
      {cut ? (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {texts.showAll(text.length)}
        </button>
      ) : undefined}
    </>
  );
}
