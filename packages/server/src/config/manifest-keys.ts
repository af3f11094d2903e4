/** What stands in `throughline.yaml` for the keys of the manifest, version 6.1.1, of the system that parts of this one follow. */

/** A key of the manifest. */
export interface ManifestKey {
  /** The full path. `[]` stands for the items of a list. */
  readonly path: string;
  /** `supported` keys have the same path, meaning and default. */
  readonly standing: "supported" | "different" | "left out";
  /** The keys that stand for it. */
  readonly here: readonly string[];
  /** What differs, and why. */
  readonly note: string;
}

const supported = (path: string, note = ""): ManifestKey => ({ path, standing: "supported", here: [path], note });
const different = (path: string, here: readonly string[], note: string): ManifestKey => ({ path, standing: "different", here, note });
const leftOut = (path: string, note: string): ManifestKey => ({ path, standing: "left out", here: [], note });

/** The keys that the manifest's public documentation names, in its order. */
export const manifestKeys: readonly ManifestKey[] = [
  leftOut("name", "An agent is named where it is defined, and no platform shows it."),
  different("id", ["agents"], "The name of `defineAgent`. A service serves several agents, each with a module."),
  different("version", ["agents"], "The version of `defineAgent`, a whole number, so that migrations of the state have an order."),
  leftOut("endpoint", "There is no platform. `server.host` decides who reaches the service."),
  different("secrets", [], "References in values: `${NAME}` for a variable, `${file:…}` for a mounted secret."),
  different("secrets[].secret_name", [], "References in values, as for `secrets`."),
  different(
    "agent_config.runtime.api_key",
    ["auth.token_secret", "callbacks.secrets"],
    "Keys are made with `throughline keys create`, have scopes and can be revoked. What the service sends is signed with secrets of its own, and no key leaves it.",
  ),
  different("agent_config.runtime.log_level", ["log.level"], "Without `TRACE` and `CRITICAL`, in lower case, and with `silent`."),
  different("agent_config.runtime.max_engine_iterations", ["agents"], "The budget of `defineAgent`: `budget: { steps }`, 20 by default."),
  leftOut(
    "agent_config.runtime.policy_batch_size",
    "No model judges conditions in batches: a routine's conditions are functions, comparisons, or sentences judged in one call.",
  ),
  leftOut("agent_config.interactive_platform", "There is no platform to register with."),
  different("agent_config.llms", ["agents"], "The module of an agent chooses its models."),
  different(
    "agent_config.context",
    ["agents"],
    "The module of an agent: sections of the prompt, tools, and routines, which it may load from files with `loadRoutine`.",
  ),
  different("agent_config.traces.backend.url", ["telemetry.traces.enabled", "telemetry.traces.url"], "Off by default."),
  different("agent_config.traces.backend.api_key", ["telemetry.traces.api_key"], ""),
  different("agent_config.traces.backend.api_key_scheme", ["telemetry.traces.api_key_scheme"], "The same values."),
  different(
    "agent_config.traces.deployment_environment",
    ["telemetry.traces.deployment_environment"],
    "The same default. Spans have no metadata and no content unless `telemetry.traces` says so.",
  ),
  supported("agent_config.database.hostname", "Also several servers."),
  supported("agent_config.database.password"),
  supported("agent_config.database.port"),
  supported("agent_config.database.user"),
  supported("agent_config.database.dbname"),
  supported("agent_config.database.sslmode", "Without `allow` and `prefer`, which fall back to a connection in the clear."),
  leftOut("agent_config.search", "There is no knowledge base. A tool or a section of the agent retrieves, from any index."),
  different("agent_config.mcps", ["agents"], "The module of an agent takes tools of MCP servers with `mcpTools`."),
  different(
    "agent_config.webhooks",
    ["webhooks.sources"],
    "The address is the same, `/webhooks/{name}`. Four schemes of signatures, several secrets, and rules that say what a delivery does.",
  ),
];

/** The end of a sentence that says what stands for a key of the manifest, or for the keys of one of its blocks. Undefined for any other key. */
export function insteadOfManifestKey(name: string): string | undefined {
  const keys = manifestKeys.filter(({ path }) => path === name || path.startsWith(`${name}.`) || name.startsWith(`${path}.`));
  const here = [...new Set(keys.flatMap((key) => key.here))];
  const [first] = keys;
  return first === undefined ? undefined : here.length > 0 ? `; in its place there is ${here.join(", ")}` : `: ${first.note}`;
}
