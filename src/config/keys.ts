/** Every key of the file, in its order: what the environment may name, what a wrong key may have meant, and what the documentation lists. */
import { z } from "zod";
import { fileSchema } from "./schema.ts";

/** A key of `throughline.yaml`. */
export interface Key {
  /** With the blocks that it stands in: `server.cors.origins`. */
  readonly path: string;
  /** The blocks alone. */
  readonly parent: string;
  readonly name: string;
  /** `object` for a block. */
  readonly type: "string" | "integer" | "boolean" | "array" | "object";
  /** Its value where nothing is written, if it has one. */
  readonly default?: unknown;
  readonly required: boolean;
  /** `path` where the text names a file, `location` where it may. */
  readonly names?: "path" | "location";
  /** Whether it must not be printed. */
  readonly secret: boolean;
  readonly description: string;
  /** Besides the type: what the value may be. */
  readonly range: string;
  /** The only values, if they are counted. */
  readonly values: readonly string[];
}

/** The file's schema as JSON Schema. */
export const fileShape = (): Readonly<Record<string, unknown>> => z.toJSONSchema(fileSchema, { io: "input" });

let cached: ReadonlyMap<string, Key> | undefined;

function index(): ReadonlyMap<string, Key> {
  cached ??= new Map(keysIn(fileShape(), []).map((key) => [key.path, key]));
  return cached;
}

/** All keys, blocks before what is in them. */
export const keysOf = (): readonly Key[] => [...index().values()];

/** Whether what stands at a path must not be printed: a secret, or one of a list of them. */
export const isHidden = (path: readonly (string | number)[]): boolean => keyAt(path.filter((step) => typeof step === "string"))?.secret ?? false;

/** The key at a path, if there is one. */
export const keyAt = (path: readonly (string | number)[]): Key | undefined =>
  path.some((step) => typeof step === "number" || step.includes(".")) ? undefined : index().get(path.join("."));

/** What of a JSON Schema is of interest here. */
interface Node {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly writeOnly?: boolean;
  readonly format?: string;
  readonly items?: Node;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
}

const types = ["string", "integer", "boolean", "array", "object"] as const;

function keysIn(node: Node, path: readonly string[]): readonly Key[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const type = types.find((one) => one === child.type) ?? "string";
    const key: Key = {
      path: [...path, name].join("."),
      parent: path.join("."),
      name,
      type,
      ...(child.default === undefined || type === "object" ? {} : { default: child.default }),
      ...namesOf(child.items ?? child),
      required: node.required?.includes(name) ?? false,
      secret: child.writeOnly ?? child.items?.writeOnly ?? false,
      description: child.description ?? "",
      range: rangeOf(child),
      values: child.enum ?? [],
    };
    return [key, ...keysIn(child, [...path, name])];
  });
}

const namesOf = ({ format }: Node): Pick<Key, "names"> => (format === "path" || format === "location" ? { names: format } : {});

function rangeOf({ minimum, maximum, minLength = 1 }: Node): string {
  if (minimum !== undefined) return `${minimum} to ${maximum}`;
  return minLength > 1 ? `at least ${minLength} characters` : "";
}
