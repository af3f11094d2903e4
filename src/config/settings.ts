/** What a process is set up with: the file, the environment and the defaults as one frozen value. */
import { conflictsIn } from "./conflicts.ts";
import { openPlace } from "./database.ts";
import { fileSchema, type FileSettings, type SettingsInput } from "./schema.ts";
import type { Secret } from "./secret.ts";
import { type Origin, refuse, violation, violationsOf } from "./violation.ts";

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
