/** Stands for the package that runs models: it has the same door, and does what the file `fault` beside its models says. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashEmbedding } from "../../../packages/throughline/src/testing.ts";

const dimensions = 64;
const model = hashEmbedding({ dimensions });

export const env = { allowRemoteModels: true, allowLocalModels: false, localModelPath: "" };

interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
  dispose(): void;
}

const faultOf = (): string => readFileSync(join(env.localModelPath, "fault"), "utf8");
let alive = 0;

function tensor(dims: readonly number[], data: Float32Array): Tensor {
  alive += 1;
  return {
    dims,
    data,
    dispose() {
      alive -= 1;
      // What was computed is gone: whoever kept a view of it would see zeros.
      data.fill(0);
      writeFileSync(join(env.localModelPath, "alive"), String(alive));
    },
  };
}

async function extract(texts: readonly string[], options: { readonly pooling: string; readonly normalize: boolean }): Promise<Tensor> {
  appendFileSync(join(env.localModelPath, "sent"), `${JSON.stringify({ texts, ...options })}\n`);
  const vectors = await model.embed(texts, { kind: "query" });
  const flat = (rows: readonly Float32Array[]): Float32Array => Float32Array.from(rows.flatMap((row) => [...row]));
  const sound = (): Tensor => tensor([vectors.length, dimensions], flat(vectors));
  const faults: Readonly<Record<string, () => Tensor | Promise<Tensor>>> = {
    "": sound,
    hang: () => new Promise(() => {}),
    busy: () => {
      for (;;) if (faultOf() === "") return sound();
    },
    thrown: () => {
      throw new Error(`The model cannot read: ${texts.join()}`);
    },
    crash: () => process.exit(7),
    uncaught: () => {
      setTimeout(() => {
        throw new Error("Nobody catches this.");
      });
      return new Promise(() => {});
    },
    "no list": () => tensor([vectors.length, 3, dimensions], flat([...vectors, ...vectors, ...vectors])),
    "too few": () => tensor([vectors.length - 1, dimensions], flat(vectors.slice(1))),
    "too many": () => tensor([vectors.length + 1, dimensions], flat([...vectors, ...vectors.slice(0, 1)])),
    "wrong dimensions": () => tensor([vectors.length, dimensions + 1], flat(vectors.map((vector) => Float32Array.of(...vector, 1)))),
    "not a number": () => tensor([vectors.length, dimensions], flat(vectors).fill(Number.NaN, 0, 1)),
    zeros: () => tensor([vectors.length, dimensions], flat(vectors).fill(0, 0, dimensions)),
  };
  return (faults[faultOf()] ?? sound)();
}

export async function pipeline(task: string, name: string, options: Readonly<Record<string, unknown>>): Promise<typeof extract> {
  appendFileSync(join(env.localModelPath, "loaded"), `${JSON.stringify({ task, name, options, env })}\n`);
  if (!env.allowRemoteModels && !existsSync(join(env.localModelPath, name))) throw new Error(`Could not locate file: ${name}/config.json`);
  return extract;
}
