/** All operations of the service. */
import { agentOperations, metaOperations, statusOperations } from "./operations/meta-operations.ts";
import { authOperations, customerOperations, jobOperations } from "./operations/customer-operations.ts";
import { deliveryOperations, eventOperations, turnStreamOperations } from "./operations/event-operations.ts";
import { handoverOperations, stateOperations, turnOperations } from "./operations/turn-operations.ts";
import { memoryOperations } from "./operations/memory-operations.ts";
import { runOperations } from "./operations/run-operations.ts";
import { safetyOperations, sessionOperations, usageOperations } from "./operations/session-operations.ts";
import { variableOperations } from "./operations/variable-operations.ts";
import { webhookOperations } from "./operations/webhook-operations.ts";

/** Every operation by id. */
export const operations = {
  ...customerOperations,
  ...variableOperations,
  ...memoryOperations,
  ...agentOperations,
  ...sessionOperations,
  ...usageOperations,
  ...jobOperations,
  ...eventOperations,
  ...stateOperations,
  ...turnOperations,
  ...deliveryOperations,
  ...turnStreamOperations,
  ...handoverOperations,
  ...runOperations,
  ...safetyOperations,
  ...webhookOperations,
  ...authOperations,
  ...statusOperations,
  ...metaOperations,
} as const;

export type Operations = typeof operations;
/** The id of an operation. */
export type OperationId = keyof Operations;
