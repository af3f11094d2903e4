/** Settings as the file that would make them. */
import { stringify } from "yaml";
import { isSecret } from "./secret.ts";
import type { Settings } from "./settings.ts";

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
