/** Traces of the service: the extension that records turns, and an SDK that sends the spans to a collector. */
import type { Declared } from "throughline/extension";
import { ThroughlineError } from "throughline/kernel";
import { telemetry } from "throughline/telemetry";
import type { Settings } from "../config/config-settings.ts";

/** What a runtime declares, and what is called before the process ends. */
interface Traces {
  readonly extensions: readonly Declared[];
  readonly flush: () => Promise<void>;
}

/** Starts the traces that the settings ask for. Throws `package.missing` if a package of OpenTelemetry is not installed. */
export async function tracesFor(settings: Settings["telemetry"]["traces"]): Promise<Traces> {
  const { enabled, url, metadata, content } = settings;
  if (!enabled) return { extensions: [], flush: () => Promise.resolve() };
  const extension = await telemetry({ metadata, content });
  const flush = url === undefined ? (): Promise<void> => Promise.resolve() : await startSdk(url, settings);
  return { extensions: [extension], flush };
}

/** Registers an SDK that sends spans in batches. Returns a function that sends the rest. */
async function startSdk(
  url: string,
  { api_key, api_key_scheme, service_name, deployment_environment }: Settings["telemetry"]["traces"],
): Promise<() => Promise<void>> {
  const { BatchSpanProcessor, NodeTracerProvider, OTLPTraceExporter, resourceFromAttributes } = await loadSdk();
  const scheme = api_key_scheme === "basic" ? "Basic" : "Bearer";
  const headers = api_key === undefined ? {} : { authorization: `${scheme} ${api_key.reveal()}` };
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ "service.name": service_name, "deployment.environment.name": deployment_environment }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url, headers }))],
  });
  provider.register();
  // A collector that does not answer must not keep the process from ending with success.
  return () => provider.shutdown().catch(() => {});
}

/** Loads the SDK, which only services that send traces themselves have installed. */
async function loadSdk() {
  try {
    const [node, exporter, resources] = await Promise.all([
      import("@opentelemetry/sdk-trace-node"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
    return { ...node, ...exporter, ...resources };
  } catch (cause) {
    const packages = "@opentelemetry/sdk-trace-node @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources";
    throw new ThroughlineError("package.missing", "telemetry.traces.url needs packages of OpenTelemetry that cannot be loaded.", {
      hint: `Install them beside @throughline/server: npm install ${packages}`,
      cause,
    });
  }
}
