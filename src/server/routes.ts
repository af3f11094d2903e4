import type { OperationId } from "../protocol/operations.ts";
import type { Handlers } from "./call.ts";
import { agentRoutes } from "./routes/agents.ts";
import { authRoutes } from "./routes/auth.ts";
import { customerRoutes } from "./routes/customers.ts";
import { deliveryRoutes } from "./routes/delivery.ts";
import { eventRoutes } from "./routes/events.ts";
import { handoverRoutes } from "./routes/handover.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { memoryRoutes } from "./routes/memory.ts";
import { metaRoutes } from "./routes/meta.ts";
import { safetyRoutes } from "./routes/safety.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { stateRoutes, turnRoutes } from "./routes/turns.ts";
import { usageRoutes } from "./routes/usage.ts";
import { variableRoutes } from "./routes/variables.ts";

/** A handler for every operation. */
export const routes: Handlers<OperationId> = {
  ...customerRoutes,
  ...variableRoutes,
  ...memoryRoutes,
  ...agentRoutes,
  ...sessionRoutes,
  ...usageRoutes,
  ...jobRoutes,
  ...eventRoutes,
  ...deliveryRoutes,
  ...stateRoutes,
  ...turnRoutes,
  ...handoverRoutes,
  ...safetyRoutes,
  ...authRoutes,
  ...metaRoutes,
};
