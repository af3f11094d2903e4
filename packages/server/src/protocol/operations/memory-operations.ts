import { z } from "zod";
import type { ErrorCode } from "throughline/kernel";
import { answer, created, defineOperations, ofCustomer } from "../operation.ts";
import {
  correction,
  exportedMemory,
  forgetReport,
  keptFact,
  memoryConflict,
  memoryEntry,
  memoryKind,
  memoryMarks,
  memoryStatus,
  newFact,
  newRecall,
  recallPreview,
  rule,
} from "../wire-memory.ts";
import { flagQuery, pageOf, pageQuery, wholeQuery } from "../wire-value.ts";

/** The owner of a memory and the path to it. */
interface Place<Path extends `/${string}`> {
  readonly path: Path;
  readonly whose: string;
  readonly missing: readonly ErrorCode[];
  /** Additional errors of changes. */
  readonly refused: readonly ErrorCode[];
}

const tag = "memory";
/** Customers may read and change their own memory. */
const read = { tag, scope: "memory:read", customers: true } as const;
const write = { tag, scope: "memory:write", customers: true } as const;
const changed = ["session.conflict"] as const satisfies readonly ErrorCode[];
/** Errors of changes whose response quotes memory. After text was forgotten, a repeat does not return the first response. */
const quoted = [...changed, "request.answer_removed"] as const satisfies readonly ErrorCode[];
const erasing = { members: [{ member: "messages", value: true, scope: "erase" }] } as const;
const messages = flagQuery.optional().describe("Also removes the text of the messages from the log; false if left out.");
const entryAnswer = answer("The entry.", memoryEntry);
const forgotten = answer("What is gone, by place.", forgetReport);

