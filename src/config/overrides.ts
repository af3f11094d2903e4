/** Settings that the environment makes: `THROUGHLINE__SERVER__PORT` is `server.port`. */
import { keyAt, keysOf } from "./keys.ts";
import type { Assignment } from "./layers.ts";
import { prefix } from "./places.ts";
import { nearest } from "./suggest.ts";
import { typed } from "./typed.ts";
import { type Origin, type Violation, violation } from "./violation.ts";

/** Names that are older, and shorter. */
const aliases: Readonly<Record<string, string>> = { THROUGHLINE_DB: "store", THROUGHLINE_KEY_FILE: "encryption.key_file" };

/** The variable that makes a setting. */
const variableOf = (path: string): string => prefix + path.toUpperCase().replaceAll(".", "__");

function meant(name: string): string {
  const leaves = keysOf().filter(({ type }) => type !== "object");
  const near = nearest(
    name.toUpperCase(),
    leaves.map(({ path }) => variableOf(path)),
  );
  return near === undefined ? "" : `; did you mean $${near}?`;
}

/** What the environment sets. An empty variable is as good as none. */
export function overridesIn(environment: NodeJS.ProcessEnv): {
  readonly assignments: readonly Assignment[];
  readonly violations: readonly Violation[];
} {
  const assignments = new Map<string, Assignment>();
  const violations: Violation[] = [];
  for (const [name, text = ""] of Object.entries(environment).toSorted(([one], [other]) => one.localeCompare(other, "en"))) {
    const alias = aliases[name];
    if (text.trim() === "" || (alias === undefined && !name.startsWith(prefix))) continue;
    const path = alias?.split(".") ?? name.slice(prefix.length).toLowerCase().split("__");
    const origin: Origin = { where: `$${name}`, secret: true };
    const key = keyAt(path);
    const before = assignments.get(path.join("."));
    if (key === undefined) violations.push(violation(origin, [], `is no setting${meant(name)}`));
    else if (key.type === "object") violations.push(violation(origin, path, "is a block: name one of its keys"));
    else if (before !== undefined && before.value !== text)
      violations.push(violation(origin, path, `says something else than ${before.origin.where}`));
    // A file called "memory" is what the older name has always meant by it.
    else assignments.set(key.path, { path, value: alias === "store" && text === "memory" ? "./memory" : typed(text, key), origin });
  }
  return { assignments: [...assignments.values()], violations };
}
