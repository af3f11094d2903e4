/** Runs pieces of a turn's work so that extensions observe them: each begins and ends within their point `observe`, which changes nothing. */
import { ThroughlineError } from "../kernel/error.ts";
import type { SpanAttributes } from "../kernel/log.ts";
import { type ExtensionAgent, type ExtensionContext, hasPoint, type ObservedWork, type WorkEnd } from "./port.ts";

/** How a piece of work is run and described. */
interface Observing<Result> {
  readonly context: Pick<ExtensionContext, "tracer" | "logger">;
  readonly extensions: ExtensionAgent["extensions"];
  readonly work: () => ObservedWork;
  /** Name and attributes of the span for the runtime's tracer. */
  readonly span?: readonly [name: string, attributes: SpanAttributes];
  readonly end?: (result: Result) => WorkEnd;
}

/**
 * Runs a piece of work within the tracer's span and the observers of a turn, the first one outermost. Returns its result, or throws its error. It runs
 * exactly once, whatever observers do.
 */
export function observed<Result>(
  { context, extensions, work, span, end = () => ({}) }: Observing<Result>,
  run: () => Promise<Result>,
): Promise<Result> {
  const spanned = span === undefined ? run : (): Promise<Result> => context.tracer.span(...span, run);
  const observers = extensions.filter((extension) => hasPoint(extension, "observe"));
  if (observers.length === 0) return spanned();
  let running: Promise<Result> | undefined;
  const once = (): Promise<Result> => {
    if (running === undefined) {
      running = spanned();
      // An observer might not await the work. The caller gets its failure.
      running.catch(() => {});
    }
    return running;
  };
  const plain = async (): Promise<WorkEnd> => {
    try {
      return end(await once());
    } catch (error) {
      return { error };
    }
  };
  const seen = work();
  const around = observers.reduceRight<() => Promise<WorkEnd>>(
    (inner, observer) => async () => {
      let ended: Promise<WorkEnd> | undefined;
      const next = (): Promise<WorkEnd> => (ended ??= inner());
      try {
        await observer.observe(seen, next);
      } catch (error) {
        const { code } = ThroughlineError.from(error);
        context.logger.warn("an extension failed to observe", { extension: observer.name, work: seen.kind, code }, error);
      }
      return next();
    },
    plain,
  );
  return around().then(once);
}
