/** Commands that read a session's log: events, state at an offset, and requests of turns. */
import type { PromptMatrixRow } from "throughline/context";
import { ThroughlineError, type SessionId, diff, isPlainObject, type JsonObject } from "throughline/kernel";
import { eventKinds, keptPrompt, present } from "throughline/internal";
import type { Event } from "throughline";
import type { EventKind, SessionRow } from "throughline/store";
import { type CommandContext, idleContext, type PlainContext, withStore } from "../command-context.ts";
import { changesBetween, describeChanges, describeEvent } from "../describe-event.ts";
import { loadAgent, requireAgent } from "../load-agent.ts";
import { notKept, promptDocument, promptLines } from "../memory-view.ts";
import { chosenSession, readEvents, stateAt } from "../read-session.ts";
import { clip, cut, jsonText, printable, table } from "../terminal-text.ts";

/** Parses a comma-separated list of event kinds. Throws `cli.usage` with the known kinds for an unknown one. */
export function parseKinds(text: string): readonly EventKind[] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !eventKinds.some((kind) => kind === name));
  if (wrong === undefined) return eventKinds.filter((kind) => names.includes(kind));
  throw new ThroughlineError("cli.usage", `"${wrong}" is not a kind of event.`, { hint: `The kinds are ${eventKinds.join(", ")}.` });
}

/** `events list`: lists events from an offset on, oldest first. */
export async function listEvents(
  context: CommandContext,
  session: string | undefined,
  {
    minOffset,
    kinds: only,
    limit,
    withdrawn = false,
  }: { readonly minOffset: number; readonly kinds?: string; readonly limit: number; readonly withdrawn?: boolean },
): Promise<void> {
  const { output } = context;
  const kinds = only === undefined ? undefined : parseKinds(only);
  const page = await withStore(context, async (store) => {
    const { session_id } = await chosenSession(context, store, session);
    return {
      session_id,
      ...(await readEvents(store, {
        session_id,
        ...(minOffset === 0 ? {} : { min_offset: minOffset }),
        limit,
        withdrawn,
        ...present({ kinds }),
      })),
    };
  });
  if (output.json) return output.document({ session_id: page.session_id, events: page.events, next_offset: page.next_offset, head: page.head });
  if (page.events.length > 0) output.out.line(eventLines(page.events, output.out.columns(160)));
  if (page.next_offset <= page.head) output.err.line(output.err.paint("dim", `more with --min-offset ${page.next_offset} (head ${page.head})`));
}

/** Formats events, one per line of at most `width` columns. */
export function eventLines(events: readonly Event[], width: number): string {
  const digits = String(events.at(-1)?.offset ?? 0).length;
  const rows = events.map((event) => [
    String(event.offset).padStart(digits),
    new Date(event.created_at).toISOString(),
    event.kind,
    event.source,
    describeEvent(event),
  ]);
  return table(rows)
    .split("\n")
    .map((line) => cut(line, width))
    .join("\n");
}

/** `state get`: prints the state at the head or at an offset. */
export async function getState(context: CommandContext, session: string | undefined, options: { readonly at?: number }): Promise<void> {
  const { output } = context;
  const { session_id, offset, state } = await withStore(context, async (store) => {
    const row = await chosenSession(context, store, session);
    const at = options.at ?? row.head;
    return { session_id: row.session_id, offset: at, state: await stateAt(store, row, at) };
  });
  output.result({ session_id, offset, state }, () => jsonText(state, 2));
}

/** `state edit`: changes fields through the agent's reducers, or shows what that would do. */
export async function editState(
  context: CommandContext,
  delta: string,
  {
    session,
    dryRun = false,
    by,
    agent: module,
  }: { readonly session?: string; readonly dryRun?: boolean; readonly by?: string; readonly agent?: string },
): Promise<void> {
  const { output } = context;
  const fields = deltaOf(delta);
  const agent = await loadAgent(module);
  const { createRuntime } = await import("throughline");
  const edited = await withStore(context, async (store) => {
    const row = await chosenSession(context, store, session);
    requireAgent(agent, row.agent);
    const runtime = await createRuntime({ store, agents: [agent], work: false });
    try {
      const open = await runtime.sessions.get(row.session_id);
      const preview = await open.previewEdit(fields);
      if (dryRun || preview.problems.length > 0) return { session_id: row.session_id, ...preview };
      const { offset } = await open.edit(fields, { expectedOffset: preview.state_offset, ...present({ operator: by }) });
      return { session_id: row.session_id, ...preview, offset };
    } finally {
      await runtime.close();
    }
  });
  const [problem] = edited.problems;
  if (problem !== undefined && !dryRun) throw new ThroughlineError(problem.code, problem.message, { details: { field: problem.field } });
  if (output.json) return output.document(edited);
  for (const { field, message } of edited.problems) output.out.line(printable(`${field}: ${message}`));
  for (const operation of edited.patch) output.out.line(printable(JSON.stringify(operation)));
  const what = "offset" in edited ? `edited at offset ${edited.offset}` : "nothing was changed";
  output.err.line(output.err.paint("dim", edited.patch.length === 0 && edited.problems.length === 0 ? "The state stays as it is." : what));
}

