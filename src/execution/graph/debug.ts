import type { ErrorInfo } from "../../kernel/error.ts";
import type { Usage } from "../../model/port.ts";
import type { ExecutionStatus } from "../execution.ts";
import type { AgentState } from "./agent-state.ts";
import { explain } from "./decision.ts";
import { errorsOf, hasErrors, statusOf, stepCount, usageOf, workOf } from "./read.ts";

/** A summary for logs and tests: nine keys. */
export interface AgentStateSummary {
  readonly status: ExecutionStatus;
  readonly executionCount: number;
  readonly hasExecution: boolean;
  readonly executionId: string | undefined;
  readonly steps: number;
  readonly continuation: string;
  readonly hasErrors: boolean;
  readonly errors: readonly ErrorInfo[];
  readonly usage: Usage;
}

/** A summary of the state, for logs and tests. */
export const debug = (state: AgentState): AgentStateSummary => ({
  status: statusOf(state),
  executionCount: state.execution_count,
  hasExecution: state.execution.phase !== "idle",
  executionId: workOf(state)?.execution_id,
  steps: stepCount(state),
  continuation: explain(state),
  hasErrors: hasErrors(state),
  errors: errorsOf(state),
  usage: usageOf(state),
});
