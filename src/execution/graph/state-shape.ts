/** What an agent's state looks like as JSON. */
import { errorCatalogue, type ErrorCode } from "../../kernel/error-catalogue.ts";
import { stopReasons, type StopReason } from "../stop.ts";
import { amount, flag, json, jsonObject, list, mark, name, object, oneOf, record, tagged, text, whole } from "./shape.ts";

const reason = oneOf(...(Object.keys(stopReasons) as StopReason[]));
/** An error as plain data. */
export const error = object({ code: oneOf(...(Object.keys(errorCatalogue) as ErrorCode[])), message: text, hint: text }, { details: jsonObject });
/** A stop signal. */
export const signal = object({ reason, message: text }, { source: text, context: jsonObject });
const call = object({ call_id: text, name: text, arguments: jsonObject }, { malformed: text });
const usage = object({ input: amount, output: amount, cache_write: amount, cache_read: amount, reasoning: amount });
const range = object({ from: whole, to: whole });
const tags = object({ agent_id: name, execution_id: name, step_id: name }, { is_trace: mark });

const role = oneOf("user", "assistant", "system", "tool");
const saidWith = { name: text, calls: list(call), call_id: text, metadata: jsonObject };
/** The content of a message. */
export const messageGivenShape = object({ role, text }, saidWith);
/** A message of the log. */
export const messageShape = object({ id: whole, created_at: whole, role, text }, { ...saidWith, tags });

const outcome = tagged("type", {
  ok: object({ type: oneOf("ok"), value: json }),
  error: object({ type: oneOf("error"), error }),
  blocked: object({ type: oneOf("blocked"), by: text, reason: text }),
  skipped: object({ type: oneOf("skipped"), reason: text }),
  unknown: object({ type: oneOf("unknown") }),
});
/** A call and what became of it. */
export const toolExecution = object({ call_id: text, name: text, arguments: jsonObject, result: outcome, started_at: whole, ended_at: whole });
/** The answer of a model. */
export const response = object(
  { text, calls: list(call), usage, finish_reason: oneOf("stop", "length", "tool_calls", "content_filter", "error", "other") },
  { model: text },
);
const open = { step_id: name, started_at: whole, input_upto: whole, tool_executions: list(toolExecution), errors: list(error) };
const openStep = object(open, { response });
const closedStep = object({ ...open, ended_at: whole, output: range, signals_upto: whole }, { response });
/** A request to go on. */
export const continuation = object({ source: text, waives: list(reason), lasts: oneOf("step", "execution"), pending: flag });

const work = { execution_id: name, started_at: whole, steps: list(closedStep), errors: list(error), signals: list(signal) };
const goingOn = { step: openStep, continuation };
const ended = tagged("type", {
  completed: object({ type: oneOf("completed"), answer: text, warnings: list(error) }),
  stopped: object({ type: oneOf("stopped"), signal }),
  failed: object({ type: oneOf("failed"), error }),
});
const execution = tagged("phase", {
  idle: object({ phase: oneOf("idle") }),
  running: object({ ...work, phase: oneOf("running") }, goingOn),
  paused: object({ ...work, phase: oneOf("paused"), reason: text }, goingOn),
  done: object({ ...work, phase: oneOf("done"), ended_at: whole, outcome: ended }, { continuation }),
});

const context = object({
  messages: (value: unknown, path: string) => (Array.isArray(value) ? list(messageShape)(value, path) : object({ upto: whole })(value, path)),
  sections: record(list(range)),
  summaries: list(object({ from: whole, to: whole, text, created_at: whole })),
  metadata: jsonObject,
  system_prompt: text,
  response_format: json,
});

/** The name and the version that say what the JSON is. */
export const schemaName = "throughline.agent_state";
export const schemaVersion = 1;

/** A state as JSON. */
export const stateShape = object(
  {
    schema: oneOf(schemaName),
    version: whole,
    agent_id: name,
    created_at: whole,
    updated_at: whole,
    execution_count: whole,
    context,
    execution,
  },
  { parent_agent_id: name, model: name },
);