/** The operations on one memory. */
const operationsOf = <const Path extends `/${string}`>({ path, whose, missing, refused }: Place<Path>) =>
  ({
    status: {
      method: "GET",
      path,
      ...read,
      summary: `How much is remembered of ${whose}`,
      answers: answer("The numbers.", memoryStatus),
      errors: missing,
    },
    list: {
      method: "GET",
      path: `${path}/entries`,
      ...read,
      summary: `What is remembered of ${whose}, by the time of writing`,
      query: z.strictObject({
        ...pageQuery,
        kind: memoryKind.optional(),
        all: flagQuery.optional().describe("Also what was withdrawn or replaced; false if left out."),
      }),
      answers: answer("A page.", pageOf(memoryEntry).extend({ version: z.int() })),
      errors: [...missing, "cursor.invalid"],
    },
    find: {
      method: "GET",
      path: `${path}/find`,
      ...read,
      summary: `What of the memory of ${whose} speaks of all words of a text, oldest first: nothing is guessed`,
      query: z.strictObject({ q: z.string().min(1).max(2_000), limit: wholeQuery(1, 100).optional().describe("20 if left out.") }),
      answers: answer("The entries.", z.object({ items: z.array(memoryEntry) })),
      errors: [...missing, "memory.invalid"],
    },
    recall: {
      method: "POST",
      path: `${path}/recall`,
      tag,
      scope: "memory:read",
      reads: true,
      audited: true,
      summary: `What a turn would recall of ${whose} for a message, and why; nothing is recorded of it`,
      body: newRecall,
      answers: answer("The recall.", recallPreview),
      errors: [...missing, "agent.not_found", "memory.off", "memory.invalid"],
    },
    get: {
      method: "GET",
      path: `${path}/entries/{entry_id}`,
      ...read,
      summary: `One thing that is remembered of ${whose}, also if it is not in force`,
      answers: entryAnswer,
      errors: [...missing, "memory.entry_not_found"],
    },
    conflicts: {
      method: "GET",
      path: `${path}/conflicts`,
      ...read,
      summary: `Facts in the memory of ${whose} that cannot both hold`,
      query: z.strictObject(pageQuery),
      answers: answer("A page of pairs.", pageOf(memoryConflict)),
      errors: [...missing, "cursor.invalid"],
    },
    export: {
      method: "GET",
      path: `${path}/export`,
      ...read,
      audited: true,
      summary: `All that is remembered of ${whose}: as JSON with every provenance, or as a page to read`,
      query: z.strictObject({ format: z.enum(["json", "markdown"]).optional().describe("`json` if left out.") }),
      answers: { 200: { description: "The memory.", schema: exportedMemory, media: ["text/markdown"] } },
      errors: missing,
    },
    update: {
      method: "PATCH",
      path,
      ...write,
      summary: `Whether the agent may bring up by itself what it remembers of ${whose}`,
      body: z.strictObject({ recall_enabled: z.boolean() }),
      answers: answer("The numbers.", memoryStatus),
      errors: [...missing, ...refused, ...changed],
    },
    prefer: {
      method: "POST",
      path: `${path}/rules`,
      ...write,
      summary: `Keep a rule of how to talk with ${whose}; the same one again changes nothing`,
      body: z.strictObject({ text: z.string().min(1).max(280) }),
      answers: answer("The rule.", rule),
      errors: [...missing, ...refused, ...quoted, "memory.invalid"],
    },
    remember: {
      method: "POST",
      path: `${path}/facts`,
      tag,
      scope: "memory:write",
      audited: true,
      summary: `Keep a fact about ${whose}`,
      body: newFact,
      answers: created("The fact.", keptFact),
      errors: [...missing, ...refused, ...quoted, "memory.invalid"],
    },
    mark: {
      method: "PATCH",
      path: `${path}/entries/{entry_id}`,
      ...write,
      versioned: true,
      summary: `Pin something that is remembered of ${whose}, or keep it from every model`,
      body: memoryMarks,
      answers: entryAnswer,
      errors: [...missing, ...refused, ...quoted, "memory.entry_not_found", "memory.invalid", "request.precondition_failed"],
    },
    correct: {
      method: "POST",
      path: `${path}/entries/{entry_id}/correct`,
      ...write,
      versioned: true,
      audited: true,
      summary: `Put right a fact about ${whose}: the new one outranks what is extracted, the old one is history`,
      body: correction,
      answers: answer("The fact as it is now.", keptFact),
      errors: [...missing, ...refused, ...quoted, "memory.entry_not_found", "memory.invalid", "request.precondition_failed"],
    },
    forgetOne: {
      method: "DELETE",
      path: `${path}/entries/{entry_id}`,
      ...write,
      versioned: true,
      audited: true,
      summary: `Forget one thing about ${whose}, with whatever rests on it`,
      ...erasing,
      query: z.strictObject({ messages }),
      answers: forgotten,
      errors: [...missing, ...refused, ...changed, "memory.entry_not_found", "request.precondition_failed"],
    },
    forget: {
      method: "POST",
      path: `${path}/forget`,
      ...write,
      audited: true,
      summary: `Forget several things about ${whose}: all of them, or none if one is not there`,
      ...erasing,
      body: z.strictObject({ entry_ids: z.array(z.string().min(1).max(500)).min(1).max(1_000), messages: z.boolean().optional() }),
      answers: forgotten,
      errors: [...missing, ...refused, ...changed, "memory.entry_not_found"],
    },
    clear: {
      method: "DELETE",
      path,
      ...write,
      audited: true,
      summary: `Forget all about ${whose}, or all of a kind`,
      ...erasing,
      query: z.strictObject({ kind: memoryKind.optional(), messages }),
      answers: forgotten,
      errors: [...missing, ...refused, ...changed],
    },
  }) as const;

const customer = operationsOf({ path: "/v1/customers/{customer_id}/memory", whose: "a customer", missing: ofCustomer, refused: [] });
const session = operationsOf({
  path: "/v1/sessions/{session_id}/memory",
  whose: "whoever a session belongs to",
  missing: ["session.not_found", "memory.off"],
  refused: ["memory.incognito"],
});

/** Operations on memory, addressed by customer or by one of the customer's sessions. */
export const memoryOperations = defineOperations({
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
});
