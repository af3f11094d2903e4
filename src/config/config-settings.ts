/** The settings of a process: the file, the environment and the defaults as one frozen value, and as the file that would make them. */
import { stringify } from "yaml";
import { isPlainObject } from "throughline/kernel";
import { fileSchema, type FileSettings, isSecret, type Secret, secret, type SettingsInput } from "./throughline-file.ts";
import { type Origin, type Path, refuse, violation, violationsOf } from "./violation.ts";

/** Settings that are complete: every default is filled in. The same shape as `throughline.yaml`, but that the database is one location. */
export type Settings = Frozen<Omit<FileSettings, "store" | "agent_config">> & {
  /** Where the database is, as `openStore` takes it; undefined if nothing says. It may hold a password. */
  readonly store: Secret | undefined;
};

/** All of it read-only, down to the leaves. */
type Frozen<Value> = Value extends Secret
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
      : Value;

/**
 * Settings from values of the shape of `throughline.yaml`, with every default filled in. `config.invalid` names all that is wrong. `${…}` stands for
 * itself, and paths are left as they are: both belong to files.
 */
export function settingsOf(input: SettingsInput = {}): Settings {
  const origin: Origin = { where: "settings", secret: true };
  const { data, error } = fileSchema.safeParse(input);
  const conflicts = conflictsIn(input).map(({ path, message }) => violation(origin, path, message));
  const found = [...conflicts, ...violationsOf(error?.issues ?? [], input, () => origin)];
  if (data === undefined || found.length > 0) throw refuse("What is given as settings", found);
  return complete(data);
}

/** Makes one location of the database, and freezes all. */
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

/** A path, and what is wrong there. */
interface Conflict {
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

type DatabaseBlock = NonNullable<FileSettings["agent_config"]["database"]>;

/** The location of a store, as `openStore` takes it. */
function openPlace(store: string | undefined, database: DatabaseBlock | undefined): Secret | undefined {
  if (database !== undefined) return urlOf(database);
  if (store === undefined) return undefined;
  const location = store === "memory" ? ":memory:" : store;
  return secret(location, withoutPassword(location));
}

/** `require` is PostgreSQL's: encrypted, without a look at who the server is. The driver means more by it unless it is told whose words these are. */
function urlOf({ hostname, password, port, user, dbname, sslmode, sslrootcert }: DatabaseBlock): Secret {
  const query = new URLSearchParams({ sslmode, uselibpqcompat: "true" });
  if (sslrootcert !== undefined) query.set("sslrootcert", sslrootcert);
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const place = `${host}:${port}/${encodeURI(dbname)}?${query.toString().replaceAll("+", "%20")}`;
  const name = encodeURIComponent(user);
  return secret(`postgres://${name}:${encodeURIComponent(password.reveal())}@${place}`, `postgres://${name}:***@${place}`);
}

/** A location as it may be shown. */
const withoutPassword = (location: string): string =>
  location.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/?#]*):.*@/iu, "$1:***@").replaceAll(/([?&]password=)[^&]*/giu, "$1***");

/** The settings as plain values of the shape of `throughline.yaml`; `redacted` shows of a secret only what may be seen. */
export function plainSettings({ store, ...rest }: Settings, { redacted }: { readonly redacted: boolean }): unknown {
  const plain = (value: unknown): unknown => {
    if (isSecret(value)) return redacted ? value.toString() : value.reveal();
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
  };
  return plain(store === undefined ? rest : { store: store.reveal() === ":memory:" ? "memory" : store, ...rest });
}

/** The same as YAML. What stands for something else in a file is told apart from it, so that the text means what it says. */
export const printedSettings = (settings: Settings, options: { readonly redacted: boolean }): string =>
  stringify(plainSettings(settings, options)).replaceAll("${", () => "$${");
