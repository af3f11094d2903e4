/** A writer in a process of its own. */
import type { SessionId } from "../../packages/throughline/src/index.ts";
import { type Deed, openWriter } from "./writer.ts";

export type ToWorker = { readonly type: "write"; readonly id: number; readonly deed: Deed } | { readonly type: "close" };
export type FromWorker =
  | { readonly type: "open" }
  | { readonly id: number; readonly type: "done"; readonly offset?: number }
  | { readonly id: number; readonly type: "failed"; readonly error: string };

const [location = "", session = ""] = process.argv.slice(2);
const tell = (message: FromWorker): void => void process.send?.(message);
const writer = await openWriter(location, session as SessionId);
process.on("message", (message: ToWorker) => {
  if (message.type === "close") void writer.close().then(() => process.disconnect());
  else {
    const { id, deed } = message;
    writer.write(deed).then(
      (offset) => tell({ type: "done", id, ...(offset === undefined ? {} : { offset }) }),
      (error: unknown) => tell({ type: "failed", id, error: String(error) }),
    );
  }
});
// Whoever started it has gone.
process.on("disconnect", () => process.exit());
tell({ type: "open" });
