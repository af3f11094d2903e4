/** The worker thread of an embedding model on this machine. `transformers.ts` starts it. It answers one question at a time. */
import { parentPort, workerData } from "node:worker_threads";

/** The model, and how to load it. */
export interface LocalModelFacts {
  readonly library: string;
  readonly model: string;
  readonly localPath: string | undefined;
  readonly remote: boolean;
  readonly dtype: string | undefined;
  readonly device: string | undefined;
  readonly pooling: string;
}

/** A question to the thread. */
export interface LocalQuestion {
  readonly ask: number;
  readonly texts: readonly string[];
}

/** An answer of the thread: all vectors in one array, or the reason of a failure. */
export type LocalAnswer =
  | { readonly ask: number; readonly rows: number; readonly columns: number; readonly numbers: Float32Array<ArrayBuffer> }
  | { readonly ask: number; readonly failure: LocalFailure; readonly said: string };

/** The package is missing; the model cannot be loaded; it cannot embed; its output is not a table of numbers. */
export type LocalFailure = "missing" | "unloadable" | "failed" | "shapeless";

/** The used part of the package, versions 3 and 4. */
interface Library {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  readonly pipeline: (task: "feature-extraction", model: string, options: Readonly<Record<string, unknown>>) => Promise<Extractor>;
}
type Extractor = (texts: readonly string[], options: { readonly pooling: string; readonly normalize: boolean }) => Promise<Tensor>;
interface Tensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number>;
  dispose(): void;
}

const facts = workerData as LocalModelFacts;
let loaded: Promise<Extractor> | undefined;

class Failed extends Error {
  readonly failure: LocalFailure;

  constructor(failure: LocalFailure, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.failure = failure;
  }
}

async function library(): Promise<Library> {
  try {
    return (await import(facts.library)) as Library;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // An installed package with a missing dependency reports the same, with another name in its message.
    const missing =
      (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") && String(error).includes(facts.library.replace(/^file:\/\//, ""));
    throw new Failed(missing ? "missing" : "unloadable", error);
  }
}

async function load(): Promise<Extractor> {
  const { env, pipeline } = await library();
  const { model, localPath, remote, dtype, device } = facts;
  try {
    env.allowLocalModels = true;
    env.allowRemoteModels = remote;
    if (localPath !== undefined) env.localModelPath = localPath;
    return await pipeline("feature-extraction", model, {
      local_files_only: !remote,
      ...(dtype === undefined ? {} : { dtype }),
      ...(device === undefined ? {} : { device }),
    });
  } catch (error) {
    throw new Failed("unloadable", error);
  }
}

/** Returns the vectors of the texts. Always disposes of the tensor, because its memory is not garbage-collected. */
async function embed(extractor: Extractor, { ask, texts }: LocalQuestion): Promise<LocalAnswer> {
  let tensor: Tensor;
  try {
    tensor = await extractor(texts, { pooling: facts.pooling, normalize: false });
  } catch (error) {
    throw new Failed("failed", error);
  }
  try {
    const [rows = 0, columns = 0] = tensor.dims;
    const numbers = Float32Array.from(tensor.data);
    if (tensor.dims.length !== 2 || numbers.length !== rows * columns) throw new Failed("shapeless", tensor.dims.join(" × "));
    return { ask, rows, columns, numbers };
  } finally {
    tensor.dispose();
  }
}

async function answer(question: LocalQuestion): Promise<void> {
  try {
    loaded ??= load();
    const answered = await embed(await loaded, question);
    parentPort?.postMessage(answered, "numbers" in answered ? [answered.numbers.buffer] : []);
  } catch (error) {
    const failure = error instanceof Failed ? error.failure : "failed";
    parentPort?.postMessage({ ask: question.ask, failure, said: error instanceof Error ? error.message : "" } satisfies LocalAnswer, []);
  }
}

parentPort?.on("message", (question: LocalQuestion) => void answer(question));
