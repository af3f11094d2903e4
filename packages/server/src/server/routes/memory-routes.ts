import { pageAt } from "throughline/internal";
import { ThroughlineError } from "throughline/kernel";
import type { Correction, ListedEntry, Marks, NewFact, OwnerMemory } from "throughline/memory";
import type { memoryOperations } from "../../protocol/operations/memory-operations.ts";
import type { VersionOptions } from "throughline/session";
import { type Handlers, sessionOf } from "../request-call.ts";
import { audienceOf, customerOf, type Principal } from "../principal.ts";
import type { Service } from "../service.ts";
import { toWireEntry, toWireExport, toWireFact, toWireRule, writable } from "../to-wire.ts";

/** The parts of a memory request that customer and session routes share. */
interface Asked<Path> {
  readonly path: Path;
  readonly principal: Principal;
  readonly condition: VersionOptions;
}
type PageQuery = Parameters<typeof pageAt>[1];
type Named = { readonly entry_id: string };

/** Finds the memory that a request names and checks that the principal may access it. */
type Finder<Path> = (service: Service, asked: Asked<Path>) => Promise<OwnerMemory>;

/** Memory covers all sessions of a customer, so a token for one session may not access it. */
function checkReach(principal: Principal): void {
  if (principal.type === "customer" && principal.session !== undefined)
    throw new ThroughlineError("auth.forbidden", "A token for one session does not allow access to the memory of all sessions.");
}

const oneEntry = (entry: ListedEntry, principal: Principal) =>
  ({ status: 200, body: toWireEntry(entry, audienceOf(principal)), version: entry.version }) as const;

function reading<Path>(find: Finder<Path>) {
  return {
    status: async (service: Service, asked: Asked<Path>) => {
      const status = await (await find(service, asked)).status();
      return { status: 200, body: status, version: status.version } as const;
    },
    list: async (service: Service, asked: Asked<Path> & { readonly query: NonNullable<Parameters<OwnerMemory["list"]>[0]> }) => {
      const page = await (await find(service, asked)).list(asked.query);
      const items = page.items.map((entry) => toWireEntry(entry, audienceOf(asked.principal)));
      return { status: 200, body: { ...page, items }, version: page.version } as const;
    },
    find: async (service: Service, asked: Asked<Path> & { readonly query: { readonly q: string; readonly limit?: number } }) => {
      const { q, ...limit } = asked.query;
      const found = await (await find(service, asked)).find(q, limit);
      return { status: 200, body: { items: found.map((entry) => toWireEntry(entry, audienceOf(asked.principal))) } } as const;
    },
    get: async (service: Service, asked: Asked<Path & Named>) =>
      oneEntry(await (await find(service, asked)).get(asked.path.entry_id), asked.principal),
    conflicts: async (service: Service, asked: Asked<Path> & { readonly query: PageQuery }) => {
      const page = pageAt(await (await find(service, asked)).conflicts(), asked.query);
      const items = page.items.map(({ type, facts }) => ({ type, facts: facts.map((fact) => toWireFact(fact, audienceOf(asked.principal))) }));
      return { status: 200, body: { ...page, items } } as const;
    },
    export: async (service: Service, asked: Asked<Path> & { readonly query: { readonly format?: "json" | "markdown" } }) => {
      const memory = await find(service, asked);
      if (asked.query.format !== "markdown") {
        const exported = await memory.export({ format: "json" });
        return { status: 200, body: toWireExport(exported, audienceOf(asked.principal)) } as const;
      }
      const headers = { "content-type": "text/markdown; charset=utf-8", "cache-control": "no-store" };
      return new Response(await memory.export({ format: "markdown" }), { status: 200, headers });
    },
  };
}

function changing<Path>(find: Finder<Path>) {
  return {
    update: async (service: Service, asked: Asked<Path> & { readonly body: { readonly recall_enabled: boolean } }) => {
      const status = await (await find(service, asked)).setRecall(asked.body.recall_enabled);
      return { status: 200, body: status, version: status.version } as const;
    },
    prefer: async (service: Service, asked: Asked<Path> & { readonly body: { readonly text: string } }) =>
      ({ status: 200, body: toWireRule(await (await find(service, asked)).savePreference(asked.body.text), audienceOf(asked.principal)) }) as const,
    remember: async (service: Service, asked: Asked<Path> & { readonly body: NewFact }) => {
      const fact = await (await find(service, asked)).remember(asked.body);
      return { status: 201, body: toWireFact(fact, audienceOf(asked.principal)), version: fact.version } as const;
    },
    mark: async (service: Service, asked: Asked<Path & Named> & { readonly body: Marks }) =>
      oneEntry(await (await find(service, asked)).mark(asked.path.entry_id, asked.body, asked.condition), asked.principal),
    correct: async (service: Service, asked: Asked<Path & Named> & { readonly body: Correction }) => {
      const fact = await (await find(service, asked)).correct(asked.path.entry_id, asked.body, asked.condition);
      return { status: 200, body: toWireFact(fact, audienceOf(asked.principal)), version: fact.version } as const;
    },
  };
}

type Messages = { readonly messages?: boolean };

function forgetting<Path>(find: Finder<Path>) {
  return {
    forgetOne: async (service: Service, asked: Asked<Path & Named> & { readonly query: Messages }) => {
      const memory = await find(service, asked);
      return { status: 200, body: writable(await memory.forget([asked.path.entry_id], { ...asked.query, ...asked.condition })) } as const;
    },
    forget: async (service: Service, asked: Asked<Path> & { readonly body: Messages & { readonly entry_ids: readonly string[] } }) => {
      const memory = await find(service, asked);
      const { entry_ids, ...options } = asked.body;
      return { status: 200, body: writable(await memory.forget(entry_ids, options)) } as const;
    },
    clear: async (service: Service, asked: Asked<Path> & { readonly query: Messages & { readonly kind?: ListedEntry["kind"] } }) => {
      const memory = await find(service, asked);
      return { status: 200, body: writable(await memory.clear(asked.query)) } as const;
    },
  };
}

const routesOf = <Path>(find: Finder<Path>) => ({ ...reading(find), ...changing(find), ...forgetting(find) });

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
