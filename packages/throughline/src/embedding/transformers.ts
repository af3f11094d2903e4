/** Embedding models on this machine, in a worker thread. */
import { Worker } from "node:worker_threads";
import type { Clock } from "../kernel/clock.ts";
import { abortable } from "../kernel/deadline.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import type { EmbeddingProvider } from "../memory/embed.ts";
import { modelName } from "../model/openai-compatible/server-options.ts";
import { type EmbeddingOptions, embeddingProvider, embeddingSettings } from "./embedding-provider.ts";
import type { LocalAnswer, LocalFailure, LocalModelFacts, LocalQuestion } from "./local-worker.ts";

/** How the vectors of a text's tokens are combined. The model's description names the method of its training. */
export type Pooling = "mean" | "cls" | "last_token";

/** Options of {@link transformersEmbedding}. */
export interface TransformersEmbeddingOptions extends EmbeddingOptions {
  /** The model's name, such as `Xenova/all-MiniLM-L6-v2`: a folder in `localPath` with its files. */
  readonly model: string;
  /** Folder of the models. Defaults to the package's own. */
  readonly localPath?: string;
  /** Whether missing files may be downloaded from the model hub. Defaults to false. */
  readonly remote?: boolean;
  /** Precision of the weights, such as `"q8"` or `"fp32"`. It changes the vectors and is part of the id. Defaults to the package's default. */
  readonly dtype?: string;
  /** Device, such as `"cpu"`. Defaults to the package's default. */
  readonly device?: string;
  /** Defaults to `mean`. */
  readonly pooling?: Pooling;
  /** Keeps the first `dimensions` numbers of longer vectors, for models with such training (Matryoshka). Defaults to false. */
  readonly shorten?: boolean;
  /** The package: its name, or a file URL if it is installed elsewhere. Defaults to `@huggingface/transformers`. */
  readonly library?: string | URL;
}

/** A model on this machine, in a worker thread. */
export interface TransformersEmbedding extends EmbeddingProvider {
  /** Ends the thread and frees the model. Current and later requests fail. */
  close(): Promise<void>;
}

const adapter = "transformersEmbedding";
const poolings: readonly string[] = ["mean", "cls", "last_token"] satisfies readonly Pooling[];

/**
 * Creates an embedding model on this machine with the optional package `@huggingface/transformers`. The first text loads it in a worker thread, so
 * that it blocks no other work. Queries precede background work. An idle thread does not keep the process alive, and the next text restarts a thread
 * that has ended. Defaults to 16 texts at once and 120,000 ms, including the loading. Throws `input.invalid` for a wrong option. `embed` throws
 * `embedding.unavailable` if the package or the model's files are missing, and `embedding.failed` if the thread ends or times out. It throws
 * `embedding.invalid` if the vectors have another shape than declared.
 * @example transformersEmbedding({ model: "Xenova/all-MiniLM-L6-v2", dimensions: 384, localPath: "/srv/models", dtype: "q8" })
 */
export function transformersEmbedding(options: TransformersEmbeddingOptions): TransformersEmbedding {
  const model = modelName(adapter, options.model);
  const { localPath, remote = false, dtype, device, pooling = "mean", shorten = false, library = "@huggingface/transformers" } = options;
  if (!poolings.includes(pooling))
    throw new ThroughlineError("input.invalid", `${adapter}: pooling is ${seen(pooling)}.`, { hint: `Give one of ${poolings.join(", ")}.` });
  // Precision and pooling are part of the model's id, because they change the vectors.
  const named = `${model}(${[dtype ?? "default", pooling].join(",")})`;
  const settings = embeddingSettings({ adapter, family: "transformers", model: named, maxBatch: 16, timeoutMs: 120_000 }, options);
  const local = createLocalModel(
    { library: String(library), model, localPath, remote, dtype, device, pooling },
    { name: model, clock: settings.call.clock, timeoutMs: settings.call.timeoutMs },
  );
  const provider = embeddingProvider({
    settings: { ...settings, name: model },
    async embedBatch(texts, { kind, signal }) {
      const vectors = await local.embed(texts, { urgent: kind === "query", signal });
      return shorten ? vectors.map((vector) => vector.subarray(0, settings.dimensions)) : vectors;
    },
  });
  return Object.freeze({ ...provider, close: () => local.close() });
}

