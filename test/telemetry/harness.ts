/** Turns recorded by the real OpenTelemetry SDK. */
import { InMemorySpanExporter, NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { context, propagation, trace } from "@opentelemetry/api";

/** A registered SDK that keeps its spans, for one test. */
export interface RecordedSpans {
  readonly spans: () => readonly ReadableSpan[];
  /** The spans of a name, or of names that begin with it. */
  named(name: string): readonly ReadableSpan[];
  /** The only span of that name. */
  one(name: string): ReadableSpan;
  end(): Promise<void>;
}

/** Starts the SDK as a program does, with its context manager and its propagator. */
export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  const named = (name: string): readonly ReadableSpan[] => spans().filter((span) => span.name === name || span.name.startsWith(`${name} `));
  return {
    spans,
    named,
    one: (name) => {
      const [found, ...others] = named(name);
      if (found === undefined || others.length > 0)
        throw new Error(
          `There are ${others.length + (found === undefined ? 0 : 1)} spans "${name}" of ${spans()
            .map((span) => span.name)
            .join(", ")}`,
        );
      return found;
    },
    end: async () => {
      await provider.shutdown();
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

export const parentOf = (span: ReadableSpan): string | undefined => span.parentSpanContext?.spanId;
export const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
export const traceOf = (span: ReadableSpan): string => span.spanContext().traceId;
