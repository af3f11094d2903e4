/** Sources of webhooks: services that post to this one, how they sign, and what their deliveries do. */
import { type Json, type JsonObject, isPlainObject, seen, ThroughlineError } from "throughline/kernel";
import { mappedBy, passes, validate } from "throughline/internal/runtime";
import { present } from "throughline/internal";
import type { Schema } from "throughline/state";
import type { Predicate } from "throughline/routines";
import { checkSecret, type WebhookScheme, webhookSchemes } from "./source-signature.ts";

/** A verified delivery. */
export interface WebhookDelivery<Body = Json> {
  /** Id of the delivery. It is the same in each attempt. */
  readonly id: string;
  /** The headers by lower-case name. Most schemes sign none of them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: JSON, or the fields of a form, whose field `payload` is read as JSON. */
  readonly body: Body;
}

/** The session of an effect: an existing one by its id, or the one that `open` finds or creates. */
export interface WebhookPlace {
  /** Id of an existing session. */
  readonly session_id?: string;
  /** Otherwise the session of this agent, customer and key. It is created if there is none, and so is the customer. */
  readonly agent?: string;
  readonly customer?: string;
  readonly key?: string;
}

/** A customer's message, which the agent answers. */
export interface MessageEffect extends WebhookPlace {
  readonly message: string;
  /** Values of the agent's `input` fields other than `message`. */
  readonly input?: JsonObject;
  readonly metadata?: JsonObject;
}

/** A custom event, which the agent reads in its next turn. */
export interface CustomEffect extends WebhookPlace {
  readonly custom: Json;
  /** `system`, the default, presents it as the operator's text, and routines can wait for it. Use `customer_ui` for what a customer wrote or did. */
  readonly source?: "system" | "customer_ui";
  /** Whether it starts a turn. In a session of an operator it starts none. Defaults to false. */
  readonly wake?: boolean;
  readonly metadata?: JsonObject;
}

/** A change of variables. */
export interface VariablesEffect extends WebhookPlace {
  /** A merge patch: `null` removes a variable. */
  readonly variables: JsonObject;
  /** Whose variables: of `customer` by default, which is created if there is none, of the session, or of `agent`. */
  readonly of?: "customer" | "session" | "agent";
}

/** A run of an autonomous routine: in a session of its own, or in `session_id`. */
export interface RunEffect {
  /** Id of the routine. */
  readonly run: string;
  readonly input?: JsonObject;
  readonly session_id?: string;
  /** The agent that has the routine. Defaults to the only one. */
  readonly agent?: string;
}

/** What a delivery does. Each effect happens once, however often the delivery arrives. */
export type WebhookEffect = MessageEffect | CustomEffect | VariablesEffect | RunEffect;

/** A source of webhooks. Its address is `POST /webhooks/{name}`. */
export interface WebhookSource {
  /** 1 to 40 lower-case letters, digits, `-` and `_`. */
  readonly name: string;
  readonly scheme: WebhookScheme;
  /** Secrets that verify. To rotate, add the new one and remove the old one when the sender has the new one. */
  readonly secrets: readonly string[];
  /** Returns what a delivery does, in order. Nothing by default. */
  readonly effects: (delivery: WebhookDelivery) => readonly WebhookEffect[];
}

/** Options of {@link defineWebhookSource}. */
export interface WebhookSourceOptions<Body> extends Pick<WebhookSource, "name" | "scheme" | "secrets"> {
  /** The shape of the bodies. A delivery with another body is refused (`input.invalid`). By default any object or list. */
  readonly body?: Schema<unknown, Body>;
  /** Returns what a delivery does: one effect, several, or undefined for none. It must return the same for the same delivery. */
  readonly map: (delivery: WebhookDelivery<Body>) => WebhookEffect | readonly WebhookEffect[] | undefined;
}

/**
 * Declares a source of webhooks.
 * @example defineWebhookSource({ name: "parcel", scheme: "standard", secrets: [secret], body: z.object({ customer: z.string() }), map: ({ body }) => ({ agent: "shop", customer: body.customer, custom: { event: "parcel_delivered" }, wake: true }) })
 */
export function defineWebhookSource<Body = Json>(options: WebhookSourceOptions<Body>): WebhookSource {
  const { name, scheme, secrets, body: shape, map } = options;
  return checkedSource({
    ...{ name, scheme, secrets },
    effects(delivery) {
      const effects = mappedWith(map, name, { ...delivery, body: bodyOf(shape, delivery.body) });
      return effects === undefined ? [] : "length" in effects ? effects : [effects];
    },
  });
}

/** Calls a developer's function. What it throws is a failure of the function: the sender tries again, and the developer reads the stack in the log. */
function mappedWith<Body>(
  map: WebhookSourceOptions<Body>["map"],
  name: string,
  delivery: WebhookDelivery<Body>,
): ReturnType<WebhookSourceOptions<Body>["map"]> {
  try {
    return map(delivery);
  } catch (cause) {
    if (ThroughlineError.is(cause)) throw cause;
    throw new ThroughlineError("webhook.map_failed", `The function \`map\` of the webhook ${name} threw.`, { cause });
  }
}

