/** All requests of the service. */
import { agentOperations } from "./operations/agents.ts";
import { authOperations } from "./operations/auth.ts";
import { customerOperations } from "./operations/customers.ts";
import { deliveryOperations } from "./operations/delivery.ts";
import { eventOperations } from "./operations/events.ts";
import { handoverOperations } from "./operations/handover.ts";
import { jobOperations } from "./operations/jobs.ts";
import { memoryOperations } from "./operations/memory.ts";
import { metaOperations } from "./operations/meta.ts";
import { safetyOperations } from "./operations/safety.ts";
import { sessionOperations } from "./operations/sessions.ts";
import { stateOperations, turnOperations } from "./operations/turns.ts";
import { usageOperations } from "./operations/usage.ts";
import { variableOperations } from "./operations/variables.ts";

/** Every operation, by its id. */
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
  ...handoverOperations,
  ...safetyOperations,
  ...authOperations,
  ...metaOperations,
} as const;

/** The operations of the service. */
export type Operations = typeof operations;
/** The id of an operation. */
export type OperationId = keyof Operations;