/** A model in a worker thread. */
interface LocalModel {
  /** Returns the model's vectors of the texts. Urgent texts precede all waiting ones that are not urgent. */
  embed(texts: readonly string[], options: { readonly urgent: boolean; readonly signal: AbortSignal }): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** Time limits of a question. */
interface LocalPatience {
  /** The model's name, for errors. */
  readonly name: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Creates a model that is not loaded yet. */
const createLocalModel = (facts: LocalModelFacts, patience: LocalPatience): LocalModel => new ThreadedModel(facts, patience);

/** The thread's file is in the same folder, as source or compiled. */
const threadFile = new URL(`local-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** A question, until it is answered or its caller aborts. */
interface Ask {
  readonly texts: readonly string[];
  readonly urgent: boolean;
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (error: ThroughlineError) => void;
}

/** The worker thread. It gets one question at a time, so that waiting questions can be cancelled and overtaken by urgent ones. */
class ThreadedModel implements LocalModel {
  readonly #facts: LocalModelFacts;
  readonly #patience: LocalPatience;
  readonly #waiting: Ask[] = [];
  #thread: Worker | undefined;
  /** The current question of the thread. Its caller may have left. */
  #current: { readonly number: number; readonly ask: Ask; left: boolean } | undefined;
  #asked = 0;
  #closed = false;

  constructor(facts: LocalModelFacts, patience: LocalPatience) {
    this.#facts = facts;
    this.#patience = patience;
  }

  async embed(
    texts: readonly string[],
    { urgent, signal }: { readonly urgent: boolean; readonly signal: AbortSignal },
  ): Promise<readonly Float32Array[]> {
    if (this.#closed) throw this.#failed("was closed");
    const { promise, resolve, reject } = Promise.withResolvers<readonly Float32Array[]>();
    const ask: Ask = { texts, urgent, resolve, reject };
    const at = urgent ? this.#waiting.findIndex((other) => !other.urgent) : -1;
    this.#waiting.splice(at === -1 ? this.#waiting.length : at, 0, ask);
    const settled = new AbortController();
    const { clock, timeoutMs } = this.#patience;
    clock.sleep(timeoutMs, settled.signal).then(
      () => this.#late(ask),
      () => {},
    );
    this.#next();
    try {
      return await abortable(promise, signal);
    } finally {
      settled.abort();
      this.#leave(ask);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end("was closed");
  }

  /** Sends the thread its next question. */
  #next(): void {
    if (this.#current === undefined) {
      const ask = this.#waiting.shift();
      if (ask !== undefined) {
        this.#current = { number: (this.#asked += 1), ask, left: false };
        const question: LocalQuestion = { ask: this.#asked, texts: ask.texts };
        this.#started().postMessage(question, []);
      }
    }
    // An idle thread does not keep the process alive.
    if (this.#current === undefined || (this.#current.left && this.#waiting.length === 0)) this.#thread?.unref();
    else this.#thread?.ref();
  }

  #started(): Worker {
    if (this.#thread !== undefined) return this.#thread;
    const thread = new Worker(threadFile, { workerData: this.#facts, execArgv: [], name: "throughline-embedding" });
    this.#thread = thread;
    const lost = (): void => {
      if (this.#thread === thread) void this.#end("ended in the middle of its work");
    };
    thread.on("message", (answer: LocalAnswer) => this.#hear(thread, answer));
    thread.on("error", lost);
    thread.on("exit", lost);
    return thread;
  }

  #hear(thread: Worker, answer: LocalAnswer): void {
    const current = this.#current;
    if (this.#thread !== thread || current?.number !== answer.ask) return;
    this.#current = undefined;
    if ("failure" in answer) {
      current.ask.reject(this.#fault(answer.failure, answer.said));
      // Missing files may exist by the next time, so a new thread looks again.
      if (answer.failure === "missing" || answer.failure === "unloadable") this.#drop();
    } else current.ask.resolve(rowsOf(answer));
    this.#next();
  }

  /** Removes a question that is answered or whose caller aborted. */
  #leave(ask: Ask): void {
    const at = this.#waiting.indexOf(ask);
    if (at !== -1) this.#waiting.splice(at, 1);
    if (this.#current?.ask === ask) this.#current.left = true;
    this.#next();
  }

  /** A thread that times out hangs. It is ended, and the other questions get a new one. */
  #late(ask: Ask): void {
    const { name, timeoutMs } = this.#patience;
    const hangs = this.#current !== undefined && (this.#current.ask === ask || this.#current.left);
    ask.reject(
      new ThroughlineError("embedding.failed", `${name} did not answer within ${timeoutMs} ms.`, {
        hint: "Try again, or raise timeoutMs; the first text waits for the model to load.",
      }),
    );
    if (!hangs) return;
    this.#current = undefined;
    this.#drop();
    this.#next();
  }

  /** Ends the thread. The next question starts another one. */
  #drop(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.terminate().catch(() => {});
  }

  async #end(what: string): Promise<void> {
    const thread = this.#thread;
    const lost = [...(this.#current === undefined ? [] : [this.#current.ask]), ...this.#waiting.splice(0)];
    this.#thread = undefined;
    this.#current = undefined;
    for (const { reject } of lost) reject(this.#failed(what));
    await thread?.terminate();
  }

  #failed(what: string): ThroughlineError {
    return new ThroughlineError("embedding.failed", `The thread of ${this.#patience.name} ${what}.`);
  }

  /** An error while loading is shown, because no text had been read by then. An error about a text is not. */
  #fault(failure: LocalFailure, said: string): ThroughlineError {
    const { name } = this.#patience;
    const { library, model, localPath } = this.#facts;
    if (failure === "missing")
      return new ThroughlineError("embedding.unavailable", `${name} needs the package ${library}, which is not installed.`, {
        hint: `npm install ${library}`,
      });
    if (failure === "unloadable")
      return new ThroughlineError("embedding.unavailable", `${name} cannot be loaded: ${said.slice(0, 300)}`, {
        hint: `Put its files into ${localPath ?? "the models folder of the package"}/${model}, or give localPath; with remote: true they are fetched.`,
      });
    if (failure === "shapeless")
      return new ThroughlineError("embedding.invalid", `${name} gave something else than one vector a text: ${said.slice(0, 40)}.`);
    return new ThroughlineError("embedding.failed", `${name} could not embed what it was given.`);
  }
}

const rowsOf = ({ rows, columns, numbers }: Extract<LocalAnswer, { readonly rows: number }>): readonly Float32Array[] =>
  Array.from({ length: rows }, (_, row) => numbers.subarray(row * columns, (row + 1) * columns));
