/** Calling a tool as the runtime does, without one. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ThroughlineError, type Tool } from "../../../packages/throughline/src/index.ts";
import type { Json, JsonObject } from "../../../packages/throughline/src/kernel/json.ts";
import type { McpServer } from "../../../packages/throughline/src/mcp.ts";
import type { MessagePart } from "../../../packages/throughline/src/session/event.ts";
import { resultOf } from "../../../packages/throughline/src/tools/results.ts";

/** What a call came to: a value and what the model reads of it, or the error. */
export interface Called {
  readonly value?: Json;
  readonly shown?: readonly MessagePart[];
  readonly error?: ThroughlineError;
}

/** The tool of that name. */
export function toolOf({ tools }: Pick<McpServer, "tools">, name: string): Tool {
  const found = tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`There is no tool ${name}.`);
  return found;
}

/** Calls a tool with arguments of a model and a state. */
export async function callOf(
  tool: Tool,
  args: JsonObject = {},
  { state = {}, signal = new AbortController().signal }: { readonly state?: JsonObject; readonly signal?: AbortSignal } = {},
): Promise<Called> {
  const bound = tool.bind(args, state);
  if (!bound.ok) throw new Error(bound.error.message);
  const context = {
    call_id: "call_1",
    key: "key_1",
    attempt: 1,
    state,
    resources: { clock: "a clock" },
    session_id: "ses_1",
    turn_id: "trn_1",
    variables: {},
    signal,
    interrupt: () => Promise.reject(new Error("nobody is there")),
  };
  try {
    const { value, shown } = resultOf(tool, await tool.execute(bound.live, context as never));
    return { value, ...(shown === undefined ? {} : { shown }) };
  } catch (error) {
    if (!ThroughlineError.is(error)) throw error;
    return { error };
  }
}

/** A file for what a server did, removed when the test has finished. */
export function newLog(): { readonly path: string; read(): readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), "throughline-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "log");
  const read = (): readonly string[] => {
    try {
      return readFileSync(path, "utf8").trim().split("\n");
    } catch {
      return [];
    }
  };
  return { path, read };
}
