/** Loads the OpenTelemetry API, an optional package. */
import { ThroughlineError } from "../kernel/error.ts";

/** The OpenTelemetry API. */
export type OtelApi = typeof import("@opentelemetry/api");

/** Loads the package. Throws `package.missing` if it is not installed. `load` is for tests. */
export async function loadOtelApi(load: () => Promise<OtelApi> = () => import("@opentelemetry/api")): Promise<OtelApi> {
  try {
    return await load();
  } catch (cause) {
    throw new ThroughlineError("package.missing", 'throughline/telemetry needs the package "@opentelemetry/api", which cannot be loaded.', {
      hint: "Install it beside throughline: npm install @opentelemetry/api",
      cause,
    });
  }
}
