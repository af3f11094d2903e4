/** The settings of a process: file, environment and defaults as one frozen value, which can be printed in the form of the file. */
import { stringify } from "yaml";
import { isPlainObject } from "throughline/kernel";
import { fileSchema, type FileSettings, isSecret, type Secret, secret, type SettingsInput } from "./throughline-file.ts";
import { type Origin, type Path, refuse, violation, violationsOf } from "./violation.ts";

/** Complete settings with all defaults. They have the shape of `throughline.yaml`, except that the database is one location. */
export type Settings = Frozen<Omit<FileSettings, "store" | "agent_config">> & {
  /** The location for `openStore`; undefined if none is configured. It may contain a password. */
  readonly store: Secret | undefined;
};

/** A deeply read-only version of a type. */
type Frozen<Value> = Value extends Secret
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
      : Value;

/**
 * Builds settings from values in the shape of `throughline.yaml` and adds all defaults. Does not interpolate `${…}` or resolve paths, which only
 * applies to files. Throws `config.invalid` with all violations.
 */
export function settingsOf(input: SettingsInput = {}): Settings {
  const origin: Origin = { where: "settings", secret: true };
  const { data, error } = fileSchema.safeParse(input);
  const conflicts = conflictsIn(input).map(({ path, message }) => violation(origin, path, message));
  const found = [...conflicts, ...violationsOf(error?.issues ?? [], input, () => origin)];
  if (data === undefined || found.length > 0) throw refuse("The settings", found);
  return complete(data);
}

/** Converts the database to one location and freezes the settings. */
export function complete({ agent_config, store, ...rest }: FileSettings): Settings {
  return deepFreeze({ ...rest, store: openPlace(store, agent_config.database) });
}

function deepFreeze<Value>(value: Value): Frozen<Value> {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value as Frozen<Value>;
}

/** A path and the problem there. */
interface Conflict {
  readonly path: Path;
  readonly message: string;
}

const block = (value: unknown, key: string): Readonly<Record<string, unknown>> => {
  const inner = isPlainObject(value) ? value[key] : undefined;
  return isPlainObject(inner) ? inner : {};
};

/** Finds the conflicts between the values of a file. */
export function conflictsIn(input: unknown): readonly Conflict[] {
  const found: Conflict[] = [];
  const agentConfig = block(input, "agent_config");
  const database = block(agentConfig, "database");
  if (isPlainObject(input) && input["store"] !== undefined && agentConfig["database"] !== undefined)
    found.push({ path: ["agent_config", "database"], message: "names a database, and so does store: remove one of them" });
  if (database["sslmode"] === "verify-ca" && database["sslrootcert"] === undefined)
    found.push({ path: ["agent_config", "database", "sslmode"], message: "is verify-ca, which needs sslrootcert" });
  const auth = block(input, "auth");
  const telemetry = block(input, "telemetry");
  if (telemetry["worker_port"] !== undefined && (telemetry["metrics"] ?? "off") === "off")
    found.push({ path: ["telemetry", "worker_port"], message: "needs metrics, which are off" });
  const traces = block(telemetry, "traces");
  if (traces["api_key"] !== undefined && traces["url"] === undefined)
    found.push({ path: ["telemetry", "traces", "api_key"], message: "needs url, the collector that it is for" });
  const former = auth["former_token_secrets"];
  if (Array.isArray(former) && former.length > 0 && auth["token_secret"] === undefined)
    found.push({ path: ["auth", "former_token_secrets"], message: "needs token_secret, because former secrets only verify tokens" });
  return found;
}

type DatabaseBlock = NonNullable<FileSettings["agent_config"]["database"]>;

/** The location for `openStore`. */
function openPlace(store: string | undefined, database: DatabaseBlock | undefined): Secret | undefined {
  if (database !== undefined) return urlOf(database);
  if (store === undefined) return undefined;
  const location = store === "memory" ? ":memory:" : store;
  return secret(location, withoutPassword(location));
}

/** `uselibpqcompat` gives `require` its PostgreSQL meaning: encryption without verifying the server. The driver alone would also verify the server. */
function urlOf({ hostname, password, port, user, dbname, sslmode, ...rest }: DatabaseBlock): Secret {
  const query = new URLSearchParams({ sslmode, uselibpqcompat: "true" });
  if (rest.sslrootcert !== undefined) query.set("sslrootcert", rest.sslrootcert);
  if (rest.schema !== "throughline") query.set("schema", rest.schema);
  if (rest.listen_host !== undefined) query.set("listen_host", withPorts(rest.listen_host, 5432));
  if (rest.prepared_statements !== "auto") query.set("prepared_statements", rest.prepared_statements);
  const place = `${withPorts(hostname, port)}/${encodeURI(dbname)}?${query.toString().replaceAll("+", "%20")}`;
  const name = encodeURIComponent(user);
  return secret(`postgres://${name}:${encodeURIComponent(password.reveal())}@${place}`, `postgres://${name}:***@${place}`);
}

/** Servers with commas, each with its own port or the given one. */
function withPorts(servers: string, port: number): string {
  const places = servers.split(",").map((server) => {
    if (/\]:\d+$|^[^:]+:\d+$/u.test(server)) return server;
    return `${server.includes(":") && !server.startsWith("[") ? `[${server}]` : server}:${port}`;
  });
  return places.join(",");
}

/** A location without its password. */
const withoutPassword = (location: string): string =>
  location.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/?#]*):.*@/iu, "$1:***@").replaceAll(/([?&]password=)[^&]*/giu, "$1***");

/** The settings as plain values in the shape of `throughline.yaml`. `redacted` masks secrets. */
export function plainSettings({ store, ...rest }: Settings, { redacted }: { readonly redacted: boolean }): unknown {
  const plain = (value: unknown): unknown => {
    if (isSecret(value)) return redacted ? value.toString() : value.reveal();
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
  };
  return plain(store === undefined ? rest : { store: store.reveal() === ":memory:" ? "memory" : store, ...rest });
}

/** The settings as YAML. Escapes `${`, so that reading the file again gives the same values. */
export const printedSettings = (settings: Settings, options: { readonly redacted: boolean }): string =>
  stringify(plainSettings(settings, options)).replaceAll("${", () => "$${");