/** Parses an edit. Throws `cli.usage` if it is not a JSON object. */
function deltaOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return value as JsonObject;
  } catch {
    // Reported below, like any other value.
  }
  throw new ThroughlineError("cli.usage", "An edit is a JSON object with an update of each field.", { hint: `Such as '{"note": "calls back"}'.` });
}

/** `state writers`: shows who wrote each field last. */
export async function showWriters(context: CommandContext, session: string | undefined, at: { readonly at?: number }): Promise<void> {
  const { output } = context;
  const { stateWriters } = await import("throughline/internal/runtime");
  const { session_id, ...writers } = await withStore(context, async (store) => {
    const { session_id: id } = await chosenSession(context, store, session);
    return { session_id: id, ...(await stateWriters({ runtime: idleContext(store, context), id }, at)) };
  });
  if (output.json) return output.document({ session_id, ...writers });
  const rows = Object.entries(writers.fields).map(([name, { offset, writer }]) => [
    printable(name),
    String(offset),
    writer === undefined ? "-" : "name" in writer && writer.name !== undefined ? printable(`${writer.type} ${writer.name}`) : writer.type,
  ]);
  output.out.line(table([["FIELD", "OFFSET", "WRITER"], ...rows]));
}

/** A state to compare. The session defaults to the one that the options name, the offset to its head. */
export interface StatePlace {
  readonly session?: string;
  readonly at?: number;
}

/** `state diff A B`: shows the changes between two states of one session or of two, such as a session and its fork. */
export async function diffState(
  context: CommandContext,
  from: StatePlace,
  to: StatePlace,
  { session }: { readonly session?: string },
): Promise<void> {
  const { output } = context;
  const { left, right } = await withStore(context, async (store) => {
    let common: Promise<SessionRow> | undefined;
    const stateOf = async (place: StatePlace): Promise<{ readonly id: SessionId; readonly at: number; readonly state: JsonObject }> => {
      const row =
        place.session === undefined ? await (common ??= chosenSession(context, store, session)) : await chosenSession(context, store, place.session);
      const at = place.at ?? row.head;
      return { id: row.session_id, at, state: await stateAt(store, row, at) };
    };
    return { left: await stateOf(from), right: await stateOf(to) };
  });
  const changes = changesBetween(left.state, right.state);
  const patch = diff(left.state, right.state);
  const same = left.id === right.id;
  if (output.json) {
    if (same) return output.document({ session_id: left.id, from: left.at, to: right.at, changes, patch });
    return output.document({ from: { session_id: left.id, offset: left.at }, to: { session_id: right.id, offset: right.at }, changes, patch });
  }
  const name = ({ id, at }: { readonly id: SessionId; readonly at: number }): string => (same ? String(at) : `${id}@${at}`);
  if (changes.length === 0) return output.err.line(`The state at ${name(left)} and at ${name(right)} is the same.`);
  output.out.line(describeChanges(changes, output.out.paint));
}

/** `prompt matrix`: shows which response style sees which section of the prompt. */
export async function printMatrix({ output }: PlainContext, module: string | undefined): Promise<void> {
  const agent = await loadAgent(module);
  const { promptMatrix } = await import("throughline/context");
  const rows = promptMatrix(agent);
  if (output.json) return output.document({ agent: agent.name, matrix: rows });
  output.out.line(table([["STYLE", ...(rows[0]?.cells ?? []).map(({ part }) => clip(part, 28).toUpperCase())], ...rows.map(cellsOf)]));
  if (agent.prompt.styles === undefined) output.err.line(output.err.paint("dim", "The agent has no response styles: every section is always shown."));
}

const cellsOf = ({ style, cells }: PromptMatrixRow): readonly string[] => [
  clip(style ?? "(any other)", 28),
  ...cells.map(({ seen, window }) => (seen ? (window === undefined ? "yes" : `last ${window}`) : "no")),
];

/** `prompt show`: shows the request of a step as it was sent, if it is kept. */
export async function showPrompt(
  context: CommandContext,
  session: string | undefined,
  which: { readonly turn?: string; readonly step?: number },
): Promise<void> {
  const { output } = context;
  const kept = await withStore(context, async (store) => keptPrompt(store, await chosenSession(context, store, session), which));
  if (output.json) return output.document(promptDocument(kept));
  if (kept === undefined) return output.err.line(notKept);
  for (const line of promptLines(kept, output.out)) output.out.line(line);
}
