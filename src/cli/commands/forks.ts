import { forkSession } from "../../runtime/commands/fork.ts";
import { type Lineage, lineageOf } from "../../runtime/reading/history.ts";
import { toInfo } from "../../runtime/reading/session-info.ts";
import type { SessionRow } from "../../store/port.ts";
import { type CommandContext, withStore, writerOf } from "../context.ts";
import { chosenSession } from "../reading.ts";
import { ago, clip, table } from "../text.ts";

/**
 * `sessions fork`: another session that goes on from this one's log. No agent is needed: a state of an older definition is migrated by the fork's
 * next turn.
 */
export async function forkFrom(
  context: CommandContext,
  options: { readonly session?: string; readonly at?: number; readonly title?: string },
): Promise<void> {
  const { output } = context;
  const { at, title } = options;
  const row = await withStore(context, async (store) => {
    const { session_id } = await chosenSession(store, options.session);
    const forking = { ...writerOf(store, context), agents: new Map<string, never>() };
    const given = { ...(at === undefined ? {} : { at }), ...(title === undefined ? {} : { title }) };
    return chosenSession(store, await forkSession(forking, session_id, given));
  });
  if (output.json) return output.document({ session: { ...toInfo(row), metadata: row.metadata } });
  output.out.line(row.session_id);
  output.err.line(
    output.err.paint(
      "dim",
      `goes on from offset ${row.origin?.at} of ${row.origin?.session_id}; talk in it with: throughline chat --session ${row.session_id}`,
    ),
  );
}

type Node = Lineage<SessionRow>;

/** `sessions tree`: where a session comes from and what was forked from it. */
export async function showTree(context: CommandContext, options: { readonly session?: string }): Promise<void> {
  const { output, clock } = context;
  const { session_id, root } = await withStore(context, async (store) => {
    const row = await chosenSession(store, options.session);
    return { session_id: row.session_id, root: await lineageOf(store, row.session_id) };
  });
  if (output.json) return output.document({ session_id, tree: documentOf(root) });
  const now = clock.now();
  const rows = linesOf(root, "", "").map(({ branch, session }) => [
    `${branch}${session.session_id}${session.session_id === session_id ? " *" : ""}`,
    session.origin === undefined ? "-" : String(session.origin.at),
    String(session.head),
    ago(session.updated_at, now),
    clip(session.title ?? "", 40),
  ]);
  output.out.line(table([["ID", "FORKED AT", "HEAD", "UPDATED", "TITLE"], ...rows]));
}

function documentOf({ session, forks }: Node): object {
  return { ...toInfo(session), metadata: session.metadata, forks: forks.map(documentOf) };
}

/** The tree as lines: `own` before the session, `below` before what hangs on it. */
function linesOf({ session, forks }: Node, own: string, below: string): readonly { readonly branch: string; readonly session: SessionRow }[] {
  return [
    { branch: own, session },
    ...forks.flatMap((fork, index) => {
      const last = index === forks.length - 1;
      return linesOf(fork, `${below}${last ? "└─ " : "├─ "}`, `${below}${last ? "   " : "│  "}`);
    }),
  ];
}
