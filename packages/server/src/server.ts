/** The subpath `@throughline/server`: sessions, customers and events over HTTP. */
export { createServer } from "./server/create-server.ts";
export type { ServerOptions, ThroughlineServer } from "./server/create-server.ts";
export { createKey, listKeys, revokeKey } from "./server/auth/api-keys.ts";
export type { ApiKey, KeyOptions, NewApiKey } from "./server/auth/api-keys.ts";
export { revokeTokens } from "./server/auth/customer-versions.ts";
export { rotateTokenKeys } from "./server/auth/access-tokens.ts";
export { loadRoutine } from "./config/routine-file.ts";
export type { Scope } from "./protocol/wire-auth.ts";
export type { Limits, TokenTtl } from "./server/service.ts";
export type { JobOptions } from "./server/jobs/background-jobs.ts";
export { createCallbacks } from "./server/webhooks/callbacks.ts";
export type { CallbackOptions, Callbacks } from "./server/webhooks/callbacks.ts";
export { createWebhooks } from "./server/webhooks/webhooks.ts";
export type { WebhookOptions, Webhooks } from "./server/webhooks/webhooks.ts";
export type { DeadLetter, WebhookControl, WebhookPosition, WebhookStatus, WebhookTarget } from "./server/webhooks/webhook-target.ts";
export { defineWebhookSource } from "./server/webhooks/webhook-source.ts";
export type {
  CustomEffect,
  MessageEffect,
  RunEffect,
  VariablesEffect,
  WebhookDelivery,
  WebhookEffect,
  WebhookPlace,
  WebhookSource,
  WebhookSourceOptions,
} from "./server/webhooks/webhook-source.ts";
export type { WebhookScheme } from "./server/webhooks/source-signature.ts";
