/** The thread that an embedding model of this machine runs in. `transformers.ts` starts it. It answers one question after the other. */
import { parentPort, workerData } from "node:worker_threads";

/** Which model, and how it is loaded. */
export interface LocalModelFacts {
  readonly library: string;
  readonly model: string;
  readonly localPath: string | undefined;
  readonly remote: boolean;
  readonly dtype: string | undefined;
  readonly device: string | undefined;
  readonly pooling: string;
}

/** What the thread is asked. */
export interface LocalQuestion {
  readonly ask: number;
  readonly texts: readonly string[];
}

/** What it answers: all vectors in one piece, or why there are none. */
export type LocalAnswer =
  | { readonly ask: number; readonly rows: number; readonly columns: number; readonly numbers: Float32Array<ArrayBuffer> }
  | { readonly ask: number; readonly failure: LocalFailure; readonly said: string };

/** The package is not there; the model cannot be loaded; it cannot embed; what it gave is no table of numbers. */
export type LocalFailure = "missing" | "unloadable" | "failed" | "shapeless";

/** What is used of the package, versions 3 and 4. */
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
    // A package that is there and lacks one of its own says so too, with another name in its message.
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

/** The vectors of the texts. The tensor is disposed of whatever happens: what it holds lies outside of what is collected by itself. */
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
