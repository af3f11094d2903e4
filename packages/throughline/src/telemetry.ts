/** Telemetry: turns as OpenTelemetry traces. Needs the package `@opentelemetry/api`. @module */
export { telemetry } from "./telemetry/telemetry-extension.ts";
export type { TelemetryOptions } from "./telemetry/telemetry-extension.ts";
