/** The differences between two documents, one by one. */
import type { WireJson } from "@throughline/client";
import { texts } from "../base/page-texts.ts";
import type { Change } from "./json-rows.ts";
import { LongText } from "./long-text.tsx";

/** The most changes that are shown. */
const mostShown = 200;

/** What the two sides and their differences are called. */
interface Words {
  readonly before: string;
  readonly after: string;
  readonly ops: Readonly<Record<Change["op"], string>>;
}

interface ChangeListProps {
  readonly changes: readonly Change[];
  readonly words?: Words;
}

export const ChangeList = ({ changes, words = texts.diff }: ChangeListProps) => (
  <>
    <ul class="changes">
      {changes.slice(0, mostShown).map((change) => (
        <ChangeItem key={`${change.op} ${change.path}`} change={change} words={words} />
      ))}
    </ul>
    {changes.length > mostShown ? <p class="hint">{texts.diff.more(changes.length - mostShown)}</p> : undefined}
  </>
);

const textOf = (value: WireJson): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

const ChangeItem = ({ change: { op, path, before, after }, words }: { readonly change: Change; readonly words: Words }) => (
  <li class={`change ${op}`}>
    <div class="change-head">
      <span class="op">{words.ops[op]}</span>
      <bdi class="path">{path}</bdi>
    </div>
    {before === undefined ? undefined : (
      <div class="side before">
        <span aria-hidden="true">−</span>
        <span class="unseen">{words.before}</span>
        <LongText text={textOf(before)} />
      </div>
    )}
    {after === undefined ? undefined : (
      <div class="side after">
        <span aria-hidden="true">+</span>
        <span class="unseen">{words.after}</span>
        <LongText text={textOf(after)} />
      </div>
    )}
  </li>
);
