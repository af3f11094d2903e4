/** Attributes of a span: numbers, names and ids, never text that a person wrote. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Tracing, as a port. An implementation must not throw into the work that it watches. */
export interface Tracer {
  /** Runs `work` inside a span and ends the span when it settles. */
  span<Result>(name: string, attributes: SpanAttributes, work: () => Promise<Result>): Promise<Result>;
}

/** A tracer that records nothing: the default. */
export const noTracer: Tracer = { span: (_name, _attributes, work) => work() };
