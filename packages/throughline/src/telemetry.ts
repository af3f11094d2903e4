/** Telemetry: turns as OpenTelemetry traces, which need the package `@opentelemetry/api`, and metrics for Prometheus, which need none. @module */
export { createRegistry, metricsContentType } from "./telemetry/metric-registry.ts";
export type { Counter, Gauge, Histogram, LabelValues, MetricOptions, MetricRegistry } from "./telemetry/metric-registry.ts";
export { createMetrics } from "./telemetry/metrics.ts";
export type { Metrics } from "./telemetry/metrics.ts";
export { telemetry } from "./telemetry/telemetry-extension.ts";
export type { TelemetryOptions } from "./telemetry/telemetry-extension.ts";
