import { pageAt } from "throughline/internal";
import { ThroughlineError } from "throughline/kernel";
import type { Correction, ListedEntry, Marks, NewFact, OwnerMemory, RecallOptions } from "throughline/memory";
import type { memoryOperations } from "../../protocol/operations/memory-operations.ts";
import type { VersionOptions } from "throughline/session";
import { type Handlers, ok, sessionOf } from "../request-call.ts";
import { audienceOf, customerOf, type Principal } from "../principal.ts";
import type { Service } from "../service.ts";
import { toWireEntry, toWireExport, toWireFact, toWireRule, writable } from "../to-wire.ts";

/** The parts of a memory request that customer and session routes share. */
interface MemoryRequest<Path> {
  readonly path: Path;
  readonly principal: Principal;
  readonly condition: VersionOptions;
}
type PageQuery = Parameters<typeof pageAt>[1];
type Named = { readonly entry_id: string };

/** Finds the memory that a request names and checks that the principal may access it. */
type Finder<Path> = (service: Service, request: MemoryRequest<Path>) => Promise<OwnerMemory>;

/** Memory covers all sessions of a customer, so a token for one session may not access it. */
function checkReach(principal: Principal): void {
  if (principal.type === "customer" && principal.session !== undefined)
    throw new ThroughlineError("auth.forbidden", "A token for one session does not allow access to the memory of all sessions.");
}

type Messages = { readonly messages?: boolean };

function routesOf<Path>(find: Finder<Path>) {
  type With<More> = MemoryRequest<Path> & More;
  /** Makes a handler that works on the memory of its request. */
  const on =
    <Request extends MemoryRequest<Path>, Answer>(answer: (memory: OwnerMemory, request: Request) => Promise<Answer>) =>
    async (service: Service, request: Request) =>
      answer(await find(service, request), request);
  type OfEntry = { readonly path: Named };
  const oneEntry = (entry: ListedEntry, principal: Principal) => ok(toWireEntry(entry, audienceOf(principal)), entry.version);
  return {
    status: on(async (memory, _request: MemoryRequest<Path>) => {
      const status = await memory.status();
      return ok(status, status.version);
    }),
    list: on(async (memory, { query, principal }: With<{ readonly query: NonNullable<Parameters<OwnerMemory["list"]>[0]> }>) => {
      const page = await memory.list(query);
      return ok({ ...page, items: page.items.map((entry) => toWireEntry(entry, audienceOf(principal))) }, page.version);
    }),
    find: on(async (memory, { query: { q, ...limit }, principal }: With<{ readonly query: { readonly q: string; readonly limit?: number } }>) => {
      const found = await memory.find(q, limit);
      return ok({ items: found.map((entry) => toWireEntry(entry, audienceOf(principal))) });
    }),
    recall: on(async (memory, { body: { text, ...options } }: With<{ readonly body: { readonly text: string } & RecallOptions }>) =>
      ok(writable(await memory.recall(text, options))),
    ),
    get: on(async (memory, { path, principal }: With<OfEntry>) => oneEntry(await memory.get(path.entry_id), principal)),
    conflicts: on(async (memory, { query, principal }: With<{ readonly query: PageQuery }>) => {
      const page = pageAt(await memory.conflicts(), query);
      const items = page.items.map(({ type, facts }) => ({ type, facts: facts.map((fact) => toWireFact(fact, audienceOf(principal))) }));
      return ok({ ...page, items });
    }),
    export: on(async (memory, { query, principal }: With<{ readonly query: { readonly format?: "json" | "markdown" } }>) => {
      if (query.format !== "markdown") return ok(toWireExport(await memory.export({ format: "json" }), audienceOf(principal)));
      const headers = { "content-type": "text/markdown; charset=utf-8", "cache-control": "no-store" };
      return new Response(await memory.export({ format: "markdown" }), { status: 200, headers });
    }),
    update: on(async (memory, { body }: With<{ readonly body: { readonly recall_enabled: boolean } }>) => {
      const status = await memory.setRecall(body.recall_enabled);
      return ok(status, status.version);
    }),
    prefer: on(async (memory, { body, principal }: With<{ readonly body: { readonly text: string } }>) =>
      ok(toWireRule(await memory.savePreference(body.text), audienceOf(principal))),
    ),
    remember: on(async (memory, { body, principal }: With<{ readonly body: NewFact }>) => {
      const fact = await memory.remember(body);
      return { status: 201, body: toWireFact(fact, audienceOf(principal)), version: fact.version } as const;
    }),
    mark: on(async (memory, { path, body, condition, principal }: With<OfEntry & { readonly body: Marks }>) =>
      oneEntry(await memory.mark(path.entry_id, body, condition), principal),
    ),
    correct: on(async (memory, { path, body, condition, principal }: With<OfEntry & { readonly body: Correction }>) => {
      const fact = await memory.correct(path.entry_id, body, condition);
      return ok(toWireFact(fact, audienceOf(principal)), fact.version);
    }),
    forgetOne: on(async (memory, { path, query, condition }: With<OfEntry & { readonly query: Messages }>) =>
      ok(writable(await memory.forget([path.entry_id], { ...query, ...condition }))),
    ),
    forget: on(async (memory, { body: { entry_ids, ...options } }: With<{ readonly body: Messages & { readonly entry_ids: readonly string[] } }>) =>
      ok(writable(await memory.forget(entry_ids, options))),
    ),
    clear: on(async (memory, { query }: With<{ readonly query: Messages & { readonly kind?: ListedEntry["kind"] } }>) =>
      ok(writable(await memory.clear(query))),
    ),
  };
}

