import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { transformersEmbedding, type TransformersEmbedding, type TransformersEmbeddingOptions } from "../../packages/throughline/src/memory.ts";
import { embeddingChecks, type EmbeddingFault } from "../../packages/throughline/src/testing.ts";

const library = new URL("./fake-transformers/library.ts", import.meta.url);
const model = "Xenova/all-MiniLM-L6-v2";
const faults: readonly EmbeddingFault[] = ["hang", "no list", "too few", "too many", "wrong dimensions", "not a number", "zeros", "thrown"];
const query = { kind: "query" } as const;

const homes: string[] = [];
const opened: TransformersEmbedding[] = [];
afterAll(async () => {
  await Promise.all(opened.map((provider) => provider.close()));
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

interface Place {
  readonly localPath: string;
  readonly misbehave: (fault: string | undefined) => void;
  /** What the library wrote down, line by line. */
  readonly lines: (file: "sent" | "loaded" | "alive") => readonly Readonly<Record<string, unknown>>[];
}

/** A folder with the model, and with what the library is to do wrong. */
function place({ models = true }: { readonly models?: boolean } = {}): Place {
  const localPath = mkdtempSync(join(tmpdir(), "throughline-models-"));
  homes.push(localPath);
  if (models) mkdirSync(join(localPath, model), { recursive: true });
  const misbehave = (fault: string | undefined): void => writeFileSync(join(localPath, "fault"), fault ?? "");
  misbehave(undefined);
  return {
    localPath,
    misbehave,
    lines: (file) =>
      existsSync(join(localPath, file))
        ? readFileSync(join(localPath, file), "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
        : [],
  };
}

function open({ localPath }: Place, rest: Partial<TransformersEmbeddingOptions> = {}): TransformersEmbedding {
  const provider = transformersEmbedding({ model, dimensions: 64, library, localPath, ...rest });
  opened.push(provider);
  return provider;
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("embeddings on this machine", () => {
  it.each(embeddingChecks(faults).map(({ name, run }) => [name, run] as const))("%s", (_name, run) =>
    run(() => {
      const here = place();
      let provider: TransformersEmbedding | undefined;
      return {
        open: (limits) => (provider = open(here, limits)),
        misbehave: here.misbehave,
        faults,
        sent: () => here.lines("sent").map(({ texts }) => (texts as readonly string[]).length),
        close: () => provider?.close(),
      };
    }),
  );
  it("come from local files alone unless the hub is allowed, with what the options say", async () => {
    const here = place();
    await open(here, { dtype: "q8", device: "cpu", pooling: "cls" }).embed(["one"], query);
    await open(here, { remote: true }).embed(["one"], query);
    const env = { allowLocalModels: true, localModelPath: here.localPath };
    expect(here.lines("loaded")).toEqual([
      {
        task: "feature-extraction",
        name: model,
        options: { local_files_only: true, dtype: "q8", device: "cpu" },
        env: { ...env, allowRemoteModels: false },
      },
      { task: "feature-extraction", name: model, options: { local_files_only: false }, env: { ...env, allowRemoteModels: true } },
    ]);
    expect(here.lines("sent").map(({ pooling }) => pooling)).toEqual(["cls", "mean"]);
  });
  it("load the model once, and dispose of every tensor", async () => {
    const here = place();
    const provider = open(here, { maxBatch: 1 });
    await provider.embed(["one", "two", "three"], query);
    expect({
      loaded: here.lines("loaded").length,
      sent: here.lines("sent").length,
      alive: readFileSync(join(here.localPath, "alive"), "utf8"),
    }).toEqual({
      loaded: 1,
      sent: 3,
      alive: "0",
    });
    here.misbehave("no list");
    await errorOf(provider.embed(["four"], query));
    expect(readFileSync(join(here.localPath, "alive"), "utf8")).toBe("0");
  });
  it("tell of a package that is not installed, with what to do", async () => {
    const error = await errorOf(open(place(), { library: "@huggingface/transformers-of-nobody" }).embed(["one"], query));
    expect(error).toMatchObject({ code: "embedding.unavailable", hint: "npm install @huggingface/transformers-of-nobody" });
  });
  it("tell of files that are missing, and find them when they are there", async () => {
    const here = place({ models: false });
    const provider = open(here);
    expect(await errorOf(provider.embed(["one"], query))).toMatchObject({
      code: "embedding.unavailable",
      message: `${model} cannot be loaded: Could not locate file: ${model}/config.json`,
      hint: expect.stringContaining(here.localPath) as unknown,
    });
    mkdirSync(join(here.localPath, model), { recursive: true });
    expect(await provider.embed(["one"], query)).toHaveLength(1);
  });
  it.each(["crash", "uncaught"])("outlive their thread: %s", async (fault) => {
    const here = place();
    const provider = open(here);
    here.misbehave(fault);
    const errors = await Promise.all([errorOf(provider.embed(["one"], query)), errorOf(provider.embed(["two"], query))]);
    expect(errors).toMatchObject([{ code: "embedding.failed" }, { code: "embedding.failed" }]);
    here.misbehave(undefined);
    expect(await provider.embed(["one"], query)).toHaveLength(1);
  });
  it("do not hold up this thread while the model works, nor a question that nobody waits for any more", async () => {
    const here = place();
    const provider = open(here);
    await provider.embed(["loaded"], query);
    here.misbehave("busy");
    const stop = new AbortController();
    const left = errorOf(provider.embed(["left"], { kind: "query", signal: stop.signal }));
    const next = provider.embed(["next"], query);
    await expect.poll(() => here.lines("sent").length).toBe(2);
    stop.abort(new Error("left"));
    expect(await left).toMatchObject({ message: "left" });
    here.misbehave(undefined);
    expect(await next).toHaveLength(1);
  });
  it("put questions before what is embedded in the background, and leave out what nobody wants", async () => {
    const here = place();
    const provider = open(here, { maxBatch: 1 });
    await provider.embed(["loaded"], query);
    here.misbehave("busy");
    const stop = new AbortController();
    const asked = [
      provider.embed(["first"], { kind: "document" }),
      provider.embed(["second"], { kind: "document" }),
      errorOf(provider.embed(["left"], { kind: "document", signal: stop.signal })),
      provider.embed(["question"], query),
    ];
    await expect.poll(() => here.lines("sent").length).toBe(2);
    stop.abort();
    here.misbehave(undefined);
    await Promise.all(asked);
    expect(here.lines("sent").map(({ texts }) => (texts as readonly string[])[0])).toEqual(["loaded", "first", "question", "second"]);
  });
  it("are over when they are closed", async () => {
    const here = place();
    const provider = open(here);
    here.misbehave("busy");
    const asked = errorOf(provider.embed(["one"], query));
    await expect.poll(() => here.lines("sent").length).toBe(1);
    await provider.close();
    expect([await asked, await errorOf(provider.embed(["two"], query))]).toMatchObject([{ code: "embedding.failed" }, { code: "embedding.failed" }]);
  });
  it("keep the first numbers of longer vectors when they are to shorten", async () => {
    const [vector] = await open(place(), { dimensions: 16, shorten: true }).embed(["one"], query);
    expect(vector).toHaveLength(16);
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
  });
  it("do not keep a process alive that has nothing else to do", () => {
    const here = place();
    const memory = new URL("../../packages/throughline/src/memory.ts", import.meta.url).href;
    const options = JSON.stringify({ model, dimensions: 64, library: library.href, localPath: here.localPath });
    const program = `const { transformersEmbedding } = await import(${JSON.stringify(memory)});
      const [vector] = await transformersEmbedding(${options}).embed(["one"], { kind: "query" });
      process.stdout.write(String(vector.length));`;
    const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
      timeout: 20_000,
      cwd: fileURLToPath(new URL(".", import.meta.url)),
    });
    expect({ stdout, status }).toEqual({ stdout: "64", status: 0 });
  });
  it("have an id with the precision and the pooling, since both change the vectors", () => {
    const here = place();
    const ids = [open(here), open(here, { dtype: "q8" }), open(here, { pooling: "cls" }), open(here, { queryPrefix: "q: " })].map(({ id }) => id);
    expect(ids[1]).toBe(`transformers:${model}(q8,mean)@64`);
    expect(new Set(ids).size).toBe(4);
  });
  it("have no pooling but the three", () =>
    expect(() => open(place(), { pooling: "max" as never })).toThrow(expect.objectContaining({ code: "input.invalid" })));
});
