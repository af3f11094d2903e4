/** Targets of webhooks: their configuration, which events they get, and the addresses that sessions and customers name in their metadata. */
import { createHash } from "node:crypto";
import { coversHost, eventKinds } from "throughline/internal";
import { isPlainObject, type JsonObject, seen, type SessionId, ThroughlineError } from "throughline/kernel";
import type { EventKind, SessionRow } from "throughline/store";
import type { Principal } from "../principal.ts";
import { secretBytes } from "./webhook-signature.ts";

/** The metadata of a session or a customer that names an address for its events. */
export const urlKey = "event_webhook_url";

/** Scopes that a target may have in addition to `sessions:read`. */
export const targetScopes = ["metadata:read", "state:read", "safety:read"] as const;

/** Where events are sent. */
export interface WebhookTarget {
  /** 1 to 40 lower-case letters, digits, `-` and `_`. Positions and failures are kept under it, so a target keeps its name. */
  readonly name: string;
  /** The address for the events of all sessions. */
  readonly url?: string;
  /**
   * Instead of `url`: hosts of the addresses that sessions and customers may name as `event_webhook_url` in their metadata. `hooks.example.com`,
   * `hooks.example.com:8443`, `*.example.com`, or `*` for every public host.
   */
  readonly hosts?: readonly string[];
  /**
   * Secrets that sign, `whsec_` and 24 to 64 bytes in base64. To rotate, put the new one first and remove the old one when the receiver knows the new
   * one. Without any, the database holds one, which `rotate` replaces.
   */
  readonly secrets?: readonly string[];
  /** Only these kinds. By default all that an API key reads without asking for more. */
  readonly kinds?: readonly EventKind[];
  /** Only sessions of these agents. */
  readonly agents?: readonly string[];
  /** Only sessions of these customers. */
  readonly customers?: readonly string[];
  /** What the events show besides what `sessions:read` shows. Nothing by default. */
  readonly scopes?: readonly (typeof targetScopes)[number][];
}

const invalid = (message: string): ThroughlineError => new ThroughlineError("input.invalid", message);

const hostPattern = /^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)$/;

/** Throws `input.invalid` for targets that cannot be, without repeating a secret. `check` throws for an address that no request can have. */
export function checkTargets(targets: readonly WebhookTarget[], check: (url: string) => URL): void {
  for (const { name, url, hosts, secrets = [], kinds = [], scopes = [] } of targets) {
    if (!/^[a-z0-9_-]{1,40}$/.test(name)) throw invalid(`A webhook's name has 1 to 40 lower-case letters, digits, - and _, got ${seen(name)}.`);
    if (targets.filter((other) => other.name === name).length > 1) throw invalid(`Two webhooks have the name ${name}.`);
    if ((url === undefined) === (hosts === undefined)) throw invalid(`The webhook ${name} needs either \`url\` or \`hosts\`.`);
    if (url !== undefined) check(url);
    const wrong = hosts?.find((host) => !hostPattern.test(host.toLowerCase()));
    if (wrong !== undefined) throw invalid(`The webhook ${name} has the host ${seen(wrong)}; hosts look like hooks.example.com, *.example.com or *.`);
    for (const secret of secrets) secretBytes(secret);
    const kind = kinds.find((one) => !eventKinds.includes(one));
    if (kind !== undefined) throw invalid(`The webhook ${name} has the kind ${seen(kind)}; events are of the kinds ${eventKinds.join(", ")}.`);
    const scope = scopes.find((one) => !targetScopes.includes(one));
    if (scope !== undefined) throw invalid(`The webhook ${name} has the scope ${seen(scope)}; it may have ${targetScopes.join(", ")}.`);
  }
}

/** The target for an address from metadata; undefined if none covers it. */
export const targetFor = (targets: readonly WebhookTarget[], url: string): WebhookTarget | undefined =>
  URL.canParse(url) ? targets.find(({ hosts }) => hosts !== undefined && coversHost(hosts, new URL(url))) : undefined;

/** Whether a target gets the events of a session, apart from their kinds. */
export const takes = ({ agents, customers }: WebhookTarget, { agent, customer_id }: SessionRow): boolean =>
  (agents === undefined || agents.includes(agent)) && (customers === undefined || (customer_id !== undefined && customers.includes(customer_id)));

/** The reader whose view a target gets. */
export const principalOf = ({ name, scopes = [] }: WebhookTarget): Principal => ({
  type: "key",
  id: "webhook",
  name,
  scopes: new Set(["sessions:read", ...scopes]),
});

