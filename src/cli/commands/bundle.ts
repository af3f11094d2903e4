import { ThroughlineError } from "../../kernel/error.ts";
import { parseSessionId } from "../../kernel/id.ts";
import { exportCustomer, exportSession, importBundle } from "../../runtime/transfer/bundles.ts";
import { type CommandContext, withStore } from "../context.ts";
import { assertReadable, linesOf } from "../input-file.ts";

/** `sessions export` and `export`: lines of JSON on standard output. */
export async function exportLines(
  context: CommandContext,
  what: { readonly session?: string; readonly customer?: string; readonly redacted: boolean },
): Promise<void> {
  const { output, clock } = context;
  const { session, customer, redacted } = what;
  if ((customer === undefined) === (session === undefined)) throw new ThroughlineError("cli.usage", "Name either a session or --customer.");
  await withStore(context, async (store) => {
    const options = { redacted, clock };
    const lines = session === undefined ? exportCustomer(store, customer ?? "", options) : exportSession(store, parseSessionId(session), options);
    for await (const line of lines) {
      if (!output.out.stream.write(`${line}\n`)) await new Promise<void>((resolve) => output.out.stream.once("drain", () => resolve()));
    }
  });
}

/** `sessions import`: a bundle from a file, or from standard input as `-`. */
export async function importLines(context: CommandContext, file: string, options: { readonly keepIds: boolean }): Promise<void> {
  const { output, clock, stdin } = context;
  // Before the database is opened, which makes one where there is none.
  if (file !== "-") assertReadable(file);
  const lines = linesOf(file, stdin);
  const report = await withStore(context, (store) => importBundle(store, lines, { ...options, clock }), { create: true });
  if (output.json) return output.document(report);
  output.out.line(`Imported ${Object.keys(report.sessions).length} sessions with ${report.events} events.`);
  for (const [before, now] of Object.entries(report.sessions)) output.out.line(before === now ? now : `${before} is ${now}`);
}
