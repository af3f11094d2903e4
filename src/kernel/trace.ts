/** Attributes of a span: numbers, names and ids. Never text that a human wrote. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Tracing, as a port. Errors of an implementation do not affect the traced work. */
export interface Tracer {
  /** Runs `work` inside a span and ends the span when the work settles. */
  span<Result>(name: string, attributes: SpanAttributes, work: () => Promise<Result>): Promise<Result>;
}

/** Wraps a tracer so that its errors do not affect the work. The work runs once, and its result is returned. */
export const quietTracer = (tracer: Tracer): Tracer => ({
  async span(name, attributes, work) {
    let begun: ReturnType<typeof work> | undefined;
    const once = (): ReturnType<typeof work> => {
      if (begun !== undefined) return begun;
      begun = work();
      // A tracer might not await the work. The return statement below reports the work's failure.
      begun.catch(() => {});
      return begun;
    };
    try {
      await tracer.span(name, attributes, once);
    } catch {
      // Either the work failed, which the return statement reports, or the tracer did.
    }
    return once();
  },
});

/** The default tracer. It records nothing. */
export const noTracer: Tracer = { span: (_name, _attributes, work) => work() };
