/** Program of a process that opens a store and runs calls on it until it is closed or killed. `storeProcess` starts it. */
import * as nodeModule from "node:module";
import { type ErrorInfo, ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { DraftPiece, Store } from "../../store/port.ts";

/** Methods with one call and one result. */
export type PlainMethod = Exclude<keyof Store, "watch" | "watchDrafts" | "watchTurns" | "watchAppends" | "watchErasures" | "close">;

/** When a process ends itself: before its nth commit from now reaches the store, or after it is written and before the response. */
export interface Fate {
  readonly commit: number;
  readonly moment: "before" | "after";
}

/** Messages to a worker. */
export type ToWorker =
  | { readonly type: "open"; readonly module: string; readonly name: string; readonly with: readonly unknown[] }
  | { readonly type: "call"; readonly id: number; readonly method: PlainMethod; readonly values: readonly unknown[] }
  | { readonly type: "watch"; readonly id: number; readonly values: readonly [SessionId, number] }
  /** Listens to the drafts of a session, to erasures, or, without a session, to turns. */
  | { readonly type: "listen"; readonly id: number; readonly session?: SessionId | "erasures" | "appends" }
  /** Ends a subscription of any kind. */
  | { readonly type: "leave"; readonly id: number }
  | { readonly type: "doom"; readonly id: number; readonly fate: Fate }
  | { readonly type: "close"; readonly id: number };

/** Messages from a worker. */
export type FromWorker =
  | { readonly type: "ready" }
  | { readonly type: "opened" }
  | { readonly type: "unable"; readonly error: Failure }
  | { readonly type: "answer"; readonly id: number; readonly value: unknown }
  | { readonly type: "failed"; readonly id: number; readonly error: Failure }
  | { readonly type: "heard"; readonly id: number; readonly piece?: DraftPiece };

/** An error in a form that can be sent between processes. */
export type Failure = ErrorInfo | { readonly code?: undefined; readonly message: string };

const tell = (message: FromWorker): void => void process.send?.(message, undefined, undefined, () => {});
const failureOf = (error: unknown): Failure => (ThroughlineError.is(error) ? error.toJSON() : { message: String(error) });

// Many processes load the same modules one after another. Deno has no such function.
if ("enableCompileCache" in nodeModule) nodeModule.enableCompileCache();

let commits = 0;
let fate: Fate | undefined;

function meetFate(number: number, moment: Fate["moment"]): void {
  if (fate?.commit === number && fate.moment === moment) process.kill(process.pid, "SIGKILL");
}

async function answer(store: Store, message: Extract<ToWorker, { type: "call" }>): Promise<unknown> {
  const number = message.method === "commit" ? ++commits : 0;
  meetFate(number, "before");
  const value: unknown = await Reflect.apply(store[message.method], store, message.values);
  meetFate(number, "after");
  return value;
}

const listen = (store: Store, { id, session }: Extract<ToWorker, { type: "listen" }>): Promise<() => void> =>
  session === undefined
    ? store.watchTurns(() => tell({ type: "heard", id }))
    : session === "erasures"
      ? store.watchErasures(() => tell({ type: "heard", id }))
      : session === "appends"
        ? store.watchAppends(() => tell({ type: "heard", id }))
        : store.watchDrafts(session, (piece) => tell({ type: "heard", id, piece }));

/** Serves a store. `leave` has a function to end each open subscription. */
function serve(store: Store): (message: ToWorker) => Promise<unknown> {
  const leave = new Map<number, () => void>();
  return async (message) => {
    switch (message.type) {
      case "open":
        throw new Error("A worker opens one store.");
      case "call":
        return answer(store, message);
      case "watch": {
        const controller = new AbortController();
        leave.set(message.id, () => controller.abort(new Error("left")));
        return store.watch(...message.values, controller.signal).finally(() => leave.delete(message.id));
      }
      case "listen":
        leave.set(message.id, await listen(store, message));
        return undefined;
      case "leave":
        leave.get(message.id)?.();
        leave.delete(message.id);
        return undefined;
      case "doom":
        commits = 0;
        fate = message.fate;
        return undefined;
      case "close":
        return store.close();
    }
  };
}

/** Opens the store of a module. */
async function storeFrom(source: { readonly module: string; readonly name: string; readonly with: readonly unknown[] }): Promise<Store> {
  const module = (await import(source.module)) as Readonly<Record<string, unknown>>;
  const open = module[source.name];
  if (typeof open !== "function") throw new Error(`${source.module} exports no function ${source.name}.`);
  return (await Reflect.apply(open, undefined, source.with)) as Store;
}

async function begin(message: Extract<ToWorker, { type: "open" }>): Promise<void> {
  const answerTo = serve(await storeFrom(message));
  process.on("message", (next: Exclude<ToWorker, { type: "open" }>) => {
    const { id } = next;
    answerTo(next).then(
      (value) => tell({ type: "answer", id, value }),
      (error: unknown) => tell({ type: "failed", id, error: failureOf(error) }),
    );
  });
  tell({ type: "opened" });
}

process.once("message", (message: ToWorker) => {
  if (message.type === "open") begin(message).catch((error: unknown) => tell({ type: "unable", error: failureOf(error) }));
});
// The parent process has ended, so nothing is left to test.
process.on("disconnect", () => process.exit());
tell({ type: "ready" });
