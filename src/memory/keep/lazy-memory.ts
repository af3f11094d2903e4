/** A memory whose code is loaded when it is first asked for something: most programs never do. */
import type { SessionId } from "../../kernel/id.ts";
import type { ExportedMemory, OwnerMemory, SessionMemoryControl } from "../control/owner-memory.ts";
import type { CustomerRow } from "../../store/port.ts";
import type { RuntimeContext } from "../../runtime/context.ts";
import type { MemoryUser } from "../turn/taken-back.ts";

function lazily(open: () => Promise<OwnerMemory>): OwnerMemory {
  function exported(options: { readonly format: "json" }): Promise<ExportedMemory>;
  function exported(options: { readonly format: "markdown" }): Promise<string>;
  async function exported(options: { readonly format: "json" | "markdown" }): Promise<ExportedMemory | string> {
    const memory = await open();
    // Each of the two forms has its own type; what is neither is refused by whoever exports.
    return options?.format === "markdown"
      ? memory.export({ ...options, format: "markdown" })
      : memory.export({ ...options, format: options?.format });
  }
  return {
    status: async () => (await open()).status(),
    list: async (...given) => (await open()).list(...given),
    get: async (...given) => (await open()).get(...given),
    find: async (...given) => (await open()).find(...given),
    setRecall: async (...given) => (await open()).setRecall(...given),
    savePreference: async (...given) => (await open()).savePreference(...given),
    remember: async (...given) => (await open()).remember(...given),
    correct: async (...given) => (await open()).correct(...given),
    mark: async (...given) => (await open()).mark(...given),
    pin: async (...given) => (await open()).pin(...given),
    neverRecall: async (...given) => (await open()).neverRecall(...given),
    forget: async (...given) => (await open()).forget(...given),
    clear: async (...given) => (await open()).clear(...given),
    conflicts: async () => (await open()).conflicts(),
    export: exported,
  };
}

/** The memory of whoever a session belongs to; a stage or a tool of a turn changes it only as long as the turn may commit. */
export function sessionMemory(runtime: RuntimeContext, session_id: SessionId, user?: MemoryUser): SessionMemoryControl {
  let opened: Promise<SessionMemoryControl> | undefined;
  const open = (): Promise<SessionMemoryControl> =>
    (opened ??= import("./session-access.ts").then(({ createSessionMemory }) => createSessionMemory(runtime, session_id, user)));
  return Object.freeze({
    ...lazily(open),
    pending: async () => (await open()).pending(),
    control: async (...given: Parameters<SessionMemoryControl["control"]>) => (await open()).control(...given),
    answer: async (...given: Parameters<SessionMemoryControl["answer"]>) => (await open()).answer(...given),
  });
}

/** The memory of a customer, whoever that is by then. */
export function customerMemory(runtime: RuntimeContext, customer: () => Promise<CustomerRow>): OwnerMemory {
  let opened: Promise<OwnerMemory> | undefined;
  const open = (): Promise<OwnerMemory> =>
    (opened ??= import("./owner-access.ts").then(({ createOwnerMemory }) => createOwnerMemory(runtime, { whose: customer })));
  return Object.freeze(lazily(open));
}
