/** A process that does what it is told to a memory. */
import { ThroughlineError } from "../../../../packages/throughline/src/index.ts";
import { type Deed, perform, rememberingRuntime } from "./deeds.ts";

export type ToWorker = { readonly type: "do"; readonly id: number; readonly deed: Deed } | { readonly type: "close" };
export type FromWorker =
  | { readonly type: "open" }
  | { readonly type: "done"; readonly id: number; readonly result: string }
  | { readonly type: "failed"; readonly id: number; readonly code: string; readonly message: string };

const tell = (message: FromWorker): void => void process.send?.(message);
const [location = "", death = ""] = process.argv.slice(2);
const count = Number(death);
// One that is to die does nothing but what it is told, so that it dies of that.
const life = death === "" ? {} : { work: false, doom: { at: "statement", count, ms: 0 } as const };
const { runtime, close } = await rememberingRuntime(location, life);
process.on("message", (message: ToWorker) => {
  if (message.type === "close") void close().then(() => process.disconnect());
  else {
    const { id, deed } = message;
    perform(runtime, deed).then(
      (result) => tell({ type: "done", id, result }),
      (error: unknown) => tell({ type: "failed", id, code: ThroughlineError.from(error).code, message: String(error) }),
    );
  }
});
// Whoever started it has gone.
process.on("disconnect", () => process.exit());
tell({ type: "open" });
