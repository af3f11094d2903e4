/** Attributes of a span: numbers, names and ids, never text that a person wrote. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Tracing, as a port. What an implementation throws by itself is left out of the work that it watches. */
export interface Tracer {
  /** Runs `work` inside a span and ends the span when it settles. */
  span<Result>(name: string, attributes: SpanAttributes, work: () => Promise<Result>): Promise<Result>;
}

/** A tracer whose failures stay its own: the work is done once, and its result is what counts. */
export const quietTracer = (tracer: Tracer): Tracer => ({
  async span(name, attributes, work) {
    let begun: ReturnType<typeof work> | undefined;
    const once = (): ReturnType<typeof work> => {
      if (begun !== undefined) return begun;
      begun = work();
      // A tracer that does not wait for the work leaves its failure to the end of this function.
      begun.catch(() => {});
      return begun;
    };
    try {
      await tracer.span(name, attributes, once);
    } catch {
      // Either the work's own failure, which is told below, or the tracer's.
    }
    return once();
  },
});

/** A tracer that records nothing: the default. */
export const noTracer: Tracer = { span: (_name, _attributes, work) => work() };
