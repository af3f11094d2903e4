/** All requests of the service. */
import { customerOperations } from "./operations/customers.ts";

/** Every operation, by its id. */
export const operations = { ...customerOperations } as const;

/** The operations of the service. */
export type Operations = typeof operations;
/** The id of an operation. */
export type OperationId = keyof Operations;