/** The address in metadata. Anything but a text is none. */
export function urlIn(metadata: JsonObject | undefined): string | undefined {
  const url = metadata?.[urlKey];
  return typeof url === "string" && url !== "" ? url : undefined;
}

/** Since when an address is in force: from an offset of the session, or from a time for all sessions of a customer. */
export interface UrlSince {
  readonly from: number;
  /** Null: none from here on. */
  readonly url: string | null;
}

/** Most changes of an address that are remembered. Events before them were delivered long ago or are dropped. */
const mostChanges = 50;

/** Adds a change to a history. */
export const withUrl = (history: readonly UrlSince[], change: UrlSince): readonly UrlSince[] =>
  [...history.filter(({ from }) => from < change.from), change].slice(-mostChanges);

/** Reads a history from its record. */
export function historyIn(data: JsonObject | undefined): readonly UrlSince[] | undefined {
  const urls = data?.["urls"];
  if (!Array.isArray(urls)) return undefined;
  // Only `withUrl` writes these records.
  return (urls as readonly unknown[]).filter((one): one is UrlSince => isPlainObject(one) && typeof one["from"] === "number");
}

/** The address in force at an offset or a time. */
export const urlAt = (history: readonly UrlSince[], at: number): string | undefined => history.findLast(({ from }) => from <= at)?.url ?? undefined;

const digits = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The id of a delivery. It is the same for every attempt, and another one for each target. */
export const deliveryId = (target: string, event_id: string): string => `dlv_${digits(`${target} ${event_id}`).slice(0, 32)}`;

/** Where a target's requests go. Failures are counted for each: a target with `hosts` has one for each address. */
export const endpointOf = ({ name, hosts }: WebhookTarget, url: string): string =>
  hosts === undefined ? name : `${name}:${digits(url).slice(0, 16)}`;

/** A target and how it fares. */
export interface WebhookStatus {
  readonly name: string;
  /** The target, or for one with `hosts` the target and a hash of the address. */
  readonly endpoint: string;
  /** The host of the address. */
  readonly host: string;
  /** Dead letters since the last success. */
  readonly failures: number;
  readonly paused?: { readonly at: number; readonly reason: "failures" | "gone" | "operator" };
}

/** An event that could not be delivered. */
export interface DeadLetter {
  readonly id: string;
  readonly target: string;
  readonly host: string;
  readonly session_id: SessionId;
  readonly offset: number;
  readonly attempts: number;
  /** What the last attempt failed with: a status, or an error code. */
  readonly error: string;
  readonly at: number;
}

/** The position of one target in a session. */
export interface WebhookPosition {
  readonly target: string;
  readonly next_offset: number;
  /** Failed attempts of the event at the position. */
  readonly attempts: number;
  readonly next_at?: number;
  readonly error?: string;
}

/** How operators see and change deliveries. */
export interface WebhookControl {
  /** Every target with an address, and those addresses that sessions and customers have named that have failures or are paused. Of others nothing is kept. */
  list(): Promise<readonly WebhookStatus[]>;
  /** The positions of the targets in a session. */
  positions(session_id: SessionId): Promise<readonly WebhookPosition[]>;
  /** A page of dead letters, by target and session. */
  deadLetters(query?: { readonly target?: string; readonly limit?: number; readonly cursor?: string }): Promise<{
    readonly items: readonly DeadLetter[];
    readonly next_cursor: string | null;
    readonly total: number;
  }>;
  /**
   * Delivers a dead letter once more, now, under its first id, and forgets it if that succeeds. Throws `webhook.not_found` if there is none, and
   * `outbound.failed` if it fails again.
   */
  resend(id: string): Promise<DeadLetter>;
  /** Stops the deliveries to an endpoint until `resume`. Nothing is lost meanwhile. Throws `webhook.not_found`. */
  pause(endpoint: string): Promise<WebhookStatus>;
  /** Continues the deliveries to an endpoint, in order. Throws `webhook.not_found`. */
  resume(endpoint: string): Promise<WebhookStatus>;
  /**
   * Makes a new secret for a target whose secrets the database holds, and returns it. The former one signs too, for a day by default. Throws
   * `webhook.not_found`, and `input.invalid` for a target with configured secrets.
   */
  rotate(name: string): Promise<{ readonly secret: string }>;
}
