import { ThroughlineError, seen } from "../../kernel/error.ts";
import { stepIdOf, type StepId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { FinishReason, Usage } from "../../model/port.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Control } from "../../session/control.ts";
import type { SpentData, ToolCall, ToolEffects, ToolResult } from "../../session/event.ts";
import type { Tool } from "../../tools/tool.ts";
import type { StepRecord } from "./record.ts";

/** A call of the step at work, and how far it is. */
export interface OpenCall {
  readonly call: ToolCall;
  /** What the tool is given: the model's arguments, changed by hooks or a person. */
  arguments: JsonObject;
  tool: Tool | undefined;
  /** The arguments, bound and validated. */
  live: unknown;
  /** The effects that its start is on record with; undefined if none is, or if it waits for an answer since. */
  called: ToolEffects | undefined;
  /** An earlier attempt started it with effects, and did not record a result. */
  readonly mayHaveRun: boolean;
  /** This attempt has started it. */
  started: boolean;
  /** It was left at a question. */
  suspended: boolean;
  result: ToolResult | undefined;
  /** Milliseconds that it ran. */
  ms: number;
  /** For a child agent: how many, itself among them, are yet to get their share of the budget. */
  sharing?: number;
  child?: SessionId;
  spent?: SpentData;
  /** What it asks of the turn. */
  control?: Control;
  /** Its result has been noted. */
  recorded: boolean;
  merged: boolean;
  /** What a tool that takes the state has written to it. */
  written: readonly JsonObject[];
}

/** A step whose model call is over and whose calls are not. */
export interface OpenStep {
  readonly step_id: StepId;
  readonly index: number;
  readonly text: string;
  readonly usage: Usage;
  readonly finish_reason: FinishReason;
  /** Name of the model that has answered. */
  readonly model?: string | undefined;
  readonly started_at: number;
  readonly ended_at: number;
  readonly calls: readonly OpenCall[];
}

/** What a model reads whose arguments nobody could read. */
function unread(name: string, sent: string): ToolResult {
  const message = `The arguments of ${seen(name)} are wrong: they are to be one JSON object, and are ${seen(sent)}.`;
  return { type: "error", error: new ThroughlineError("tool.arguments_invalid", message).toJSON() };
}

/** A call as the model asked for it; one whose arguments could not be read has its result. */
export const openCall = (call: ToolCall): OpenCall => ({
  call,
  arguments: call.arguments,
  tool: undefined,
  live: undefined,
  called: undefined,
  mayHaveRun: false,
  started: false,
  suspended: false,
  result: call.malformed === undefined ? undefined : unread(call.name, call.malformed),
  ms: 0,
  recorded: false,
  merged: false,
  written: [],
});

/** A step as the log has it. */
export function openStepOf({ data, ended_at, text, calls }: StepRecord, index: number): OpenStep {
  const { input = 0, output = 0, cache_write = 0, cache_read = 0, reasoning = 0 } = data.usage;
  return {
    step_id: stepIdOf(index),
    index,
    text,
    usage: { input, output, cache_write, cache_read, reasoning },
    finish_reason: data.finish_reason as FinishReason,
    model: data.model,
    started_at: ended_at - data.ms,
    ended_at,
    calls: calls.map(({ call, called, returned, merged, suspended }) => ({
      ...openCall(call),
      arguments: called?.arguments ?? call.arguments,
      called: suspended ? undefined : called?.effects,
      mayHaveRun: called !== undefined && called.effects !== "none" && !suspended && returned === undefined,
      suspended,
      ...(returned === undefined ? {} : { result: returned.result }),
      ms: returned?.ms ?? 0,
      recorded: returned !== undefined,
      merged,
      ...(returned?.child === undefined ? {} : { child: returned.child }),
      ...(returned?.spent === undefined ? {} : { spent: returned.spent }),
      ...(returned?.control === undefined ? {} : { control: returned.control }),
    })),
  };
}

/** The id of a call: where it stands in its session, and not what the model named it. */
export const callIdOf = (turn: number, step: number, index: number): string => `call_${turn}_${step}_${index}`;