const customer = routesOf<{ readonly customer_id: string }>(async ({ runtime }, { path: { customer_id }, principal }) => {
  const own = customerOf(principal);
  // Does not reveal whether the other customer exists.
  if (own !== undefined && own !== customer_id) throw new ThroughlineError("customer.not_found", "The token belongs to another customer.");
  checkReach(principal);
  return runtime.customers.memory(customer_id);
});

const session = routesOf<{ readonly session_id: string }>(async (service, { path, principal }) => {
  const { session } = await sessionOf(service, principal, path.session_id);
  checkReach(principal);
  return session.memory;
});

/** Handlers for memory, addressed by customer or by one of the customer's sessions. */
export const memoryRoutes: Handlers<keyof typeof memoryOperations> = {
  getCustomerMemory: customer.status,
  listCustomerMemory: customer.list,
  findCustomerMemory: customer.find,
  recallCustomerMemory: customer.recall,
  getCustomerMemoryEntry: customer.get,
  listCustomerMemoryConflicts: customer.conflicts,
  exportCustomerMemory: customer.export,
  updateCustomerMemory: customer.update,
  addCustomerMemoryRule: customer.prefer,
  addCustomerMemoryFact: customer.remember,
  markCustomerMemoryEntry: customer.mark,
  correctCustomerMemoryEntry: customer.correct,
  forgetCustomerMemoryEntry: customer.forgetOne,
  forgetCustomerMemory: customer.forget,
  clearCustomerMemory: customer.clear,
  getSessionMemory: session.status,
  listSessionMemory: session.list,
  findSessionMemory: session.find,
  recallSessionMemory: session.recall,
  getSessionMemoryEntry: session.get,
  listSessionMemoryConflicts: session.conflicts,
  exportSessionMemory: session.export,
  updateSessionMemory: session.update,
  addSessionMemoryRule: session.prefer,
  addSessionMemoryFact: session.remember,
  markSessionMemoryEntry: session.mark,
  correctSessionMemoryEntry: session.correct,
  forgetSessionMemoryEntry: session.forgetOne,
  forgetSessionMemory: session.forget,
  clearSessionMemory: session.clear,
};
