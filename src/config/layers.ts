/** Values from elsewhere in the places of the file's. */
import { isPlainObject } from "../kernel/json.ts";
import type { Origin, Path } from "./violation.ts";

/** A value from elsewhere than the file, which goes before it. */
export interface Assignment {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: Origin;
}

type Block = Readonly<Record<string, unknown>>;

/** The file's values with the assignments in their places. A store takes the place of the file's database, whichever way that is written. */
export function withLayers(value: unknown, layers: readonly Assignment[]): unknown {
  const base = value ?? {};
  if (!isPlainObject(base)) return base;
  const moved = layers.some(({ path }) => path[0] === "store") && !layers.some(({ path }) => path[0] === "agent_config");
  const { agent_config: _database, ...others } = base;
  return layers.reduce<Block>((whole, { path, value: put }) => withValue(whole, path, put), moved ? others : base);
}

function withValue(block: Block, [step = "", ...rest]: readonly string[], value: unknown): Block {
  if (rest.length === 0) return { ...block, [step]: value };
  const inner = block[step] ?? {};
  // What is no block is left for the schema to refuse.
  return isPlainObject(inner) ? { ...block, [step]: withValue(inner, rest, value) } : block;
}

/** The assignment that a value is from, if it is not from the file. */
export const layerOf = (layers: readonly Assignment[], at: Path): Assignment | undefined =>
  layers.findLast(({ path }) => path.every((step, index) => step === at[index]));
