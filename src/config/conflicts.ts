/** What is wrong although each value is right by itself. It looks at what was written, so that it is said together with all else. */
import { isPlainObject } from "../kernel/json.ts";
import type { Path } from "./violation.ts";

/** A path, and what is wrong there. */
export interface Conflict {
  readonly path: Path;
  readonly message: string;
}

const block = (value: unknown, key: string): Readonly<Record<string, unknown>> => {
  const inner = isPlainObject(value) ? value[key] : undefined;
  return isPlainObject(inner) ? inner : {};
};

/** The conflicts between the values of a file. */
export function conflictsIn(input: unknown): readonly Conflict[] {
  const found: Conflict[] = [];
  const agentConfig = block(input, "agent_config");
  const database = block(agentConfig, "database");
  if (isPlainObject(input) && input["store"] !== undefined && agentConfig["database"] !== undefined)
    found.push({ path: ["agent_config", "database"], message: "names a database, and so does store: leave one of them out" });
  if (database["sslmode"] === "verify-ca" && database["sslrootcert"] === undefined)
    found.push({ path: ["agent_config", "database", "sslmode"], message: "is verify-ca, which needs sslrootcert: the certificates to check with" });
  const auth = block(input, "auth");
  const former = auth["former_token_secrets"];
  if (Array.isArray(former) && former.length > 0 && auth["token_secret"] === undefined)
    found.push({ path: ["auth", "former_token_secrets"], message: "needs token_secret, which signs: a former one is only taken" });
  return found;
}
