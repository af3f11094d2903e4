/** The schema of `throughline.yaml`: every key with its type, default and meaning. Everything else about the file is derived from it. */
import { eventKinds, isHost } from "throughline/internal";
import { isPlainObject } from "throughline/kernel";
import { z } from "zod";

const text = z
  .string()
  .min(1)
  .regex(/^[^\0\r\n]+$/u, "must be one line");
const hidden = z.string().min(1).meta({ writeOnly: true });
const seconds = (least: number, most: number) => z.int().min(least).max(most);
const day = 86_400;

/** A path is relative to the file that contains it. A path from the environment is relative to the working directory. */
const path = text.meta({ format: "path" });

/** PostgreSQL's modes without `allow` and `prefer`, which silently fall back to an unencrypted connection. */
const sslModes = ["disable", "require", "verify-ca", "verify-full"] as const;

/** Servers as PostgreSQL's own programs take them: several with commas, each with or without a port. */
const servers = text.regex(/^[^\s/?#@\\,]+(?:,[^\s/?#@\\,]+)*$/u, "is not a host name, nor several with commas");

const database = z.strictObject({
  hostname: servers.describe(
    "The server's name or address. Several servers, one of which is the primary, with commas, each with or without a port: `db-1,db-2:5433`.",
  ),
  password: hidden.transform((value) => secret(value)).describe("The user's password."),
  port: z.int().min(1).max(65_535).default(5432).describe("The server's port."),
  user: text.default("postgres").describe("The user."),
  dbname: text
    .regex(/^[^?#]+$/u, "must not contain ? or #")
    .default("postgres")
    .describe("The database."),
  sslmode: z
    .enum(sslModes)
    .default("require")
    .describe("PostgreSQL's TLS mode: `require` encrypts; `verify-ca` and `verify-full` also verify the server's certificate."),
  sslrootcert: path.optional().describe("A file with the certificate authorities of the server; required for `verify-ca`."),
  schema: text
    .regex(/^(?!pg_)/u, "must not begin with pg_")
    .refine((name) => Buffer.byteLength(name) <= 63, "must have at most 63 bytes")
    .default("throughline")
    .describe("The schema of the tables."),
  listen_host: servers
    .optional()
    .describe("The servers to listen on for notifications, with their ports (5432 by default), if `hostname` is a pooler that shares connections."),
  prepared_statements: z
    .enum(["auto", "off"])
    .default("auto")
    .describe("Whether statements are prepared by name: `auto` until a pooler is found that forgets them, or `off`."),
});

const host = text.regex(/^[^\s/?#@[\]\\]+$/u, "is not a host name or address");

const isOrigin = (value: string): boolean => URL.canParse(value) && /^https?:$/u.test(new URL(value).protocol) && new URL(value).origin === value;

const isAddress = (value: string): boolean => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && /^https?:$/u.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "" && url.password === "";
};

/** Limits for one caller: a key or a customer with a token. */
const allowance = (of: string, { waiters, requests, reads }: { readonly waiters: number; readonly requests: number; readonly reads: number }) => ({
  waiters: z.int().min(1).max(100_000).default(waiters).describe(`Concurrent long polls and streams of ${of}.`),
  requests_per_minute: z.int().min(0).max(10_000_000).default(requests).describe(`Requests of ${of} per minute; 0 for no limit.`),
  event_reads_per_minute: z
    .int()
    .min(0)
    .max(10_000_000)
    .default(reads)
    .describe(`Event reads of ${of} per minute, counted separately; 0 for no limit.`),
});

const limits = z
  .strictObject({
    body_bytes: z.int().min(1024).max(104_857_600).default(1_048_576).describe("Maximum size of a request body in bytes."),
    event_bytes: z.int().min(1024).max(16_777_216).default(262_144).describe("Maximum size of a posted event in bytes."),
    page_events: z.int().min(1).max(10_000).default(1000).describe("Maximum number of events per page."),
    wait_seconds: seconds(1, 600).default(60).describe("Maximum duration of a long poll."),
    slow_reader_seconds: seconds(1, 3600).default(30).describe("Disconnects a stream reader that accepts no data for this long."),
    ...allowance("one key", { waiters: 10_000, requests: 0, reads: 0 }),
    customer: z
      .strictObject(allowance("one customer with a token", { waiters: 20, requests: 600, reads: 1200 }))
      .prefault({})
      .describe("Limits for one customer with a token."),
  })
  .prefault({});

const server = z
  .strictObject({
    host: host.default("127.0.0.1").describe("The address to listen on. An address that other machines can reach requires API keys."),
    port: z.int().min(0).max(65_535).default(8420).describe("The port to listen on; 0 selects a free one."),
    hosts: z
      .array(host.toLowerCase())
      .default([])
      .describe(
        "Additional host names of the service. Requests for other names are rejected. A name that is not of this machine makes API keys required.",
      ),
    base_url: text
      .refine(isAddress, "must be an http(s) address without query")
      .optional()
      .describe("The public address behind a proxy. Its host name is added to `hosts`."),
    cors: z
      .strictObject({
        origins: z
          .array(text.refine(isOrigin, "must be an origin such as https://app.example.com, without path"))
          .default([])
          .describe("Origins of web pages that may call the service."),
      })
      .prefault({})
      .describe("Calls from web pages of other origins."),
    limits: limits.describe("Limits of requests and callers."),
    heartbeat_seconds: seconds(1, 300).default(15).describe("Interval between heartbeats of an idle stream."),
    headers_seconds: seconds(1, 600).default(10).describe("Timeout for receiving the headers of a request."),
    request_seconds: seconds(1, 3600).default(60).describe("Timeout for receiving a complete request."),
    drain_seconds: seconds(0, day).default(25).describe("On SIGTERM, time to wait for open requests and streams."),
    inspector: z
      .boolean()
      .optional()
      .describe("Serve the inspector at `/inspector/`. By default it is served only while all hosts are loopback addresses."),
    demo: z.boolean().default(false).describe("Also serve a customer chat, at `/demo/`, and the inspector."),
  })
  .prefault({});

const allowedHosts = z
  .array(text.refine(isHost, "must be a host or an IP address, with or without a port; networks, wildcards and URLs are none"))
  .default([])
  .describe("Hosts, with or without a port, whose addresses may be private. All others have to be public.");

const webhookTarget = z
  .strictObject({
    name: text
      .regex(/^[a-z0-9_-]{1,40}$/u, "must be 1 to 40 lower-case letters, digits, - and _")
      .describe("The name, under which positions are kept."),
    url: text
      .refine((value) => URL.canParse(value) && /^https?:$/u.test(new URL(value).protocol), "must be an http(s) address")
      .optional()
      .describe("The address for the events of all sessions."),
    hosts: z
      .array(text.refine((host) => host === "*" || isHost(host.replace(/^\*\./u, "")), "must be a host, with or without a port, *.example.com or *"))
      .min(1)
      .optional()
      .describe("Instead of `url`: hosts of the addresses that sessions and customers name as `event_webhook_url`, such as `*.example.com`."),
    secrets: z
      .array(hidden.regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/u, "must be whsec_ and 24 to 64 bytes in base64").transform((value) => secret(value)))
      .default([])
      .describe("Secrets that sign, the newest first; by default one in the database."),
    kinds: z.array(z.enum(eventKinds)).optional().describe("Only events of these kinds."),
    agents: z.array(text).optional().describe("Only sessions of these agents."),
    customers: z.array(text).optional().describe("Only sessions of these customers."),
    scopes: z
      .array(z.enum(["metadata:read", "state:read", "safety:read"]))
      .default([])
      .describe("What events show besides what `sessions:read` shows."),
  })
  .refine(({ url, hosts }) => (url === undefined) !== (hosts === undefined), "needs either url or hosts");

const delivered = /^(?:id|(?:body|headers)(?:\..+)?)$/u;
const deliveredMessage = "must be id, or begin with body. or headers.";

/** The paths of a rule's references that name no part of a delivery. */
function wrongReferences(given: unknown, path: readonly (string | number)[]): readonly (readonly (string | number)[])[] {
  if (Array.isArray(given)) return given.flatMap((one: unknown, index) => wrongReferences(one, [...path, index]));
  if (!isPlainObject(given)) return [];
  const { from, ...rest } = given;
  if (typeof from === "string" && Object.keys(rest).length === 0) return delivered.test(from) ? [] : [[...path, "from"]];
  return Object.entries(given).flatMap(([name, one]) => wrongReferences(one, [...path, name]));
}

/** Whether a value of a rule is a text, or a reference, which {@link wrongReferences} checks. */
const isTextOrReference = (given: unknown): boolean =>
  typeof given === "string" ? given !== "" : isPlainObject(given) && typeof given["from"] === "string" && Object.keys(given).length === 1;

/** A value of a rule, or where the delivery has it. */
const ruleValue = (description: string) => z.unknown().optional().describe(`${description} A value, or \`{from: body.…}\`.`);

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const comparisons = ["equals", "in", "set", "above", "below"] as const;

const webhookCondition = z
  .strictObject({
    value: text.regex(delivered, deliveredMessage).describe("What is compared, such as `body.type` or `headers.x-github-event`."),
    equals: scalar.exactOptional().describe("It is equal to this."),
    in: z.array(scalar).exactOptional().describe("It is equal to one of these."),
    set: z.boolean().exactOptional().describe("Whether it is there, and not null."),
    above: z.number().exactOptional().describe("It is a number above this."),
    below: z.number().exactOptional().describe("It is a number below this."),
  })
  .refine((condition) => comparisons.some((name) => condition[name] !== undefined), "needs one of equals, in, set, above and below");

const webhookRule = z
  .strictObject({
    when: z.array(webhookCondition).default([]).describe("Conditions that all hold. Without any, the rule holds for every delivery."),
    session_id: ruleValue("An existing session."),
    agent: ruleValue("Otherwise the session of this agent, `customer` and `key`, which is created if there is none."),
    customer: ruleValue("The customer."),
    key: ruleValue("Distinguishes the sessions of one customer and agent."),
    message: ruleValue("The effect: a customer's message with this text."),
    run: ruleValue("The effect: a run of the routine with this id, with `agent` or in `session_id`."),
    custom: ruleValue("The effect: a custom event."),
    variables: ruleValue("The effect: a change of variables, where null removes one."),
    input: ruleValue("With `message`: values of the agent's input fields. With `run`: the routine's input."),
    metadata: ruleValue("With `message` or `custom`: metadata of the event."),
    source: z.enum(["system", "customer_ui"]).optional().describe("With `custom`: whose words these are; `system` by default."),
    wake: z.boolean().optional().describe("With `custom`: whether it starts a turn."),
    of: z.enum(["customer", "session", "agent"]).optional().describe("With `variables`: whose they are; `customer` by default."),
  })
  .superRefine((rule, context) => {
    const effects = ["message", "custom", "variables", "run"] as const;
    const given = effects.filter((name) => rule[name] !== undefined);
    const refuse = (message: string): void => context.addIssue({ code: "custom", message });
    const { when: _when, ...values } = rule;
    for (const path of wrongReferences(values, [])) context.addIssue({ code: "custom", path: [...path], message: deliveredMessage });
    for (const name of ["session_id", "agent", "customer", "key", "message", "run"] as const)
      if (values[name] !== undefined && !isTextOrReference(values[name]))
        context.addIssue({ code: "custom", path: [name], message: "must be a text, or {from: body.…}" });
    if (given.length !== 1) refuse("needs one of message, custom, variables and run");
    const whose = rule.variables !== undefined ? (rule.of ?? "customer") : rule.run === undefined ? "session" : undefined;
    if (whose === "customer" && rule.customer === undefined) refuse("needs customer");
    if (whose === "session" && rule.session_id === undefined && (rule.agent === undefined || (rule.customer ?? rule.key) === undefined))
      refuse("needs session_id, or agent with customer or key");
    if (whose === "agent" && rule.agent === undefined) refuse("needs agent");
    const own: Readonly<Record<string, readonly string[]>> = {
      input: ["message", "run"],
      metadata: ["message", "custom"],
      source: ["custom"],
      wake: ["custom"],
      of: ["variables"],
    };
    for (const [name, of] of Object.entries(own))
      if (rule[name as keyof typeof rule] !== undefined && !given.some((one) => of.includes(one))) refuse(`has ${name} without ${of.join(" or ")}`);
  });

const webhookSource = z
  .strictObject({
    name: text
      .regex(/^[a-z0-9_-]{1,40}$/u, "must be 1 to 40 lower-case letters, digits, - and _")
      .describe("The last part of its address, `/webhooks/{name}`."),
    scheme: z.enum(["standard", "github", "stripe", "slack"]).describe("How it signs: Standard Webhooks, or as GitHub, Stripe or Slack."),
    secrets: z
      .array(hidden.min(8).transform((value) => secret(value)))
      .min(1)
      .describe("Secrets that verify. Several, while one is replaced."),
    rules: z.array(webhookRule).min(1).describe("What its deliveries do. Each rule whose conditions hold has an effect."),
  })
  .refine(
    ({ scheme, secrets }) => scheme !== "standard" || secrets.every((one) => /^(?:whsec_)?[A-Za-z0-9+/]{32,86}={0,2}$/u.test(one.reveal())),
    "has a secret that is not whsec_ and 24 to 64 bytes in base64",
  );

const webhooks = z
  .strictObject({
    targets: z
      .array(webhookTarget)
      .refine((targets) => new Set(targets.map(({ name }) => name)).size === targets.length, "has two of one name")
      .default([])
      .describe("Where events are sent."),
    sources: z
      .array(webhookSource)
      .refine((sources) => new Set(sources.map(({ name }) => name)).size === sources.length, "has two of one name")
      .default([])
      .describe("Services whose webhooks are received, at `/webhooks/{name}`."),
    allow_hosts: allowedHosts,
    retry_seconds: z
      .array(seconds(1, 7 * day))
      .default([5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200])
      .describe("Pauses before each further attempt. After the last one an event becomes a dead letter."),
    pause_after: z.int().min(1).max(1_000_000).default(5).describe("Dead letters in a row after which an address is paused."),
    timeout_seconds: seconds(1, 60).default(10).describe("Timeout of one request."),
    concurrency: z.int().min(1).max(10_000).default(64).describe("Concurrent requests of one process."),
  })
  .prefault({});

const callbacks = z
  .strictObject({
    secrets: z
      .array(hidden.regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/u, "must be whsec_ and 24 to 64 bytes in base64").transform((value) => secret(value)))
      .default([])
      .describe("Secrets that sign, the newest first. Without one, no run with a `callback_url` is started."),
    allow_hosts: allowedHosts,
    retry_seconds: z
      .array(seconds(1, 7 * day))
      .default([5, 30, 120, 600, 1800, 3600])
      .describe("Pauses before each further attempt. A week after the end of its run a callback is given up."),
    timeout_seconds: seconds(1, 60).default(10).describe("Timeout of one request."),
  })
  .prefault({});

/** The whole file. The input type is the written file. The output type has all defaults and hides secrets. */
export const fileSchema = z
  .strictObject({
    store: text
      .meta({ writeOnly: true, format: "location" })
      .optional()
      .describe("The database: a file, a postgres:// URL, or `memory`, which is lost when the process ends."),
    agent_config: z
      .strictObject({ database: database.optional().describe("A PostgreSQL database, instead of `store`.") })
      .prefault({})
      .describe("The database as separate fields."),
    agents: z.array(path).default([]).describe("Modules that each export `agent`; the companion by default."),
    server: server.describe("The HTTP service."),
    auth: z
      .strictObject({
        token_secret: hidden
          .min(32)
          .transform((value) => secret(value))
          .optional()
          .describe("Signs customer and stream tokens; by default a key in the database."),
        former_token_secrets: z
          .array(hidden.min(32).transform((value) => secret(value)))
          .default([])
          .describe("Former secrets that still verify tokens but no longer sign. Keep one here until its tokens have expired."),
        token_ttl_seconds: seconds(30, day).default(900).describe("Default lifetime of a customer token."),
        stream_token_ttl_seconds: seconds(5, 3600).default(60).describe("Lifetime of a stream token."),
      })
      .prefault({})
      .describe("Keys and tokens."),
    worker: z
      .strictObject({
        enabled: z.boolean().default(true).describe("Whether `throughline serve` also runs turns."),
        concurrency: z.int().min(1).max(10_000).default(16).describe("Concurrent turns, in different sessions."),
        lease_seconds: seconds(1, day).default(30).describe("Time until another process takes over the turn of a process that died."),
        drain_seconds: seconds(0, day).default(20).describe("On SIGTERM, time to wait for running turns before they are released."),
      })
      .prefault({})
      .describe("Running turns."),
    webhooks: webhooks.describe("Events for other servers, and from them."),
    callbacks: callbacks.describe("Callbacks of runs."),
    log: z
      .strictObject({
        level: z.enum(["debug", "info", "warn", "error", "silent"]).default("info").describe("The lowest level that is logged."),
        format: z.enum(["json", "text"]).default("json").describe("One JSON document per line, or plain text."),
      })
      .prefault({})
      .describe("The log on standard error. It never contains message text."),
    telemetry: z
      .strictObject({
        metrics: z
          .enum(["off", "key", "open"])
          .default("off")
          .describe("Metrics for Prometheus at `/metrics`: `key` for keys with the scope `usage:read`, `open` for everyone who reaches the service."),
        worker_host: host.default("127.0.0.1").describe("The address at which `throughline worker` serves its metrics."),
        worker_port: z
          .int()
          .min(0)
          .max(65_535)
          .optional()
          .describe(
            "The port for the metrics of `throughline worker`, at `/metrics`, to everyone who reaches it; 0 selects a free one. Left out, a worker serves none.",
          ),
        traces: z
          .strictObject({
            enabled: z.boolean().default(false).describe("Record turns as OpenTelemetry spans. Needs the package `@opentelemetry/api`."),
            url: text
              .refine(isAddress, "must be an http(s) address without query")
              .optional()
              .describe(
                "Send the spans to this collector by OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`. Left out, use the SDK that the process has loaded.",
              ),
            api_key: hidden
              .transform((value) => secret(value))
              .optional()
              .describe("Sent to the collector as `Authorization`."),
            api_key_scheme: z.enum(["bearer", "basic"]).default("bearer").describe("How the key is sent."),
            service_name: text.default("throughline").describe("`service.name` of the spans."),
            deployment_environment: text.default("production").describe("`deployment.environment.name` of the spans."),
            metadata: z.array(text).default([]).describe("Names of session metadata whose values spans have."),
            content: z.boolean().default(false).describe("Whether spans have what people and models wrote."),
          })
          .prefault({})
          .describe("Traces of turns."),
      })
      .prefault({})
      .describe("Metrics and traces."),
    encryption: z
      .strictObject({ key_file: path.optional().describe("Operator keys of an encrypted database.") })
      .prefault({})
      .describe("Encryption at rest."),
  })
  .meta({ title: "throughline.yaml" });

/** The content of a file. */
export type SettingsInput = z.input<typeof fileSchema>;
/** The parsed file, before its database is converted to one location. */
export type FileSettings = z.output<typeof fileSchema>;

/** A key of `throughline.yaml`. */
export interface Key {
  /** The full path, such as `server.cors.origins`. */
  readonly path: string;
  /** The path of the enclosing block. */
  readonly parent: string;
  readonly name: string;
  /** `object` for a block, `any` for a value of any type. */
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object" | "any";
  /** The default value, if there is one. */
  readonly default?: unknown;
  readonly required: boolean;
  /** `path` if the value names a file, `location` if it may name one. */
  readonly names?: "path" | "location";
  /** Whether the value must not be printed. */
  readonly secret: boolean;
  readonly description: string;
  /** The allowed range, in addition to the type. */
  readonly range: string;
  /** The allowed values of an enumeration; otherwise empty. */
  readonly values: readonly string[];
  /** Whether it is a key of the items of a list. No variable of the environment sets it. */
  readonly ofItem: boolean;
}

/** The file's schema as JSON Schema. */
const fileShape = (): Readonly<Record<string, unknown>> => z.toJSONSchema(fileSchema, { io: "input" });

let cached: ReadonlyMap<string, Key> | undefined;

function index(): ReadonlyMap<string, Key> {
  cached ??= new Map(keysIn(fileShape(), []).map((key) => [key.path, key]));
  return cached;
}

/** All keys; blocks precede their members. */
export const keysOf = (): readonly Key[] => [...index().values()];

/** Whether the value at a path must not be printed. Includes members of lists of secrets. */
export const isHidden = (path: readonly (string | number)[]): boolean => keyAt(path.filter((step) => typeof step === "string"))?.secret ?? false;

/** The key at a path, if there is one. */
export const keyAt = (path: readonly (string | number)[]): Key | undefined =>
  path.some((step) => typeof step === "number" || step.includes(".")) ? undefined : index().get(path.join("."));

/** The parts of a JSON Schema that this module uses. */
interface Node {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly writeOnly?: boolean;
  readonly format?: string;
  readonly items?: Node;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
}

const types = ["string", "integer", "number", "boolean", "array", "object"] as const;

function keysIn(node: Node, path: readonly string[], ofItem = false): readonly Key[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const type = types.find((one) => one === child.type) ?? "any";
    const key: Key = {
      path: [...path, name].join("."),
      parent: path.join("."),
      name,
      type,
      ...(child.default === undefined || type === "object" ? {} : { default: child.default }),
      ...namesOf(child.items ?? child),
      required: node.required?.includes(name) ?? false,
      secret: child.writeOnly ?? child.items?.writeOnly ?? false,
      description: child.description ?? "",
      range: rangeOf(child),
      values: child.enum ?? child.items?.enum ?? [],
      ofItem,
    };
    const inner = [...path, name];
    return [key, ...keysIn(child, inner, ofItem), ...(child.items === undefined ? [] : keysIn(child.items, inner, true))];
  });
}

const namesOf = ({ format }: Node): Pick<Key, "names"> => (format === "path" || format === "location" ? { names: format } : {});

function rangeOf({ minimum, maximum, minLength = 1 }: Node): string {
  if (minimum !== undefined) return `${minimum} to ${maximum}`;
  return minLength > 1 ? `at least ${minLength} characters` : "";
}

/** A string that appears as `***`, or in its redacted form, in messages, in JSON and in Node's inspector. */
export interface Secret {
  /** The secret string. */
  reveal(): string;
  /** The redacted form. */
  toString(): string;
  /** The redacted form. */
  toJSON(): string;
}

/** Node calls the method with this name to print a value. */
const inspected = Symbol.for("nodejs.util.inspect.custom");

/** Hides a string. `shown` is its redacted form; `***` by default. */
export function secret(text: string, shown = "***"): Secret {
  const seen = (): string => shown;
  // No property holds the string, so code that walks, copies or compares objects cannot find it.
  return Object.freeze({ reveal: () => text, toString: seen, toJSON: seen, [inspected]: seen });
}

/** Whether a value is a secret. */
export const isSecret = (value: unknown): value is Secret =>
  typeof value === "object" && value !== null && "reveal" in value && typeof value.reveal === "function" && inspected in value;

/** Parses a text from outside the file by the type of its key. Invalid text stays a string, which the schema then rejects. */
export function typed(text: string, key: Key | undefined): unknown {
  const bare = text.trim();
  switch (key?.type) {
    case "integer":
      return /^[+-]?\d{1,15}$/u.test(bare) ? Number(bare) : text;
    case "boolean":
      return bare === "true" ? true : bare === "false" ? false : text;
    case "array":
      return bare === "" ? [] : bare.split(",").map((item) => item.trim());
    default:
      return text;
  }
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value);

/** Matches a value with an interpolation, which editors must accept. */
const filled = { type: "string", pattern: "\\$\\{" } as const;

/** The JSON Schema of the file for editors. Unlike the file's own schema, it accepts interpolated values and empty blocks. */
export function editorSchema(): Schema {
  const { $schema, title, ...rest } = fileShape();
  return { $schema, title, ...lenient(rest) };
}

function lenient({ format: _format, description, default: otherwise, ...own }: Schema): Schema {
  const documented = { ...(description === undefined ? {} : { description }) };
  if (own["type"] === "object") {
    const properties = isSchema(own["properties"]) ? own["properties"] : {};
    const inner = Object.entries(properties).map(([name, value]) => [name, isSchema(value) ? lenient(value) : value]);
    return { ...documented, ...own, type: own["required"] === undefined ? ["object", "null"] : "object", properties: Object.fromEntries(inner) };
  }
  const items = isSchema(own["items"]) ? { items: lenient(own["items"]) } : {};
  return { ...documented, ...(otherwise === undefined ? {} : { default: otherwise }), anyOf: [{ ...own, ...items }, filled] };
}
