import { isPlainObject, type JsonObject } from "../../kernel/json.ts";
import { malformedCall } from "../call/malformed.ts";
import type { ModelToolCall } from "../port.ts";
import type { CallDelta } from "./chunk.ts";

interface OpenCall {
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  readonly pieces: string[];
}

/** Tool calls as their pieces come in. */
export interface CallAssembly {
  add(delta: CallDelta): void;
  /** The calls; undefined instead of one whose name is missing. */
  calls(): readonly (ModelToolCall | undefined)[];
}

/** Begins with no call. `newId` names a call that the server gave no id. */
export function assembleCalls(newId: () => string): CallAssembly {
  const open: OpenCall[] = [];
  const callOf = (delta: CallDelta): OpenCall | undefined => {
    const known = delta.index === undefined ? open.at(-1) : open.findLast((call) => call.index === delta.index);
    // Servers that number all calls 0, or none, tell them apart by their ids.
    const another = delta.id !== undefined && known?.id !== undefined && delta.id !== known.id && delta.name !== undefined;
    const unnumbered = delta.index === undefined && delta.id === undefined && delta.name !== undefined;
    return another || unnumbered ? undefined : known;
  };
  return {
    add(delta) {
      let call = callOf(delta);
      if (call === undefined) open.push((call = { index: delta.index, id: undefined, name: "", pieces: [] }));
      call.id ??= delta.id;
      if (call.name === "") call.name = delta.name ?? "";
      call.pieces.push(delta.arguments);
    },
    calls: () =>
      open.map(({ id, name, pieces }) => {
        if (name === "") return undefined;
        const sent = pieces.join("");
        const values = argumentsOf(sent);
        const call_id = id ?? newId();
        return values === undefined ? malformedCall(call_id, name, sent) : { call_id, name, arguments: values };
      }),
  };
}

/** A call's arguments; nothing at all is a call without any. Undefined if the text is no JSON object. */
export function argumentsOf(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