function bodyOf<Body>(shape: Schema<unknown, Body> | undefined, given: Json): Body {
  if (shape === undefined) {
    // Most functions read members, which other values do not have.
    if (typeof given === "object" && given !== null) return given as Body;
    throw new ThroughlineError(
      "input.invalid",
      `The body of the webhook is an object or a list, got ${given === null ? "null" : `a ${typeof given}`}.`,
      {
        details: { path: "" },
      },
    );
  }
  const checked = validate(shape, given);
  if (checked.ok) return checked.value;
  const [first] = checked.issues;
  throw new ThroughlineError("input.invalid", `The body of the webhook is wrong at "${first?.path ?? ""}": ${first?.message ?? ""}.`, {
    details: { path: first?.path ?? "" },
  });
}

/** A rule of a source in `throughline.yaml`. Each member but `when` is a value, or `{ from: "body.…" }`. */
export interface WebhookRule {
  /** Conditions that all hold, such as `{ value: "body.type", equals: "parcel.delivered" }`. */
  readonly when?: readonly Predicate[];
  readonly session_id?: unknown;
  readonly agent?: unknown;
  readonly customer?: unknown;
  readonly key?: unknown;
  readonly message?: unknown;
  readonly custom?: unknown;
  readonly variables?: unknown;
  readonly run?: unknown;
  readonly input?: unknown;
  readonly metadata?: unknown;
  readonly of?: "customer" | "session" | "agent";
  readonly source?: "system" | "customer_ui";
  readonly wake?: boolean;
}

/** Declares a source by rules. Each rule whose conditions hold has an effect. */
export function sourceByRules({ rules, ...source }: Omit<WebhookSource, "effects"> & { readonly rules: readonly WebhookRule[] }): WebhookSource {
  return checkedSource({
    ...source,
    effects: (delivery) =>
      rules.flatMap((rule) => ((rule.when ?? []).every((condition) => passes(condition, delivery)) ? [effectOf(rule, delivery)] : [])),
  });
}

function effectOf({ when: _when, of, source, wake, ...mapping }: WebhookRule, delivery: WebhookDelivery): WebhookEffect {
  const values = mappedBy(mapping, delivery);
  const text = (name: string): string | undefined => {
    const value = values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value;
    // Ids are often numbers elsewhere.
    if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
    throw wrong(name, `needs a text, got ${seen(value)}`);
  };
  const object = (name: string): JsonObject | undefined => {
    const value = values[name];
    if (value === undefined || isPlainObject(value)) return value as JsonObject | undefined;
    throw wrong(name, `needs an object, got ${seen(value)}`);
  };
  /** A part of the place. One that the rule names has to be in the delivery, or its effect would be in another session. */
  const placed = (name: "session_id" | "agent" | "customer" | "key"): string | undefined => {
    const value = text(name);
    if (value === undefined && mapping[name] !== undefined) throw wrong(name, "is not in the delivery");
    return value;
  };
  const place = present({ session_id: placed("session_id"), agent: placed("agent"), customer: placed("customer"), key: placed("key") });
  const metadata = present({ metadata: object("metadata") });
  if ("message" in mapping) {
    const message = text("message");
    if (message === undefined) throw wrong("message", "is not in the delivery");
    return { ...place, ...metadata, message, ...present({ input: object("input") }) };
  }
  if ("custom" in mapping) {
    if (values["custom"] === undefined) throw wrong("custom", "is not in the delivery");
    // The delivery and the rule are JSON.
    return { ...place, ...metadata, custom: values["custom"] as Json, ...present({ source, wake }) };
  }
  if ("run" in mapping) {
    const run = text("run");
    if (run === undefined) throw wrong("run", "is not in the delivery");
    const { session_id, agent } = place;
    return { run, ...present({ input: object("input"), session_id, agent }) };
  }
  const variables = object("variables");
  if (variables === undefined) throw wrong("variables", "is not in the delivery");
  return { ...place, variables, ...present({ of }) };
}

const wrong = (name: string, what: string): ThroughlineError =>
  new ThroughlineError("input.invalid", `The rule's \`${name}\` ${what}.`, { details: { path: name } });

/** Throws `input.invalid` for a source that cannot be, without repeating a secret. */
function checkedSource(source: WebhookSource): WebhookSource {
  const { name, scheme, secrets } = source;
  const invalid = (message: string): ThroughlineError => new ThroughlineError("input.invalid", message);
  if (!/^[a-z0-9_-]{1,40}$/.test(name)) throw invalid(`A webhook's name has 1 to 40 lower-case letters, digits, - and _, got ${seen(name)}.`);
  if (!webhookSchemes.includes(scheme))
    throw invalid(`The webhook ${name} has the scheme ${seen(scheme)}; it may have ${webhookSchemes.join(", ")}.`);
  if (secrets.length === 0) throw invalid(`The webhook ${name} needs a secret.`);
  for (const secret of secrets) {
    if (secret.length < 8) throw invalid(`A secret of the webhook ${name} has fewer than 8 characters.`);
    checkSecret(scheme, secret);
  }
  return Object.freeze(source);
}
