/** What is known about the fields of a state: who wrote each last, and how long each lives. */
import type { ResultOf } from "@throughline/client";
import { lacks } from "../../base/page-actions.ts";
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import type { LiveSession } from "./live-session.ts";

type Writers = ResultOf<"listStateWriters">["fields"];
type Fields = NonNullable<ResultOf<"getAgent">["fields"]>;

/** Facts by the name of a field. A key without `state:read` has none. */
export interface FieldFacts {
  readonly writers: Writers;
  readonly fields: Fields;
}

/** Loads the facts of the state that was last changed at an offset. They are read again when the state changes, not when the log grows. */
export function useFieldFacts(session: LiveSession, state_offset: number | undefined): FieldFacts {
  const agent = session.info.value?.agent;
  const { value: writers } = useLoaded(state_offset === undefined || lacks("state:read") ? undefined : `${session.id} ${state_offset}`, (signal) =>
    client().sessions.get(session.id).stateWriters({ at: state_offset }, { signal }),
  );
  const { value: known } = useLoaded(agent, (signal) => client().agents.get(agent ?? "", { signal }));
  return { writers: writers?.fields ?? {}, fields: known?.fields ?? {} };
}

/** The field of a JSON Pointer. */
export const fieldOf = (pointer: string): string => (pointer.split("/")[1] ?? "").replaceAll("~1", "/").replaceAll("~0", "~");

/** Who wrote a field last, in words; undefined if that is not known. */
export function writerOf(facts: FieldFacts, field: string): { readonly text: string; readonly offset: number } | undefined {
  if (!Object.hasOwn(facts.writers, field)) return undefined;
  const { writer, offset } = facts.writers[field] ?? {};
  if (offset === undefined) return undefined;
  return { offset, text: writer === undefined ? texts.state.initial : [writer.type, writer.name].filter(Boolean).join(" ") };
}

/** How long a field lives; undefined if that is not known. */
export const lifecycleOf = ({ fields }: FieldFacts, field: string): Fields[string]["lifecycle"] | undefined =>
  Object.hasOwn(fields, field) ? fields[field]?.lifecycle : undefined;
