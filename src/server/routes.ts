import type { OperationId } from "../protocol/operations.ts";
import type { Handlers } from "./call.ts";
import { customerRoutes } from "./routes/customers.ts";

/** A handler for every operation. */
export const routes: Handlers<OperationId> = { ...customerRoutes };
