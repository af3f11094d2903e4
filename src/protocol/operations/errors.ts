/** Errors that several operations have in common, since they do the same. */
import type { ErrorCode } from "../../kernel/error-catalogue.ts";

/** Of a command to a session: others have changed it again and again, or its key was used for something else. */
export const ofCommand = ["session.not_found", "session.conflict", "session.idempotency_mismatch"] as const satisfies readonly ErrorCode[];

/** Of metadata that is written. */
export const ofMetadata = ["variables.invalid", "metadata.reserved"] as const satisfies readonly ErrorCode[];

/** Of a customer's id: there is none of that id, or nobody can have it. */
export const ofCustomer = ["customer.not_found", "input.invalid"] as const satisfies readonly ErrorCode[];

/** Of a change of the state: the agent's fields, reducers and version decide on it. */
export const ofStateChange = [
  ...(["agent.not_found", "state.unknown_field", "state.undeclared_write", "state.invalid_value"] as const),
  ...(["state.reducer_mismatch", "state.reducer_failed", "state.definition_newer", "state.migration_missing"] as const),
] as const satisfies readonly ErrorCode[];
