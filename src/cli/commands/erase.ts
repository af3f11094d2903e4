import { ThroughlineError } from "../../kernel/error.ts";
import { parseSessionId } from "../../kernel/id.ts";
import { toErasure, type Erasure } from "../../runtime/reading/erasures.ts";
import { getCustomer } from "../../extension/lists.ts";
import { parseTombstones, replay, tombstoneLines, tombstonesOf } from "../../store/sql/erasure/tombstones.ts";
import { type CommandContext, withStore } from "../context.ts";
import { readTextFile } from "../input-file.ts";
import { table } from "../text.ts";

const told = (erasure: Erasure): string => `Erased ${erasure.sessions} sessions with ${erasure.events} events (${erasure.id}).`;

/** `erase`: a customer with all sessions, or one session. */
export async function erase(context: CommandContext, target: { readonly customer?: string; readonly session?: string }): Promise<void> {
  const { output } = context;
  const { customer, session } = target;
  if ((customer === undefined) === (session === undefined)) throw new ThroughlineError("cli.usage", "Name either --customer or --session.");
  const erased = await withStore(context, async (store) => {
    if (session !== undefined) return store.erase({ session_id: parseSessionId(session) });
    return store.erase({ owner_id: (await getCustomer(store, customer ?? "")).owner_id });
  });
  if (erased.erasure_id === undefined) throw new ThroughlineError("session.not_found", `There is no session ${session}.`);
  const erasure = toErasure(erased);
  if (output.json) return output.document({ erasure });
  output.out.line(told(erasure));
  output.err.line("Erased data may remain in free pages and logs of the database: `throughline purge` scrubs it.");
}

/** `erasures list`: the receipts, newest first. */
export async function listErasures(context: CommandContext, options: { readonly limit: number; readonly cursor?: string }): Promise<void> {
  const { output } = context;
  const page = await withStore(context, (store) => store.list({ of: "erasures", order: "desc", ...options }));
  const erasures = page.items.map(toErasure);
  if (output.json) return output.document({ erasures, total: page.total, next_cursor: page.next_cursor });
  if (erasures.length === 0) return output.err.line("Nothing was erased yet.");
  const time = (at: number | undefined): string => (at === undefined ? "under way" : new Date(at).toISOString());
  const rows = erasures.map(({ id, requested_at, finished_at, sessions, events }) => [
    id,
    time(requested_at),
    time(finished_at),
    String(sessions),
    String(events),
  ]);
  output.out.line(table([["ID", "REQUESTED", "FINISHED", "SESSIONS", "EVENTS"], ...rows]));
  if (page.next_cursor !== null) output.err.line(`More: --cursor ${page.next_cursor}`);
}

/** `erasures export`: what a restore needs to know, and nobody's name. */
export async function exportErasures(context: CommandContext): Promise<void> {
  for (const line of tombstoneLines(await withStore(context, tombstonesOf))) context.output.out.line(line);
}

/** `erasures replay`: erases again what a list names. */
export async function replayErasures(context: CommandContext, file: string): Promise<void> {
  const { output } = context;
  const list = parseTombstones(readTextFile(file));
  const erased = await withStore(context, (store) => replay(store, [list]));
  if (output.json) return output.document(erased);
  output.out.line(`Erased again: ${erased.owners} customers and ${erased.sessions} sessions.`);
}
