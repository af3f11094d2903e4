/** The wire types of the service, generated from the protocol by `npm run wire:types`. Do not edit. */

/** Any JSON. */
export type WireJson = string | number | boolean | null | readonly WireJson[] | WireJsonObject;
/** A JSON object. */
export interface WireJsonObject {
  readonly [name: string]: WireJson;
}

/** The schema `Agent` of the service. */
export interface WireAgent {
  readonly name: string;
  /** Version of its definition. */
  readonly version: number;
  /** JSON Schema of what may come with a message. */
  readonly input: WireJsonObject;
  /** JSON Schema of the state that customers may see. */
  readonly public: WireJsonObject;
  /** JSON Schema of the state that integrations are shown: the public fields, and more. */
  readonly output: WireJsonObject;
  /** All fields of the state, by name; only for keys that may read state. */
  readonly fields?: Readonly<Record<string, {
    /** Only `reduced` fields are stored between turns, and can be edited. */
    readonly lifecycle: "input" | "reduced" | "loaded" | "turn";
    readonly show: "internal" | "output" | "public";
    /** Name of the reducer that applies an update. */
    readonly reducer: string;
    /** JSON Schema of its value. */
    readonly schema: WireJsonObject;
  }>>;
  /** The routines that it follows; only for keys that may read state. Absent for an agent without any. */
  readonly routines?: readonly WireRoutineGraph[];
}

/** The schema `ApiKey` of the service. */
export interface WireApiKey {
  /** 16 characters; the key is `tl_live_<id>_<secret>`. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly ("sessions:read" | "sessions:write" | "customers:read" | "customers:write" | "metadata:read" | "metadata:write" | "state:read" | "state:write" | "memory:read" | "memory:write" | "prompts:read" | "handover" | "usage:read" | "safety:read" | "webhooks" | "tokens" | "export" | "erase" | "audit:read" | "admin")[];
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly expires_at?: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly revoked_at?: number;
  /** To the minute. */
  readonly last_used_at?: number;
}

/** The schema `Arc` of the service. */
export interface WireArc {
  readonly type: "arc";
  /** Milliseconds since 1970-01-01 UTC. */
  readonly recorded_at: number;
  /** When it was withdrawn or replaced. */
  readonly retracted_at?: number;
  /** Id of the entry that took its place. */
  readonly superseded_by?: string;
  readonly pinned?: true;
  /** Kept, shown in lists, and never given to a model. */
  readonly never_recall?: true;
  readonly sensitivity: "ordinary" | "personal" | "sensitive";
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly episode: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly started_at: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly ended_at: number;
  readonly from: number;
  readonly upto: number;
  readonly turn_count: number;
  readonly summary: string;
  readonly themes: readonly string[];
  readonly mood?: {
    readonly opened: string;
    readonly closed: string;
  };
  readonly open_loops: readonly string[];
  readonly resolved: readonly string[];
  readonly goal?: string;
  readonly approach?: string;
  readonly approach_context?: Readonly<Record<string, string>>;
  readonly level?: number;
  readonly policy: string;
}

/** The schema `Assessment` of the service. */
export interface WireAssessment {
  readonly audit_id: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  /** 0 nothing acute, 1 unclear, 2 high concern, 3 in danger now. */
  readonly level: number;
  /** 0 nothing acute, 1 unclear, 2 high concern, 3 in danger now. */
  readonly level_deterministic: number;
  /** 0 nothing acute, 1 unclear, 2 high concern, 3 in danger now. */
  readonly level_llm?: number;
  readonly confidence: string;
  readonly risk_types: readonly string[];
  /** `self` or `other`: who is at risk. */
  readonly subject: string;
  readonly override: string;
  readonly reason_code: string;
  /** How it came about. */
  readonly path: string;
  readonly quality: string;
  /** Ids of what the screen found. */
  readonly matches: readonly string[];
  /** What the level rests on, such as `match` or `open_plan`; absent before 2026-11-23. */
  readonly grounds?: readonly string[];
  /** A keyed hash: it can be told whose it is only as long as the person's own secret exists. */
  readonly subject_ref: string;
  readonly session_ref: string;
  readonly turn_ref: string;
  readonly agent: string;
  /** Language that the screen took the message for. */
  readonly language?: string;
  readonly policy_version: string;
  readonly pack_versions: Readonly<Record<string, string>>;
  readonly classifier?: string;
  readonly prompt_version?: string;
  readonly gate_ms: number;
  readonly deterministic_ms: number;
  readonly llm_ms?: number;
  readonly action: string;
  readonly lookup_status?: string;
  /** The ISO code of the place that a person has named. */
  readonly region?: string;
  readonly resources_shown: readonly string[];
  readonly resources_version?: string;
  readonly guarded: readonly string[];
  readonly reply_completed: boolean;
  readonly escalation?: "queued" | "failed" | "none";
  readonly incognito?: true;
  /** Kept for longer than others, until a time, and why. */
  readonly hold?: {
    /** Milliseconds since 1970-01-01 UTC. */
    readonly until: number;
    readonly reason: string;
  };
}

/** The schema `Assignment` of the service. */
export interface WireAssignment {
  /** The integration's own id of a person. */
  readonly operator: string;
  /** The integration's own id of a person. */
  readonly from?: string | undefined;
}

/** The schema `AuditEntry` of the service. */
export interface WireAuditEntry {
  readonly id: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  /** `key:` and the key's id, `customer`, `local` where there were no keys, or `operator` for what was done beside the service. */
  readonly actor: string;
  /** The id of the operation, or what an operator did: `createKey`, `revokeKey`, `rotateTokenKeys`. */
  readonly operation: string;
  /** The status of the answer. */
  readonly status: number;
  readonly request_id?: string;
  /** What it was about: `session_id`, `owner_id` and the like. */
  readonly objects: Readonly<Record<string, string>>;
}

/** The schema `CallEffect` of the service. */
export interface WireCallEffect {
  /** Where it began. */
  readonly offset: number;
  readonly turn_id?: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: WireJsonObject;
  readonly effects: "idempotent" | "once";
  /** The idempotency key that the tool was given. */
  readonly key: string;
  /** Absent if none is recorded: the call runs, or its process died. */
  readonly result?: WireJsonObject;
  /** Where its result is. */
  readonly returned_at?: number;
}

/** The schema `CallEffects` of the service. */
export interface WireCallEffects {
  readonly items: readonly WireCallEffect[];
  /** The `after` of the next page; null at the end. */
  readonly next_after: number | null;
}

/** The schema `Correction` of the service. */
export interface WireCorrection {
  readonly object?: string | {
    readonly type: string;
    readonly id: string;
  } | undefined;
  readonly predicate?: string | undefined;
  readonly category?: string | undefined;
  /** The person's own words for it. */
  readonly quote?: string | undefined;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly valid_from?: number | undefined;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly valid_to?: number | undefined;
  readonly reason?: string | undefined;
}

/** The schema `Customer` of the service. */
export interface WireCustomer {
  /** The integration's own id of a customer. */
  readonly id: string;
  /** Display name. */
  readonly name: string | null;
  /** What agents may know, from their next turn on. */
  readonly variables: WireJsonObject;
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** Raised by every change; the `ETag`. */
  readonly version: number;
}

/** The schema `CustomerPatch` of the service. */
export interface WireCustomerPatch {
  /** Display name. */
  readonly name?: string | null | undefined;
  /** A merge patch (RFC 7396): null takes a value away, what is left out stays. */
  readonly variables?: WireJsonObject | undefined;
  /** A merge patch (RFC 7396): null takes a value away, what is left out stays. */
  readonly metadata?: WireJsonObject | undefined;
}

/** The schema `DeadLetter` of the service. */
export interface WireDeadLetter {
  readonly id: string;
  /** The name of the target in the configuration. */
  readonly target: string;
  /** The host of the address. */
  readonly host: string;
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly offset: number;
  readonly attempts: number;
  /** What the last attempt failed with: a status, or an error code. */
  readonly error: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
}

/** The schema `Decision` of the service. */
export interface WireDecision {
  readonly call_id: string;
  readonly arguments_hash: string;
  readonly index?: number | undefined;
  readonly decision: "approve" | "edit" | "answer" | "reject";
  readonly arguments?: WireJsonObject | undefined;
  readonly answer?: WireJson | undefined;
  readonly feedback?: string | undefined;
  readonly by?: string | undefined;
}

/** The schema `Draft` of the service. */
export type WireDraft = WireDraftDelta | WireToolStarted | WireDraftReset;

/** The schema `DraftDelta` of the service. */
export interface WireDraftDelta {
  readonly type: "draft.delta";
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly turn_id: string;
  readonly epoch: number;
  /** Counts the drafts of the turn, from 0. */
  readonly message: number;
  readonly text: string;
}

/** The schema `DraftReset` of the service. */
export interface WireDraftReset {
  readonly type: "draft.reset";
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly turn_id?: string;
  readonly epoch?: number;
  /** Counts the drafts of the turn, from 0. */
  readonly message?: number;
  /** `end`: its text was committed, and its message follows; or its calls are over, and their events follow. `resumed`: the stream goes on from where another one was cut. */
  readonly reason: "end" | "fence" | "manual" | "stopped" | "failed" | "resumed";
}

/** The schema `EndedEpisode` of the service. */
export interface WireEndedEpisode {
  readonly episode: number;
  /** Whether something of it is remembered now. */
  readonly finalized: boolean;
  readonly summary: string | null;
  /** What was written, or why nothing was. */
  readonly detail: string;
  readonly themes: readonly string[];
  readonly mood_opened: string | null;
  readonly mood_closed: string | null;
  readonly turn_count: number;
  readonly open_loops: readonly string[];
  readonly resolved_threads: readonly string[];
}

/** The schema `ErasurePreview` of the service. */
export interface WireErasurePreview {
  readonly sessions: number;
  /** Without those that forks of other sessions go on reading. */
  readonly events: number;
  /** Sessions that were forked from them and stay, with the events that they share. */
  readonly forks: number;
  /** Variables of the customer, if the customer is erased. */
  readonly variables: number;
  /** Memory that goes with them; null if it stays, because its owner does. */
  readonly memory: {
    readonly facts: number;
    readonly turns: number;
    readonly arcs: number;
    readonly rules: number;
    readonly held: number;
  } | null;
}

/** The schema `Event` of the service. */
export type WireEvent = {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly offset: number;
  readonly id: string;
  readonly source: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system";
  readonly trace_id: string;
  readonly turn_id?: string;
  /** The session that it was written in, if this one was forked from it since. */
  readonly origin?: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  readonly kind: "message";
  readonly data: {
    readonly role: "user" | "assistant" | "system";
    readonly parts: readonly ({
      readonly type: "text";
      readonly text: string;
    } | {
      readonly type: "json";
      readonly value: WireJson;
    })[];
    readonly participant?: {
      readonly id?: string;
      readonly display_name?: string;
    };
    /** Where an assistant message came from. */
    readonly origin?: {
      /** Name of the agent. */
      readonly agent_id: string;
      readonly step_id: string;
      /** Intermediate work, or a stand-in for a reply. Later prompts leave it out. */
      readonly is_trace?: true;
      /** Shown to the customer in place of a reply. */
      readonly stands_in?: true;
    };
    /** Values for the agent's other `input` fields, sent with the message. */
    readonly input?: WireJsonObject;
    /** Values for the agent's `start` fields, sent with the message. */
    readonly start?: WireJsonObject;
    readonly flagged?: readonly string[];
    /** The tool calls that an assistant message requests. */
    readonly calls?: readonly {
      readonly call_id: string;
      readonly name: string;
      readonly arguments: WireJsonObject;
      /** The model's raw output, if it was not one JSON object. The call does not run. */
      readonly malformed?: string;
    }[];
    /** The message was redacted: its parts are removed. */
    readonly redacted?: true;
  };
} | {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly offset: number;
  readonly id: string;
  readonly source: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system";
  readonly trace_id: string;
  readonly turn_id?: string;
  /** The session that it was written in, if this one was forked from it since. */
  readonly origin?: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  readonly kind: "tool";
  readonly data: {
    readonly type: "called";
    readonly call_id: string;
    readonly name: string;
    readonly arguments: WireJsonObject;
    /** Idempotency key for external services. It stays the same whenever the call is repeated. */
    readonly key: string;
    readonly effects: "none" | "idempotent" | "once";
  } | {
    readonly type: "returned";
    readonly call_id: string;
    readonly result: {
      readonly type: "ok";
      readonly value: WireJson;
      /** Content that the model reads instead of the value. */
      readonly shown?: readonly ({
        readonly type: "text";
        readonly text: string;
      } | {
        readonly type: "json";
        readonly value: WireJson;
      })[];
      /** Why the state does not hold the value unchanged. The call was made. */
      readonly not_stored?: {
        readonly code: string;
        readonly message: string;
        readonly hint: string;
        readonly details?: WireJsonObject;
      };
    } | {
      readonly type: "error";
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly hint: string;
        readonly details?: WireJsonObject;
      };
    } | {
      readonly type: "blocked";
      readonly by: string;
      readonly reason: string;
    } | {
      readonly type: "skipped";
      readonly reason: string;
    } | {
      readonly type: "unknown";
    };
    readonly ms?: number;
    /** Session of the child agent that did the work. */
    readonly child?: string;
    /** Resources that the child agent spent. */
    readonly spent?: {
      readonly steps?: number;
      readonly attempts?: number;
      readonly tokens?: {
        readonly input?: number;
        readonly output?: number;
        readonly cache_write?: number;
        readonly cache_read?: number;
        readonly reasoning?: number;
      };
      readonly active_ms?: number;
      /** In the unit of the price table. */
      readonly cost?: number;
    };
    readonly control?: {
      readonly reply?: string;
      /** Who answers: the agent (`auto`) or a human operator (`manual`). */
      readonly mode?: "auto" | "manual";
      readonly handover?: {
        /** Id of the operator, in the integration's own scheme. */
        readonly operator?: string;
        readonly reason?: string;
        /** Level of a safety alert. Alerts come first in the queue, the highest first. */
        readonly alert?: number;
      };
      readonly memory?: "skip";
    };
    /** Offset of the result in the session that the fork continues. The call did not run here. */
    readonly reused_from?: number;
  };
} | {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly offset: number;
  readonly id: string;
  readonly source: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system";
  readonly trace_id: string;
  readonly turn_id?: string;
  /** The session that it was written in, if this one was forked from it since. */
  readonly origin?: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  readonly kind: "status";
  readonly data: {
    readonly status: "acknowledged" | "processing" | "typing" | "ready" | "cancelled" | "error";
    readonly stage?: string;
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly hint: string;
    };
    /** Additional data from the poster. */
    readonly data?: WireJsonObject;
  };
} | {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly offset: number;
  readonly id: string;
  readonly source: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system";
  readonly trace_id: string;
  readonly turn_id?: string;
  /** The session that it was written in, if this one was forked from it since. */
  readonly origin?: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  readonly kind: "custom";
  readonly data: {
    readonly value: WireJson;
  };
} | {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly offset: number;
  readonly id: string;
  readonly source: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system";
  readonly trace_id: string;
  readonly turn_id?: string;
  /** The session that it was written in, if this one was forked from it since. */
  readonly origin?: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  readonly kind: "state";
  readonly data: {
    /** A JSON Patch (RFC 6902). */
    readonly patch: readonly ({
      readonly op: "add" | "replace" | "test";
      /** A JSON Pointer (RFC 6901). */
      readonly path: string;
      readonly value: WireJson;
    } | {
      readonly op: "remove";
      /** A JSON Pointer (RFC 6901). */
      readonly path: string;
    } | {
      readonly op: "move" | "copy";
      /** A JSON Pointer (RFC 6901). */
      readonly from: string;
      /** A JSON Pointer (RFC 6901). */
      readonly path: string;
    })[];
    /** Who wrote the patch. Only API keys see it. */
    readonly writer?: {
      readonly type: "input";
    } | {
      readonly type: "stage";
      readonly name: string;
    } | {
      readonly type: "tool";
      readonly name: string;
      readonly call_id: string;
    } | {
      readonly type: "hook";
      readonly name: string;
    } | {
      readonly type: "operator";
      readonly name?: string;
    } | {
      readonly type: "withdrawal";
      readonly from: number;
    } | {
      readonly type: "migration";
      readonly from: number;
      readonly to: number;
    };
    /** Version of the agent's definition. Only API keys see it. */
    readonly definition?: number;
  };
} | {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly offset: number;
  readonly id: string;
  readonly source: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system";
  readonly trace_id: string;
  readonly turn_id?: string;
  /** The session that it was written in, if this one was forked from it since. */
  readonly origin?: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  readonly kind: "turn";
  readonly data: {
    readonly type: "started";
    readonly cause: "message" | "greeting" | "resume" | "trigger" | "approval" | "schedule" | "retry";
    /** Offsets of the messages that the turn answers. */
    readonly answers: readonly number[];
    /** Those messages that an earlier turn was answering when it failed or was stopped. */
    readonly retries?: readonly number[];
    readonly versions: {
      readonly agent: number;
      readonly state: number;
      readonly variables: number;
      readonly session_variables?: number;
      readonly agent_variables?: number;
    };
    /** Names of variables that were reported as stale. */
    readonly stale?: readonly string[];
    /** Duration of each variable's refresh in milliseconds, by name. */
    readonly refreshed?: Readonly<Record<string, number>>;
  } | {
    readonly type: "stage";
    readonly name: string;
    /** A JSON Patch (RFC 6902). */
    readonly patch?: readonly ({
      readonly op: "add" | "replace" | "test";
      /** A JSON Pointer (RFC 6901). */
      readonly path: string;
      readonly value: WireJson;
    } | {
      readonly op: "remove";
      /** A JSON Pointer (RFC 6901). */
      readonly path: string;
    } | {
      readonly op: "move" | "copy";
      /** A JSON Pointer (RFC 6901). */
      readonly from: string;
      /** A JSON Pointer (RFC 6901). */
      readonly path: string;
    })[];
    readonly ms: number;
    readonly control?: {
      readonly reply?: string;
      /** Who answers: the agent (`auto`) or a human operator (`manual`). */
      readonly mode?: "auto" | "manual";
      readonly handover?: {
        /** Id of the operator, in the integration's own scheme. */
        readonly operator?: string;
        readonly reason?: string;
        /** Level of a safety alert. Alerts come first in the queue, the highest first. */
        readonly alert?: number;
      };
      readonly memory?: "skip";
    };
    /** Ids, versions and scores of recalled entries; no text. */
    readonly recall?: WireJsonObject;
    /** Levels and codes that the gate found; no text. */
    readonly assessment?: WireJsonObject;
  } | {
    readonly type: "fields";
    /** A JSON Patch (RFC 6902). */
    readonly patch: readonly ({
      readonly op: "add" | "replace" | "test";
      /** A JSON Pointer (RFC 6901). */
      readonly path: string;
      readonly value: WireJson;
    } | {
      readonly op: "remove";
      /** A JSON Pointer (RFC 6901). */
      readonly path: string;
    } | {
      readonly op: "move" | "copy";
      /** A JSON Pointer (RFC 6901). */
      readonly from: string;
      /** A JSON Pointer (RFC 6901). */
      readonly path: string;
    })[];
  } | {
    readonly type: "step";
    readonly step_id: string;
    /** Name of the model, if known. */
    readonly model?: string;
    readonly usage: {
      readonly input?: number;
      readonly output?: number;
      readonly cache_write?: number;
      readonly cache_read?: number;
      readonly reasoning?: number;
    };
    readonly finish_reason: string;
    readonly ms: number;
    /** In the unit of the price table. */
    readonly cost?: number;
  } | {
    readonly type: "spent";
    /** Name of the model, if known. */
    readonly model?: string;
    readonly usage: {
      readonly input?: number;
      readonly output?: number;
      readonly cache_write?: number;
      readonly cache_read?: number;
      readonly reasoning?: number;
    };
    readonly ms: number;
    /** In the unit of the price table. */
    readonly cost?: number;
  } | {
    readonly type: "attempt";
    readonly step_id: string;
    readonly error: {
      readonly code: string;
      readonly message: string;
      readonly hint: string;
    };
    readonly ms: number;
  } | {
    readonly type: "merged";
    readonly step_id: string;
    readonly calls: readonly string[];
    readonly ms: number;
  } | {
    readonly type: "signal";
    readonly reason: string;
    readonly message: string;
    readonly source?: string;
    readonly context?: WireJsonObject;
  } | {
    readonly type: "continue";
    readonly step_id: string;
    readonly source: string;
    readonly waives?: readonly string[];
  } | {
    readonly type: "paused";
    readonly step_id: string;
    readonly pending: readonly ({
      readonly call_id: string;
      readonly name: string;
      readonly kind: "approval" | "question";
      readonly question?: WireJson;
      readonly index: number;
      readonly arguments_hash: string;
      /** The arguments, if a hook or a human changed those of the model. */
      readonly arguments?: WireJsonObject;
      /** The tool, stage or hook that requested the decision. */
      readonly by: string;
      /** Milliseconds since 1970-01-01 UTC. */
      readonly expires_at?: number;
      /** `ses_` and 26 characters. */
      readonly child?: string;
    })[];
  } | {
    readonly type: "decided";
    readonly call_id: string;
    readonly index: number;
    readonly arguments_hash: string;
    readonly decision: {
      readonly type: "approve";
    } | {
      readonly type: "edit";
      readonly arguments: WireJsonObject;
    } | {
      readonly type: "answer";
      readonly answer: WireJson;
    } | {
      readonly type: "reject";
      readonly feedback?: string;
      /** `person`, `expiry` or `message`. */
      readonly cause: string;
    };
    readonly by?: string;
  } | {
    readonly type: "ended";
    readonly outcome: {
      readonly status: "completed" | "stopped" | "failed";
      readonly reason?: string;
      /** Why the turn was stopped. */
      readonly message?: string;
      /** The call that ended the turn. Its result is the reply. */
      readonly ended_by?: {
        readonly call_id: string;
        readonly name: string;
      };
      readonly error?: {
        readonly code: string;
        readonly message: string;
        readonly hint: string;
      };
    };
    /** Metrics of the turn. */
    readonly diagnostics: WireJsonObject;
  };
} | {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly offset: number;
  readonly id: string;
  readonly source: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system";
  readonly trace_id: string;
  readonly turn_id?: string;
  /** The session that it was written in, if this one was forked from it since. */
  readonly origin?: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  readonly kind: "session";
  readonly data: {
    readonly type: "created";
    readonly agent: string;
    /** Version of the agent's definition. Only API keys see it. */
    readonly definition?: number;
    /** The initial state. Only API keys see it. */
    readonly state?: WireJsonObject;
    readonly episode: 1;
    /** The parent call that the session works for. */
    readonly parent?: {
      /** `ses_` and 26 characters. */
      readonly session_id: string;
      readonly turn_id: string;
      readonly call_id: string;
      readonly depth: number;
      readonly budget: WireJsonObject;
    };
  } | {
    readonly type: "mode";
    /** Who answers: the agent (`auto`) or a human operator (`manual`). */
    readonly mode: "auto" | "manual";
    readonly handover?: WireHandover;
    /** Who made the change, if known. */
    readonly by?: string;
  } | {
    readonly type: "handover";
    readonly handover: WireHandover;
    /** Who made the change, if known. */
    readonly by?: string;
  } | {
    readonly type: "episode";
    readonly closed: number;
    readonly opened: number;
    readonly reason: "silence" | "ended";
  } | {
    readonly type: "remembered";
    readonly episode: number;
    /** Number of entries by result. */
    readonly counts: Readonly<Record<string, number>>;
  } | {
    readonly type: "title";
    readonly title: string | null;
  } | {
    readonly type: "withdrawn";
    readonly from: number;
    /** Side effects that happened and cannot be undone. Only API keys see them. */
    readonly effects?: readonly string[];
  } | {
    readonly type: "identified";
    readonly customer_id: string;
    readonly carried?: {
      readonly variables: readonly string[];
      readonly kept: readonly string[];
      readonly entries: number;
    };
  } | {
    readonly type: "redacted";
    /** Offsets of the messages that no longer have text. */
    readonly offsets: readonly number[];
  } | {
    readonly type: "consent";
    readonly given: boolean;
    readonly text_version: string;
    readonly purpose: string;
  } | {
    readonly type: "disclosure";
    readonly reason: "start" | "interval";
    readonly text: string;
    readonly suggests_break?: true;
  } | {
    readonly type: "forked";
    readonly at: number;
    /** The fork reuses results recorded after `at`, up to this offset, and runs no `once` tool. */
    readonly reuse?: number;
  };
} | {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly offset: number;
  readonly id: string;
  readonly source: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system";
  readonly trace_id: string;
  readonly turn_id?: string;
  /** The session that it was written in, if this one was forked from it since. */
  readonly origin?: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  readonly kind: "assessment";
  readonly data: {
    readonly audit_id: string;
    readonly level: number;
  };
};

/** The schema `EventPage` of the service. */
export interface WireEventPage {
  readonly items: readonly WireEvent[];
  /** Where to go on: everything below was looked at, also what this caller is not shown. */
  readonly next_offset: number;
  /** The last offset at the time of the read; there is more while `next_offset` is not above it. */
  readonly head: number;
}

/** The schema `EventSummaries` of the service. */
export interface WireEventSummaries {
  /** In the order asked for. */
  readonly items: readonly WireEventSummary[];
  /** The last offset before this page: the `max_offset` of the older page. Null if the log begins here. */
  readonly before_offset: number | null;
  /** The first offset after this page: the `min_offset` of the newer page. */
  readonly next_offset: number;
  /** The last offset of the log. */
  readonly head: number;
}

/** The schema `EventSummary` of the service. */
export interface WireEventSummary {
  readonly offset: number;
  readonly kind: "message" | "tool" | "status" | "custom" | "state" | "turn" | "session" | "assessment";
  /** The role of a message, the status of a status, the kind of writer of a state change, and `data.type` of a tool, turn or session event. */
  readonly type?: string;
  readonly source: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system";
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  readonly turn_id?: string;
  /** The begin of the text, the name of the tool, the fields that changed: at most 80 characters, on one line. */
  readonly preview?: string;
}

/** The schema `ExportedMemory` of the service. */
export interface WireExportedMemory {
  readonly format: "throughline.memory/1";
  /** Milliseconds since 1970-01-01 UTC. */
  readonly exported_at: number;
  readonly version: number;
  readonly facts: readonly WireKeptFact[];
  readonly turns: readonly {
    readonly entry_id: string;
    readonly version: number;
    readonly entry: WireRememberedTurn;
  }[];
  readonly arcs: readonly {
    readonly entry_id: string;
    readonly version: number;
    readonly entry: WireArc;
  }[];
  readonly profile: {
    readonly type: "profile";
    readonly recall_enabled: boolean;
    readonly rules: readonly WireRule[];
    readonly archived: readonly WireRule[];
  };
  readonly held: readonly {
    readonly entry_id: string;
    readonly data: WireJson;
  }[];
  readonly masks: readonly {
    readonly session_id: string;
    readonly offsets: readonly number[];
  }[];
}

/** The schema `Fact` of the service. */
export interface WireFact {
  readonly type: "fact";
  /** Milliseconds since 1970-01-01 UTC. */
  readonly recorded_at: number;
  /** When it was withdrawn or replaced. */
  readonly retracted_at?: number;
  /** Id of the entry that took its place. */
  readonly superseded_by?: string;
  readonly pinned?: true;
  /** Kept, shown in lists, and never given to a model. */
  readonly never_recall?: true;
  readonly sensitivity: "ordinary" | "personal" | "sensitive";
  readonly category: string;
  readonly subject: {
    readonly type: string;
    readonly id: string;
  };
  readonly predicate: string;
  readonly object: {
    readonly type: string;
    readonly id: string;
  };
  /** What the person said, word for word. */
  readonly quote: string;
  readonly confidence: "low" | "medium" | "high";
  readonly authority: "person" | "extraction" | "program";
  /** Where it was said, oldest first. */
  readonly sources: readonly {
    /** `ses_` and 26 characters. */
    readonly session_id: string;
    readonly offset: number;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly at: number;
  }[];
  /** Milliseconds since 1970-01-01 UTC. */
  readonly valid_from?: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly valid_to?: number;
  readonly written: "immediate" | "episode_end" | "promotion";
  readonly reason: string;
  readonly policy: string;
}

/** The schema `Feedback` of the service. */
export interface WireFeedback {
  readonly feedback: {
    readonly id: string;
    readonly label: string;
    readonly source: string;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly recorded_at: number;
    readonly turn_count_at_end: number;
  } | null;
}

/** The schema `ForgetReport` of the service. */
export interface WireForgetReport {
  readonly facts: number;
  readonly turns: number;
  readonly arcs: number;
  readonly arcs_rewritten: number;
  readonly rules: number;
  readonly vectors: number;
  readonly candidates: number;
  readonly pending: number;
  readonly prompts: number;
  readonly bars: number;
  /** Messages that no model is shown any more. */
  readonly masked: readonly {
    readonly session_id: string;
    readonly offsets: readonly number[];
  }[];
  /** Messages whose text was removed from the log. */
  readonly redacted: readonly {
    readonly session_id: string;
    readonly offsets: readonly number[];
  }[];
}

/** The schema `FoundSession` of the service. */
export interface WireFoundSession {
  /** `ses_` and 26 characters. */
  readonly id: string;
  readonly agent: string;
  /** Version of the agent's definition that its state was written by. */
  readonly definition?: number;
  /** Absent for an anonymous session. */
  readonly customer_id?: string;
  /** Who answers: the agent, or a person. */
  readonly mode: "auto" | "manual";
  readonly handover?: WireHandover;
  readonly title: string | null;
  readonly labels?: readonly string[];
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  /** How far named consumers have read. */
  readonly consumers?: Readonly<Record<string, number>>;
  /** Nothing of it is remembered, and nothing recalled in it. */
  readonly incognito?: true;
  readonly episode: number;
  /** How many turns it has had, with one that is queued. A fork counts on from the turns of its origin. */
  readonly turns?: number;
  /** The last offset. */
  readonly head: number;
  /** What it was forked from; the id is null if that session was deleted. */
  readonly origin?: {
    readonly session_id: string | null;
    readonly at: number;
  };
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly updated_at: number;
  /** Raised by every change of mode, title, metadata, labels and consumers; the `ETag`. */
  readonly version: number;
  /** What its paused turn waits for: an approval of a call, or an answer to a question. Absent if it waits for neither. */
  readonly waits_for?: readonly ("approval" | "answer")[];
  /** The last message that its customer may see, without withdrawn and redacted ones. Absent if there is none among the last 20. */
  readonly last_message?: {
    readonly offset: number;
    readonly source: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system";
    /** Milliseconds since 1970-01-01 UTC. */
    readonly at: number;
    /** Its beginning on one line, at most 80 characters. */
    readonly text: string;
  };
  /** Where the words that were searched for are: the offset of a message, or none for the title. */
  readonly match?: {
    readonly offset?: number;
    readonly text: string;
  };
}

/** The schema `Gone` of the service. */
export interface WireGone {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
}

/** The schema `HandBack` of the service. */
export interface WireHandBack {
  /** What happened meanwhile, for the agent. */
  readonly summary?: string | undefined;
  /** A change of the state, through the agent's reducers. */
  readonly state?: WireJsonObject | undefined;
  /** Let the agent speak at once; it stays silent until it is sent a message otherwise. */
  readonly resume?: boolean | undefined;
}

/** The schema `HandOver` of the service. */
export interface WireHandOver {
  /** The integration's own id of a person. */
  readonly operator?: string | undefined;
  readonly reason?: string | undefined;
  /** Level of a safety alert; alerts stand in front, the highest before all others. */
  readonly alert?: number | undefined;
}

/** The schema `Handover` of the service. */
export interface WireHandover {
  readonly status: "waiting" | "assigned" | "resolved";
  /** Milliseconds since 1970-01-01 UTC. */
  readonly since: number;
  /** Id of the operator, in the integration's own scheme. */
  readonly operator?: string;
  readonly reason?: string;
  /** Level of a safety alert. Alerts come first in the queue, the highest first. */
  readonly alert?: number;
}

/** The schema `Identification` of the service. */
export interface WireIdentification {
  /** Registered if it is not known yet. */
  readonly customer_id: string;
  /** Moves what the anonymous session has of its own to the customer; else it is removed. */
  readonly carry?: boolean | undefined;
}

/** The schema `ImportReport` of the service. */
export interface WireImportReport {
  /** Null if the sessions are anonymous. */
  readonly customer_id: string | null;
  /** The new ids of the sessions, by their ids in the bundle. */
  readonly sessions: Readonly<Record<string, string>>;
  readonly events: number;
}

/** The schema `IssuedApiKey` of the service. */
export interface WireIssuedApiKey {
  /** 16 characters; the key is `tl_live_<id>_<secret>`. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly ("sessions:read" | "sessions:write" | "customers:read" | "customers:write" | "metadata:read" | "metadata:write" | "state:read" | "state:write" | "memory:read" | "memory:write" | "prompts:read" | "handover" | "usage:read" | "safety:read" | "webhooks" | "tokens" | "export" | "erase" | "audit:read" | "admin")[];
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly expires_at?: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly revoked_at?: number;
  /** To the minute. */
  readonly last_used_at?: number;
  /** Shown once: only a hash of it is kept. */
  readonly key: string;
}

/** The schema `IssuedCustomerToken` of the service. */
export interface WireIssuedCustomerToken {
  readonly token: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly expires_at: number;
  /** The claim `ver` of a token that you sign yourself. A revocation changes it, and so does a new customer under the same id. */
  readonly customer_version: string;
}

/** The schema `IssuedToken` of the service. */
export interface WireIssuedToken {
  readonly token: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly expires_at: number;
}

/** The schema `Job` of the service. */
export interface WireJob {
  /** `job_` and 32 hexadecimal digits. */
  readonly id: string;
  readonly type: "erase" | "export";
  readonly status: "queued" | "running" | "done" | "failed";
  /** Whose data it is about; it tells nothing of who they are. */
  readonly owner_id: string;
  readonly progress: {
    readonly sessions: number;
    readonly events: number;
    /** Bytes of an export so far. */
    readonly bytes?: number;
  };
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly finished_at?: number;
  /** What an erasure has removed. Absent if the process that did it stopped before it could say so. */
  readonly receipt?: {
    readonly id: string;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly requested_at: number;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly finished_at?: number;
    readonly sessions: number;
    readonly events: number;
  };
  /** The result of an export: how long it is, and how long it is kept. */
  readonly result?: {
    readonly bytes: number;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly expires_at: number;
  };
  readonly error?: {
    readonly code: string;
    readonly message: string;
  };
}

/** The schema `KeptFact` of the service. */
export interface WireKeptFact {
  readonly entry_id: string;
  readonly version: number;
  readonly entry: WireFact;
}

/** The schema `LeasedTurn` of the service. */
export interface WireLeasedTurn {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly agent: string;
  readonly turn_id: string;
  readonly cause: "message" | "greeting" | "resume" | "trigger" | "approval" | "schedule" | "retry";
  readonly status: "queued" | "running" | "ended";
  /** How often it was claimed since it last got further. */
  readonly attempts: number;
  readonly urgent?: true;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** Who holds it: host and process. Absent while it waits. */
  readonly worker?: string;
  /** When the lease or the wait ends. Absent for a turn that can be claimed now. */
  readonly until?: number;
}

/** The schema `LivePart` of the service. */
export type WireLivePart = {
  readonly type: "status";
  /** Of the event that the part is, or of the last one before it. A reader continues after it. */
  readonly offset: number;
  readonly status: "acknowledged" | "processing" | "typing" | "ready" | "cancelled" | "error";
  readonly stage?: string;
} | {
  readonly type: "text.delta";
  /** Of the event that the part is, or of the last one before it. A reader continues after it. */
  readonly offset: number;
  /** Text of the next `message`, provisional until then. */
  readonly text: string;
} | {
  readonly type: "draft.reset";
  /** Of the event that the part is, or of the last one before it. A reader continues after it. */
  readonly offset: number;
  /** The text since the last `message` is void. `replaced`: the committed text is different, or its message is not shown to this reader. `reconnected`: the stream goes on from where another one was cut. */
  readonly reason: "fence" | "manual" | "stopped" | "failed" | "replaced" | "reconnected";
} | {
  readonly type: "message";
  /** Of the event that the part is, or of the last one before it. A reader continues after it. */
  readonly offset: number;
  /** That of the deltas since the last `message` or `draft.reset`. */
  readonly text: string;
  /** Customers are shown none. */
  readonly calls: readonly {
    readonly call_id: string;
    readonly name: string;
    readonly arguments: WireJsonObject;
    /** The model's raw output, if it was not one JSON object. The call does not run. */
    readonly malformed?: string;
  }[];
} | {
  readonly type: "tool.started";
  /** Of the event that the part is, or of the last one before it. A reader continues after it. */
  readonly offset: number;
  readonly call_id: string;
  /** Name of the tool. */
  readonly name: string;
  readonly arguments?: WireJsonObject;
} | {
  readonly type: "tool.progress";
  /** Of the event that the part is, or of the last one before it. A reader continues after it. */
  readonly offset: number;
  readonly call_id: string;
  /** What the running call reports. It replaces the earlier progress of the call, and is not stored. */
  readonly progress: WireJson;
} | {
  readonly type: "tool.result";
  /** Of the event that the part is, or of the last one before it. A reader continues after it. */
  readonly offset: number;
  readonly call_id: string;
  /** Name of the tool. */
  readonly name: string;
  readonly result: {
    readonly type: "ok";
    readonly value: WireJson;
    /** Content that the model reads instead of the value. */
    readonly shown?: readonly ({
      readonly type: "text";
      readonly text: string;
    } | {
      readonly type: "json";
      readonly value: WireJson;
    })[];
    /** Why the state does not hold the value unchanged. The call was made. */
    readonly not_stored?: {
      readonly code: string;
      readonly message: string;
      readonly hint: string;
      readonly details?: WireJsonObject;
    };
  } | {
    readonly type: "error";
    readonly error: {
      readonly code: string;
      readonly message: string;
      readonly hint: string;
      readonly details?: WireJsonObject;
    };
  } | {
    readonly type: "blocked";
    readonly by: string;
    readonly reason: string;
  } | {
    readonly type: "skipped";
    readonly reason: string;
  } | {
    readonly type: "unknown";
  };
} | {
  readonly type: "approval.requested";
  /** Of the event that the part is, or of the last one before it. A reader continues after it. */
  readonly offset: number;
  readonly calls: readonly ({
    readonly call_id: string;
    /** The tool. */
    readonly name: string;
    readonly kind: "approval" | "question";
    readonly question?: WireJson;
    readonly index: number;
    readonly arguments?: WireJsonObject;
    /** A decision names it, so that it holds for what was looked at. */
    readonly arguments_hash: string;
    /** The tool, or the hook, that asks. */
    readonly by: string;
    readonly turn_id: string;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly asked_at: number;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly expires_at?: number;
    /** `ses_` and 26 characters. */
    readonly child?: string;
  })[];
} | {
  readonly type: "state";
  /** Of the event that the part is, or of the last one before it. A reader continues after it. */
  readonly offset: number;
  /** A change of the state's public fields. */
  readonly patch: readonly ({
    readonly op: "add" | "replace" | "test";
    /** A JSON Pointer (RFC 6901). */
    readonly path: string;
    readonly value: WireJson;
  } | {
    readonly op: "remove";
    /** A JSON Pointer (RFC 6901). */
    readonly path: string;
  } | {
    readonly op: "move" | "copy";
    /** A JSON Pointer (RFC 6901). */
    readonly from: string;
    /** A JSON Pointer (RFC 6901). */
    readonly path: string;
  })[];
} | {
  readonly type: "end";
  /** Of the event that the part is, or of the last one before it. A reader continues after it. */
  readonly offset: number;
  readonly result: WireTurnResult;
};

/** The schema `MemoryConflict` of the service. */
export interface WireMemoryConflict {
  readonly type: "one value" | "opposite";
  /** The older first. */
  readonly facts: readonly WireKeptFact[];
}

/** The schema `MemoryEntry` of the service. */
export interface WireMemoryEntry {
  /** Counted from 1 within its kind; only what is in force is counted. */
  readonly index?: number;
  readonly entry_id: string;
  /** Raised by every change; the `ETag`. */
  readonly version: number;
  readonly kind: "fact" | "turn" | "arc" | "rule";
  /** In one line, with its date. */
  readonly text: string;
  readonly in_force: boolean;
  readonly entry: WireFact | WireRememberedTurn | WireArc | WireRule;
}

/** The schema `MemoryMarks` of the service. */
export interface WireMemoryMarks {
  readonly pinned?: boolean | undefined;
  /** Not for rules: those are forgotten. */
  readonly never_recall?: boolean | undefined;
}

/** The schema `MemoryStatus` of the service. */
export interface WireMemoryStatus {
  readonly facts: number;
  readonly turns: number;
  readonly arcs: number;
  readonly rules: number;
  /** What is held of conversations that have not ended. */
  readonly held: number;
  readonly never_recalled: number;
  /** Whether the agent may bring up by itself what it remembers. */
  readonly recall_enabled: boolean;
  /** Of the newest entry; the `ETag`. */
  readonly version: number;
  /** Asked from a session of which nothing is remembered: it reads as empty, whatever there is. */
  readonly incognito?: true;
}

/** The schema `NewApiKey` of the service. */
export interface WireNewApiKey {
  /** What it is for. */
  readonly name: string;
  readonly scopes: readonly ("sessions:read" | "sessions:write" | "customers:read" | "customers:write" | "metadata:read" | "metadata:write" | "state:read" | "state:write" | "memory:read" | "memory:write" | "prompts:read" | "handover" | "usage:read" | "safety:read" | "webhooks" | "tokens" | "export" | "erase" | "audit:read" | "admin")[];
  /** When it ends; never if left out. */
  readonly expires_at?: number | undefined;
}

/** The schema `NewCustomer` of the service. */
export interface WireNewCustomer {
  /** Generated if left out. */
  readonly id?: string | undefined;
  /** Display name. */
  readonly name?: string | null | undefined;
  readonly variables?: WireJsonObject | undefined;
  readonly metadata?: WireJsonObject | undefined;
}

/** The schema `NewEvent` of the service. */
export type WireNewEvent = {
  readonly kind: "message";
  readonly source: "customer";
  readonly text: string;
  /** Values of the agent's other input fields. */
  readonly input?: WireJsonObject | undefined;
  /** Updates of the agent's start fields. */
  readonly start?: WireJsonObject | undefined;
  readonly metadata?: WireJsonObject | undefined;
} | {
  readonly kind: "message";
  readonly source: "human_agent";
  readonly text: string;
  readonly participant: {
    readonly display_name: string;
  };
  readonly metadata?: WireJsonObject | undefined;
} | {
  readonly kind: "message";
  readonly source: "human_agent_on_behalf_of_ai_agent";
  readonly text: string;
  readonly participant?: {
    readonly display_name: string;
  } | undefined;
  readonly metadata?: WireJsonObject | undefined;
} | {
  readonly kind: "message";
  readonly source: "ai_agent";
} | {
  readonly kind: "custom";
  /** `system` if left out. */
  readonly source?: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "system" | undefined;
  readonly data: WireJson;
  readonly metadata?: WireJsonObject | undefined;
} | {
  readonly kind: "status";
  /** `human_agent` if left out. */
  readonly source?: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "system" | undefined;
  readonly status: "acknowledged" | "processing" | "typing" | "ready" | "cancelled" | "error";
  readonly data?: WireJsonObject | undefined;
  readonly metadata?: WireJsonObject | undefined;
};

/** The schema `NewFact` of the service. */
export interface WireNewFact {
  /** What the person said, word for word. */
  readonly quote: string;
  /** `context` if left out. */
  readonly category?: string | undefined;
  /** The person if left out. */
  readonly subject?: {
    readonly type: string;
    readonly id: string;
  } | undefined;
  /** `MENTIONED` if left out. */
  readonly predicate?: string | undefined;
  /** The quote if left out. */
  readonly object?: string | {
    readonly type: string;
    readonly id: string;
  } | undefined;
  readonly confidence?: "low" | "medium" | "high" | undefined;
  readonly sensitivity?: "ordinary" | "personal" | "sensitive" | undefined;
  /** `person` if left out: it outranks what is extracted. */
  readonly authority?: "person" | "program" | undefined;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly valid_from?: number | undefined;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly valid_to?: number | undefined;
  readonly reason?: string | undefined;
}

/** The schema `NewFork` of the service. */
export interface WireNewFork {
  /** The last offset that is shared; the head if left out. */
  readonly at?: number | undefined;
  readonly title?: string | undefined;
  /** Calls of tools give what is recorded after `at` for the same name and arguments, and do not run. A `once` tool never runs in the fork: without a recorded result its call is blocked. False if left out. */
  readonly reuse?: boolean | undefined;
}

/** The schema `NewImport` of the service. */
export interface WireNewImport {
  /** The lines of an export. */
  readonly bundle: string;
}

/** The schema `NewRecall` of the service. */
export interface WireNewRecall {
  /** The message. */
  readonly text: string;
  /** Whose settings count: the session's agent, or the only one with a memory, if left out. */
  readonly agent?: string | undefined;
  /** Whether it begins an episode, which brings up the last one; false if left out. */
  readonly opening?: boolean | undefined;
}

/** The schema `NewRun` of the service. */
export interface WireNewRun {
  /** Id of an autonomous routine. */
  readonly routine: string;
  /** Checked against the routine's input schema. */
  readonly input?: WireJsonObject | undefined;
  /** A session whose history the run becomes part of. Without it the run has a session that is deleted after it. */
  readonly session_id?: string | undefined;
  /** The agent that runs the routine; needed if several have it. */
  readonly agent?: string | undefined;
  /** Seconds after which the run fails with `timeout`. Default: those of the routine. */
  readonly timeout_seconds?: number | undefined;
  /** Seconds for which the result is kept; 86,400 if left out. */
  readonly keep_seconds?: number | undefined;
  /** Where the end of the run is posted. Its host must be one that the routine allows. */
  readonly callback_url?: string | undefined;
}

/** The schema `NewSession` of the service. */
export interface WireNewSession {
  /** Name of a registered agent. */
  readonly agent: string;
  /** The integration's own id of a customer. */
  readonly customer_id?: string | undefined;
  readonly title?: string | undefined;
  readonly metadata?: WireJsonObject | undefined;
  readonly labels?: readonly string[] | undefined;
  /** Remember nothing of it, and recall nothing in it; it never changes. False if left out. */
  readonly incognito?: boolean | undefined;
  /** Let the agent speak first; false if left out. */
  readonly greet?: boolean | undefined;
}

/** The schema `NewStatePreview` of the service. */
export interface WireNewStatePreview {
  /** As an edit takes it: an update of each field, for the field's reducer. */
  readonly delta: WireJsonObject;
}

/** The schema `NewStreamToken` of the service. */
export interface WireNewStreamToken {
  /** The sessions whose events it may read. */
  readonly sessions: readonly string[];
}

/** The schema `NewToken` of the service. */
export interface WireNewToken {
  /** The integration's own id of a customer. */
  readonly customer_id: string;
  /** Only for this session of theirs. */
  readonly session_id?: string | undefined;
  /** How long it is good for: 900 if left out, unless the service is told otherwise. */
  readonly ttl_seconds?: number | undefined;
}

/** The schema `OpenSession` of the service. */
export interface WireOpenSession {
  /** Name of a registered agent. */
  readonly agent: string;
  /** The integration's own id of a customer. */
  readonly customer_id?: string | undefined;
  readonly title?: string | undefined;
  readonly metadata?: WireJsonObject | undefined;
  readonly labels?: readonly string[] | undefined;
  /** Remember nothing of it, and recall nothing in it; it never changes. False if left out. */
  readonly incognito?: boolean | undefined;
  /** Tells sessions of one customer and agent apart. */
  readonly key?: string | undefined;
}

/** The schema `PendingCall` of the service. */
export interface WirePendingCall {
  readonly call_id: string;
  /** The tool. */
  readonly name: string;
  readonly kind: "approval" | "question";
  readonly question?: WireJson;
  readonly index: number;
  readonly arguments: WireJsonObject;
  /** A decision names it, so that it holds for what was looked at. */
  readonly arguments_hash: string;
  /** The tool, or the hook, that asks. */
  readonly by: string;
  readonly turn_id: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly asked_at: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly expires_at?: number;
  /** `ses_` and 26 characters. */
  readonly child?: string;
}

/** The schema `Problem` of the service. */
export interface WireProblem {
  /** Address of what the code means, relative to the service. */
  readonly type: string;
  /** What the code means. */
  readonly title: string;
  readonly status: number;
  /** What was seen. */
  readonly detail: string;
  /** A code of the catalogue, such as `session.not_found`. */
  readonly code: string;
  /** What to do. */
  readonly hint: string;
  readonly request_id: string;
  readonly errors?: readonly {
    readonly pointer: string;
    readonly message: string;
  }[];
  readonly details?: WireJsonObject;
  /** Seconds; the same as the `Retry-After` header. */
  readonly retry_after?: number;
  /** Comes with a `reply`. `false`: the message was not taken. `unknown`: the database did not confirm in time, so the message may be kept; send it again under the same idempotency key to find out. */
  readonly saved?: false | "unknown";
  /** What to show at once to the person whose message may not be kept. It may say where help is. */
  readonly reply?: string;
}

/** The schema `Prompt` of the service. */
export interface WirePrompt {
  readonly turn_id: string;
  /** Counts the turn's model calls from 1. */
  readonly step: number;
  /** The request as JSON, byte for byte what the model's adapter was given. */
  readonly body: string;
  /** What it was made of, and what was left out. */
  readonly record: WireJsonObject;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly kept_at: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly expires_at: number;
}

/** The schema `QueuedSession` of the service. */
export interface WireQueuedSession {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly agent: string;
  /** The integration's own id of a customer. */
  readonly customer_id?: string;
  readonly title: string | null;
  readonly handover: WireHandover;
  readonly updated_at: number;
}

/** The schema `RecallDiagnostics` of the service. */
export interface WireRecallDiagnostics {
  readonly load_memory_ms: number;
  readonly semantic_hits: number;
  readonly semantic_store_size: number;
  readonly episodic_hits: number;
  readonly episodic_store_size: number;
  readonly procedural_count: number;
  readonly proactive_recall: boolean;
  readonly retrieval_path: "hybrid_rrf" | "token_recall" | "token_recall_after_embed_error" | "token_recall_after_embed_timeout" | "skipped_empty_store" | "skipped_after_read_error" | "skipped_after_read_timeout";
  readonly retrieval_note: string;
  readonly candidates: number;
  readonly floor: number;
  readonly top_score: number;
  readonly dropped_by_budget: number;
  readonly memory_tokens: number;
  readonly index: "whole" | "partial";
  readonly index_build_ms?: number;
  readonly embed_ms?: number;
  readonly subject_share?: number;
  readonly weights: string;
}

/** The schema `RecallPreview` of the service. */
export interface WireRecallPreview {
  readonly diagnostics: WireRecallDiagnostics;
  readonly items: readonly ({
    readonly entry_id: string;
    readonly version: number;
    readonly kind: "fact" | "turn" | "arc";
    readonly placement: "in prompt" | "dropped: budget" | "dropped: policy" | "below floor";
    /** Its line in the prompt. */
    readonly text: string;
    readonly tokens: number;
    readonly at: number;
    readonly score: number;
    /** What the score is made of. */
    readonly parts: Readonly<Record<string, number>>;
    /** Told because an episode begins. */
    readonly catch_up?: true;
  })[];
}

/** The schema `RememberedTurn` of the service. */
export interface WireRememberedTurn {
  readonly type: "turn";
  /** Milliseconds since 1970-01-01 UTC. */
  readonly recorded_at: number;
  /** When it was withdrawn or replaced. */
  readonly retracted_at?: number;
  /** Id of the entry that took its place. */
  readonly superseded_by?: string;
  readonly pinned?: true;
  /** Kept, shown in lists, and never given to a model. */
  readonly never_recall?: true;
  readonly sensitivity: "ordinary" | "personal" | "sensitive";
  readonly text: string;
  readonly source: {
    /** `ses_` and 26 characters. */
    readonly session_id: string;
    readonly offset: number;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly at: number;
  };
  readonly episode: number;
  readonly speaker?: string;
  readonly role?: "assistant";
  readonly legacy?: true;
}

/** The schema `RoutineGraph` of the service. */
export interface WireRoutineGraph {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  /** Whether it runs without a conversation. */
  readonly autonomous: boolean;
  /** The first node. */
  readonly entry: string;
  readonly nodes: readonly ({
    readonly id: string;
    readonly kind: "chat" | "tool" | "think" | "branch" | "approve" | "wait" | "run" | "emit_output";
    /** The tool that it calls, the routine that it runs, or the event that it waits for. */
    readonly about?: string;
    /** Where it goes: the first that applies. */
    readonly next: readonly {
      readonly to: string;
      /** The condition in words. */
      readonly when?: string;
    }[];
    /** Where it goes if the action fails. */
    readonly error?: string;
  })[];
}

/** The schema `Rule` of the service. */
export interface WireRule {
  readonly id: string;
  readonly text: string;
  readonly evidence: readonly string[];
  readonly sources: readonly {
    /** `ses_` and 26 characters. */
    readonly session_id: string;
    readonly offset: number;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly at: number;
  }[];
  readonly confidence: "low" | "medium" | "high";
  readonly authority: "person" | "extraction" | "program";
  /** Milliseconds since 1970-01-01 UTC. */
  readonly added_at: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly archived_at?: number;
  readonly superseded_by?: string;
  readonly pinned?: true;
}

/** The schema `Run` of the service. */
export interface WireRun {
  /** `run_` and 26 to 32 characters. */
  readonly id: string;
  readonly routine: string;
  /** Version of the routine's definition that it was started with. */
  readonly version: number;
  readonly agent: string;
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  /** Whether the session was made for the run, and is deleted after it. */
  readonly ephemeral: boolean;
  /** `waiting`: for an event, a time or an approval. */
  readonly status: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled";
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** When it fails with `timeout`. */
  readonly deadline?: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly finished_at?: number;
  /** Until when the result is kept. */
  readonly expires_at?: number;
  /** The validated output of a completed run; lists leave it out. */
  readonly output?: WireJson;
  /** Why it failed or was cancelled. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
  };
  /** What became of the callback. */
  readonly callback?: {
    /** `dead`: its attempts are used up. */
    readonly status: "pending" | "delivered" | "dead";
    readonly attempts: number;
    /** What the last attempt failed with: a status, or an error code. */
    readonly error?: string;
  };
  /** The receipt of the deleted session. */
  readonly erasure?: {
    readonly id: string;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly requested_at: number;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly finished_at?: number;
    readonly sessions: number;
    readonly events: number;
  };
}

/** The schema `SafetyReport` of the service. */
export interface WireSafetyReport {
  /** A day in UTC, such as `2026-11-21`. */
  readonly from: string;
  /** A day in UTC, such as `2026-11-21`. */
  readonly to: string;
  readonly totals: {
    readonly events_total: number;
    readonly by_level: Readonly<Record<string, number>>;
    readonly by_path: Readonly<Record<string, number>>;
    /** By the ISO code of the place that a person has named; `none` where none is known. */
    readonly by_region: Readonly<Record<string, number>>;
    readonly by_action: Readonly<Record<string, number>>;
    readonly overrides: Readonly<Record<string, number>>;
    readonly llm_failures_total: number;
    readonly degraded_total: number;
    readonly replies_total: number;
    readonly replies_completed: number;
    readonly referrals_total: number;
    readonly referrals: Readonly<Record<string, number>>;
    readonly resources_shown: Readonly<Record<string, number>>;
    readonly lookup_statuses: Readonly<Record<string, number>>;
    readonly guarded: Readonly<Record<string, number>>;
    readonly escalations: Readonly<Record<string, number>>;
  };
  readonly reply_completion_rate: number | null;
  /** Turns that were shown where help is, by calendar year and region. */
  readonly referrals: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly days: readonly {
    /** A day in UTC, such as `2026-11-21`. */
    readonly day: string;
    readonly events_total: number;
    readonly by_level: Readonly<Record<string, number>>;
    readonly by_path: Readonly<Record<string, number>>;
    /** By the ISO code of the place that a person has named; `none` where none is known. */
    readonly by_region: Readonly<Record<string, number>>;
    readonly by_action: Readonly<Record<string, number>>;
    readonly overrides: Readonly<Record<string, number>>;
    readonly llm_failures_total: number;
    readonly degraded_total: number;
    readonly replies_total: number;
    readonly replies_completed: number;
    readonly referrals_total: number;
    readonly referrals: Readonly<Record<string, number>>;
    readonly resources_shown: Readonly<Record<string, number>>;
    readonly lookup_statuses: Readonly<Record<string, number>>;
    readonly guarded: Readonly<Record<string, number>>;
    readonly escalations: Readonly<Record<string, number>>;
  }[];
  /** Ids of assessments that a classifier has lowered. */
  readonly lowered: readonly string[];
  /** Ids of those that no classifier has answered although one was to be asked. */
  readonly degraded: readonly string[];
  readonly purged: readonly {
    /** A day in UTC, such as `2026-11-21`. */
    readonly day: string;
    readonly removed: number;
    readonly left: number;
    /** Milliseconds since 1970-01-01 UTC. */
    readonly at: number;
  }[];
  readonly feedback: Readonly<Record<string, number>>;
  /** Assessments that wait for the store, of those that this process knows. */
  readonly spool_waiting: number | null;
}

/** The schema `ServiceStatus` of the service. */
export interface WireServiceStatus {
  readonly name: "throughline";
  readonly version: string;
  /** Version of the database's schema; all migrations up to it have run. */
  readonly schema: number;
  /** Engine of the database: `sqlite`, `postgres`, `memory`, or what another store calls its own. */
  readonly engine?: string;
  readonly agents: readonly {
    readonly name: string;
    readonly version: number;
  }[];
  readonly open_turns: {
    readonly total: number;
    /** Those that a worker holds. */
    readonly held: number;
  };
  /** 0 means no limit. */
  readonly limits: {
    readonly requests_per_minute: number;
    readonly event_reads_per_minute: number;
    readonly waiters: number;
    /** Of a customer with a token. */
    readonly customer: {
      readonly requests_per_minute: number;
      readonly event_reads_per_minute: number;
      readonly waiters: number;
    };
    readonly body_bytes: number;
    readonly event_bytes: number;
    readonly page_events: number;
    readonly wait_ms: number;
  };
}

/** The schema `Session` of the service. */
export interface WireSession {
  /** `ses_` and 26 characters. */
  readonly id: string;
  readonly agent: string;
  /** Version of the agent's definition that its state was written by. */
  readonly definition?: number;
  /** Absent for an anonymous session. */
  readonly customer_id?: string;
  /** Who answers: the agent, or a person. */
  readonly mode: "auto" | "manual";
  readonly handover?: WireHandover;
  readonly title: string | null;
  readonly labels?: readonly string[];
  /** The integration's own; only for keys that may read metadata. */
  readonly metadata?: WireJsonObject;
  /** How far named consumers have read. */
  readonly consumers?: Readonly<Record<string, number>>;
  /** Nothing of it is remembered, and nothing recalled in it. */
  readonly incognito?: true;
  readonly episode: number;
  /** How many turns it has had, with one that is queued. A fork counts on from the turns of its origin. */
  readonly turns?: number;
  /** The last offset. */
  readonly head: number;
  /** What it was forked from; the id is null if that session was deleted. */
  readonly origin?: {
    readonly session_id: string | null;
    readonly at: number;
  };
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly updated_at: number;
  /** Raised by every change of mode, title, metadata, labels and consumers; the `ETag`. */
  readonly version: number;
}

/** The schema `SessionPatch` of the service. */
export interface WireSessionPatch {
  /** At most 200 characters; null takes it away. */
  readonly title?: string | null | undefined;
  /** Who answers: the agent, or a person. */
  readonly mode?: "auto" | "manual" | undefined;
  /** A merge patch (RFC 7396): null takes a value away, what is left out stays. */
  readonly metadata?: WireJsonObject | undefined;
  readonly labels?: {
    readonly add?: readonly string[] | undefined;
    readonly remove?: readonly string[] | undefined;
  } | undefined;
  /** How far named consumers have read; null takes one away. */
  readonly consumers?: Readonly<Record<string, number | null>> | undefined;
}

/** The schema `SessionSafety` of the service. */
export interface WireSessionSafety {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  /** Null if nothing of it was assessed. */
  readonly level: number | null;
  /** The last assessment of that level. */
  readonly offset?: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at?: number;
  readonly assessments: number;
}

/** The schema `Standing` of the service. */
export interface WireStanding {
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  /** Who answers: the agent, or a person. */
  readonly mode: "auto" | "manual";
  readonly handover?: WireHandover;
}

/** The schema `StartedTurn` of the service. */
export interface WireStartedTurn {
  readonly turn_id: string;
}

/** The schema `State` of the service. */
export interface WireState {
  readonly offset: number;
  /** Of the last event that changed it; an edit names it. */
  readonly state_offset: number;
  readonly definition: number;
  readonly state: WireJsonObject;
}

/** The schema `StateEdit` of the service. */
export interface WireStateEdit {
  readonly delta: WireJsonObject;
  /** The `state_offset` that the change was decided on. */
  readonly expected_offset?: number | undefined;
  readonly operator?: string | undefined;
}

/** The schema `StatePreview` of the service. */
export interface WireStatePreview {
  /** What it was decided on; an edit with this as `expected_offset` does the same or is refused. */
  readonly state_offset: number;
  /** The operations (RFC 6902) that it would commit; none if there are problems. */
  readonly patch: readonly WireJsonObject[];
  /** What it would be refused for, by field. */
  readonly problems: readonly {
    readonly field: string;
    readonly code: string;
    readonly message: string;
  }[];
}

/** The schema `StateWriter` of the service. */
export interface WireStateWriter {
  /** `stage`, `tool`, `hook`, `operator`, `input`, `withdrawal` or `migration`. */
  readonly type: string;
  readonly name?: string;
  readonly call_id?: string;
  readonly from?: number;
  readonly to?: number;
}

/** The schema `StateWriters` of the service. */
export interface WireStateWriters {
  readonly offset: number;
  /** By the name of the field: where it last changed. */
  readonly fields: Readonly<Record<string, {
    readonly offset: number;
    /** Absent for a field that has its first value. */
    readonly writer?: WireStateWriter;
  }>>;
}

/** The schema `StreamAccepted` of the service. */
export interface WireStreamAccepted {
  readonly offset: number;
  /** The turn that will answer the message. Absent while it waits. */
  readonly turn_id?: string;
}

/** The schema `StreamedMessage` of the service. */
export interface WireStreamedMessage {
  readonly kind?: "message" | undefined;
  readonly source?: "customer" | undefined;
  readonly text: string;
  /** Values of the agent's other input fields. */
  readonly input?: WireJsonObject | undefined;
  /** Updates of the agent's start fields. */
  readonly start?: WireJsonObject | undefined;
  readonly metadata?: WireJsonObject | undefined;
}

/** The schema `ToolStarted` of the service. */
export interface WireToolStarted {
  readonly type: "tool.started";
  /** `ses_` and 26 characters. */
  readonly session_id: string;
  readonly turn_id: string;
  readonly epoch: number;
  /** Counts the drafts of the turn, from 0. */
  readonly message: number;
  readonly call_id: string;
  /** Name of the tool. */
  readonly name: string;
}

/** The schema `Turn` of the service. */
export interface WireTurn {
  readonly turn_id: string;
  readonly number: number;
  readonly cause: "message" | "greeting" | "resume" | "trigger" | "approval" | "schedule" | "retry";
  readonly status: "queued" | "running" | "ended";
  /** How often it was claimed since it last got further. */
  readonly attempts: number;
  readonly trace_id: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly created_at: number;
  readonly started_offset?: number;
  readonly ended_offset?: number;
  /** Offsets of the messages that it answers. */
  readonly answers?: readonly number[];
  /** Those of them that an earlier turn had answered, and that this one was asked to answer again. */
  readonly retries?: readonly number[];
  readonly outcome?: {
    readonly status: "completed" | "stopped" | "failed";
    readonly reason?: string;
    /** Why the turn was stopped. */
    readonly message?: string;
    /** The call that ended the turn. Its result is the reply. */
    readonly ended_by?: {
      readonly call_id: string;
      readonly name: string;
    };
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly hint: string;
    };
  };
  readonly usage: {
    readonly input?: number;
    readonly output?: number;
    readonly cache_write?: number;
    readonly cache_read?: number;
    readonly reasoning?: number;
  };
  /** In the unit of the price table; 0 without prices. */
  readonly cost: number;
}

/** The schema `TurnMemory` of the service. */
export interface WireTurnMemory {
  readonly turn_id: string;
  /** Null if nothing was looked for. */
  readonly diagnostics: WireRecallDiagnostics | null;
  readonly items: readonly ({
    readonly entry_id: string;
    readonly placement: "in prompt" | "dropped: budget" | "dropped: policy" | "below floor";
    readonly score: number;
    /** What the score is made of. */
    readonly parts: Readonly<Record<string, number>>;
    readonly tokens: number;
    /** Told because an episode began. */
    readonly catch_up?: true;
    /** As it is now; null if it has been forgotten since. */
    readonly text: string | null;
  })[];
}

/** The schema `TurnResult` of the service. */
export interface WireTurnResult {
  /** Of the message; for a turn without one, of its first event. */
  readonly offset: number;
  /** The turn that answered it. Absent while it waits. */
  readonly turn_id?: string;
  /** Customers are shown `stopped` and `paused` as `completed`, as events show it to them. */
  readonly status: "completed" | "stopped" | "failed" | "paused" | "waiting" | "withdrawn";
  /** The reply to the customer. */
  readonly reply?: string;
  /** The state at the end of the turn: with `state:read` what integrations are shown, else the public fields. */
  readonly output: WireJsonObject;
  /** The calls that a paused turn waits for. Only keys see them. */
  readonly pending?: readonly WirePendingCall[];
  /** The call that ended the turn. Only keys see it. */
  readonly ended_by?: {
    readonly call_id: string;
    readonly name: string;
  };
  /** Why the turn stopped. Only keys see it. */
  readonly reason?: string;
  /** Why the turn failed. Only keys see it. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
  };
  /** Metrics of the turn. Only keys see them. */
  readonly diagnostics?: WireJsonObject;
}

/** The schema `Usage` of the service. */
export interface WireUsage {
  /** Turns that have ended. */
  readonly turns: number;
  /** Model calls that were answered. */
  readonly steps: number;
  readonly tokens: {
    readonly input?: number;
    readonly output?: number;
    readonly cache_write?: number;
    readonly cache_read?: number;
    readonly reasoning?: number;
  };
  /** In the unit of the price table; 0 without prices. */
  readonly cost: number;
  /** Model calls that failed. */
  readonly attempts: number;
  /** Milliseconds with at least one call in flight. */
  readonly active_ms: number;
  /** The same by the name of the model; `unknown` for what was asked of none by name. */
  readonly models: Readonly<Record<string, {
    /** Model calls that were answered. */
    readonly steps: number;
    readonly tokens: {
      readonly input?: number;
      readonly output?: number;
      readonly cache_write?: number;
      readonly cache_read?: number;
      readonly reasoning?: number;
    };
    /** In the unit of the price table; 0 without prices. */
    readonly cost: number;
  }>>;
}

/** The schema `Variable` of the service. */
export interface WireVariable {
  readonly name: string;
  readonly value: WireJson;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly checked_at: number;
  readonly stale: boolean;
  /** Raised by every change of a value; the `ETag`. 0 before the first. */
  readonly version: number;
}

/** The schema `VariableValue` of the service. */
export interface WireVariableValue {
  readonly value: WireJson;
}

/** The schema `Variables` of the service. */
export interface WireVariables {
  /** What agents may know, from their next turn on, by name. */
  readonly values: WireJsonObject;
  /** When each value was last set, or refreshed and found to hold still. */
  readonly checked: Readonly<Record<string, number>>;
  /** Names of values that could not be refreshed since. */
  readonly stale: readonly string[];
  /** Raised by every change of a value; the `ETag`. 0 before the first. */
  readonly version: number;
}

/** The schema `Webhook` of the service. */
export interface WireWebhook {
  /** The name of the target in the configuration. */
  readonly name: string;
  /** The target, or for one with `hosts` the target and a hash of the address. */
  readonly endpoint: string;
  /** The host of the address. */
  readonly host: string;
  /** Dead letters since the last success. */
  readonly failures: number;
  readonly paused?: {
    /** Milliseconds since 1970-01-01 UTC. */
    readonly at: number;
    readonly reason: "failures" | "gone" | "operator";
  };
}

/** The schema `WebhookPosition` of the service. */
export interface WireWebhookPosition {
  /** The name of the target in the configuration. */
  readonly target: string;
  /** The first event that is not delivered. */
  readonly next_offset: number;
  /** Failed attempts of the event at the position. */
  readonly attempts: number;
  /** The time of the next attempt. */
  readonly next_at?: number;
  /** What the last attempt failed with: a status, or an error code. */
  readonly error?: string;
}

/** What each operation takes and answers, by its id. */
export interface WireOperations {
  /** Create a customer. */
  readonly createCustomer: {
    readonly route: "POST /v1/customers";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: WireNewCustomer;
    readonly answer: WireCustomer;
  };
  /** List customers, oldest first. */
  readonly listCustomers: {
    readonly route: "GET /v1/customers";
    readonly path: undefined;
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireCustomer[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** A customer. */
  readonly getCustomer: {
    readonly route: "GET /v1/customers/{customer_id}";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireCustomer;
  };
  /** Change a customer's name, variables and metadata. */
  readonly updateCustomer: {
    readonly route: "PATCH /v1/customers/{customer_id}";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: WireCustomerPatch;
    readonly answer: WireCustomer;
  };
  /** The variables of a customer. */
  readonly listCustomerVariables: {
    readonly route: "GET /v1/customers/{customer_id}/variables";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireVariables;
  };
  /** Set and unset variables of a customer. */
  readonly updateCustomerVariables: {
    readonly route: "PATCH /v1/customers/{customer_id}/variables";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: WireJsonObject;
    readonly answer: WireVariables;
  };
  /** A variable of a customer. */
  readonly getCustomerVariable: {
    readonly route: "GET /v1/customers/{customer_id}/variables/{name}";
    readonly path: { readonly customer_id: string; readonly name: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireVariable;
  };
  /** Set a variable of a customer. */
  readonly setCustomerVariable: {
    readonly route: "PUT /v1/customers/{customer_id}/variables/{name}";
    readonly path: { readonly customer_id: string; readonly name: string };
    readonly query: undefined;
    readonly body: WireVariableValue;
    readonly answer: WireVariable;
  };
  /** Unset a variable of a customer; one that is not set stays so. */
  readonly deleteCustomerVariable: {
    readonly route: "DELETE /v1/customers/{customer_id}/variables/{name}";
    readonly path: { readonly customer_id: string; readonly name: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** The variables of a session alone. */
  readonly listSessionVariables: {
    readonly route: "GET /v1/sessions/{session_id}/variables";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireVariables;
  };
  /** Set and unset variables of a session alone. */
  readonly updateSessionVariables: {
    readonly route: "PATCH /v1/sessions/{session_id}/variables";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireJsonObject;
    readonly answer: WireVariables;
  };
  /** A variable of a session alone. */
  readonly getSessionVariable: {
    readonly route: "GET /v1/sessions/{session_id}/variables/{name}";
    readonly path: { readonly session_id: string; readonly name: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireVariable;
  };
  /** Set a variable of a session alone. */
  readonly setSessionVariable: {
    readonly route: "PUT /v1/sessions/{session_id}/variables/{name}";
    readonly path: { readonly session_id: string; readonly name: string };
    readonly query: undefined;
    readonly body: WireVariableValue;
    readonly answer: WireVariable;
  };
  /** Unset a variable of a session alone; one that is not set stays so. */
  readonly deleteSessionVariable: {
    readonly route: "DELETE /v1/sessions/{session_id}/variables/{name}";
    readonly path: { readonly session_id: string; readonly name: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** The variables of an agent, for all its sessions. */
  readonly listAgentVariables: {
    readonly route: "GET /v1/agents/{agent}/variables";
    readonly path: { readonly agent: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireVariables;
  };
  /** Set and unset variables of an agent, for all its sessions. */
  readonly updateAgentVariables: {
    readonly route: "PATCH /v1/agents/{agent}/variables";
    readonly path: { readonly agent: string };
    readonly query: undefined;
    readonly body: WireJsonObject;
    readonly answer: WireVariables;
  };
  /** A variable of an agent, for all its sessions. */
  readonly getAgentVariable: {
    readonly route: "GET /v1/agents/{agent}/variables/{name}";
    readonly path: { readonly agent: string; readonly name: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireVariable;
  };
  /** Set a variable of an agent, for all its sessions. */
  readonly setAgentVariable: {
    readonly route: "PUT /v1/agents/{agent}/variables/{name}";
    readonly path: { readonly agent: string; readonly name: string };
    readonly query: undefined;
    readonly body: WireVariableValue;
    readonly answer: WireVariable;
  };
  /** Unset a variable of an agent, for all its sessions; one that is not set stays so. */
  readonly deleteAgentVariable: {
    readonly route: "DELETE /v1/agents/{agent}/variables/{name}";
    readonly path: { readonly agent: string; readonly name: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** How much is remembered of a customer. */
  readonly getCustomerMemory: {
    readonly route: "GET /v1/customers/{customer_id}/memory";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireMemoryStatus;
  };
  /** What is remembered of a customer, by the time of writing. */
  readonly listCustomerMemory: {
    readonly route: "GET /v1/customers/{customer_id}/memory/entries";
    readonly path: { readonly customer_id: string };
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
      readonly kind?: "fact" | "turn" | "arc" | "rule" | undefined;
      /** Also what was withdrawn or replaced; false if left out. */
      readonly all?: boolean | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireMemoryEntry[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
      readonly version: number;
    };
  };
  /** What of the memory of a customer speaks of all words of a text, oldest first: nothing is guessed. */
  readonly findCustomerMemory: {
    readonly route: "GET /v1/customers/{customer_id}/memory/find";
    readonly path: { readonly customer_id: string };
    readonly query: {
      readonly q: string;
      /** 20 if left out. */
      readonly limit?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireMemoryEntry[];
    };
  };
  /** What a turn would recall of a customer for a message, and why; nothing is recorded of it. */
  readonly recallCustomerMemory: {
    readonly route: "POST /v1/customers/{customer_id}/memory/recall";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: WireNewRecall;
    readonly answer: WireRecallPreview;
  };
  /** One thing that is remembered of a customer, also if it is not in force. */
  readonly getCustomerMemoryEntry: {
    readonly route: "GET /v1/customers/{customer_id}/memory/entries/{entry_id}";
    readonly path: { readonly customer_id: string; readonly entry_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireMemoryEntry;
  };
  /** Facts in the memory of a customer that cannot both hold. */
  readonly listCustomerMemoryConflicts: {
    readonly route: "GET /v1/customers/{customer_id}/memory/conflicts";
    readonly path: { readonly customer_id: string };
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireMemoryConflict[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** All that is remembered of a customer: as JSON with every provenance, or as a page to read. */
  readonly exportCustomerMemory: {
    readonly route: "GET /v1/customers/{customer_id}/memory/export";
    readonly path: { readonly customer_id: string };
    readonly query: {
      /** `json` if left out. */
      readonly format?: "json" | "markdown" | undefined;
    };
    readonly body: undefined;
    readonly answer: WireExportedMemory;
  };
  /** Whether the agent may bring up by itself what it remembers of a customer. */
  readonly updateCustomerMemory: {
    readonly route: "PATCH /v1/customers/{customer_id}/memory";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: {
      readonly recall_enabled: boolean;
    };
    readonly answer: WireMemoryStatus;
  };
  /** Keep a rule of how to talk with a customer; the same one again changes nothing. */
  readonly addCustomerMemoryRule: {
    readonly route: "POST /v1/customers/{customer_id}/memory/rules";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: {
      readonly text: string;
    };
    readonly answer: WireRule;
  };
  /** Keep a fact about a customer. */
  readonly addCustomerMemoryFact: {
    readonly route: "POST /v1/customers/{customer_id}/memory/facts";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: WireNewFact;
    readonly answer: WireKeptFact;
  };
  /** Pin something that is remembered of a customer, or keep it from every model. */
  readonly markCustomerMemoryEntry: {
    readonly route: "PATCH /v1/customers/{customer_id}/memory/entries/{entry_id}";
    readonly path: { readonly customer_id: string; readonly entry_id: string };
    readonly query: undefined;
    readonly body: WireMemoryMarks;
    readonly answer: WireMemoryEntry;
  };
  /** Put right a fact about a customer: the new one outranks what is extracted, the old one is history. */
  readonly correctCustomerMemoryEntry: {
    readonly route: "POST /v1/customers/{customer_id}/memory/entries/{entry_id}/correct";
    readonly path: { readonly customer_id: string; readonly entry_id: string };
    readonly query: undefined;
    readonly body: WireCorrection;
    readonly answer: WireKeptFact;
  };
  /** Forget one thing about a customer, with whatever rests on it. */
  readonly forgetCustomerMemoryEntry: {
    readonly route: "DELETE /v1/customers/{customer_id}/memory/entries/{entry_id}";
    readonly path: { readonly customer_id: string; readonly entry_id: string };
    readonly query: {
      /** Also removes the text of the messages from the log; false if left out. */
      readonly messages?: boolean | undefined;
    };
    readonly body: undefined;
    readonly answer: WireForgetReport;
  };
  /** Forget several things about a customer: all of them, or none if one is not there. */
  readonly forgetCustomerMemory: {
    readonly route: "POST /v1/customers/{customer_id}/memory/forget";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: {
      readonly entry_ids: readonly string[];
      readonly messages?: boolean | undefined;
    };
    readonly answer: WireForgetReport;
  };
  /** Forget all about a customer, or all of a kind. */
  readonly clearCustomerMemory: {
    readonly route: "DELETE /v1/customers/{customer_id}/memory";
    readonly path: { readonly customer_id: string };
    readonly query: {
      readonly kind?: "fact" | "turn" | "arc" | "rule" | undefined;
      /** Also removes the text of the messages from the log; false if left out. */
      readonly messages?: boolean | undefined;
    };
    readonly body: undefined;
    readonly answer: WireForgetReport;
  };
  /** How much is remembered of whoever a session belongs to. */
  readonly getSessionMemory: {
    readonly route: "GET /v1/sessions/{session_id}/memory";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireMemoryStatus;
  };
  /** What is remembered of whoever a session belongs to, by the time of writing. */
  readonly listSessionMemory: {
    readonly route: "GET /v1/sessions/{session_id}/memory/entries";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
      readonly kind?: "fact" | "turn" | "arc" | "rule" | undefined;
      /** Also what was withdrawn or replaced; false if left out. */
      readonly all?: boolean | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireMemoryEntry[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
      readonly version: number;
    };
  };
  /** What of the memory of whoever a session belongs to speaks of all words of a text, oldest first: nothing is guessed. */
  readonly findSessionMemory: {
    readonly route: "GET /v1/sessions/{session_id}/memory/find";
    readonly path: { readonly session_id: string };
    readonly query: {
      readonly q: string;
      /** 20 if left out. */
      readonly limit?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireMemoryEntry[];
    };
  };
  /** What a turn would recall of whoever a session belongs to for a message, and why; nothing is recorded of it. */
  readonly recallSessionMemory: {
    readonly route: "POST /v1/sessions/{session_id}/memory/recall";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireNewRecall;
    readonly answer: WireRecallPreview;
  };
  /** One thing that is remembered of whoever a session belongs to, also if it is not in force. */
  readonly getSessionMemoryEntry: {
    readonly route: "GET /v1/sessions/{session_id}/memory/entries/{entry_id}";
    readonly path: { readonly session_id: string; readonly entry_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireMemoryEntry;
  };
  /** Facts in the memory of whoever a session belongs to that cannot both hold. */
  readonly listSessionMemoryConflicts: {
    readonly route: "GET /v1/sessions/{session_id}/memory/conflicts";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireMemoryConflict[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** All that is remembered of whoever a session belongs to: as JSON with every provenance, or as a page to read. */
  readonly exportSessionMemory: {
    readonly route: "GET /v1/sessions/{session_id}/memory/export";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** `json` if left out. */
      readonly format?: "json" | "markdown" | undefined;
    };
    readonly body: undefined;
    readonly answer: WireExportedMemory;
  };
  /** Whether the agent may bring up by itself what it remembers of whoever a session belongs to. */
  readonly updateSessionMemory: {
    readonly route: "PATCH /v1/sessions/{session_id}/memory";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: {
      readonly recall_enabled: boolean;
    };
    readonly answer: WireMemoryStatus;
  };
  /** Keep a rule of how to talk with whoever a session belongs to; the same one again changes nothing. */
  readonly addSessionMemoryRule: {
    readonly route: "POST /v1/sessions/{session_id}/memory/rules";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: {
      readonly text: string;
    };
    readonly answer: WireRule;
  };
  /** Keep a fact about whoever a session belongs to. */
  readonly addSessionMemoryFact: {
    readonly route: "POST /v1/sessions/{session_id}/memory/facts";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireNewFact;
    readonly answer: WireKeptFact;
  };
  /** Pin something that is remembered of whoever a session belongs to, or keep it from every model. */
  readonly markSessionMemoryEntry: {
    readonly route: "PATCH /v1/sessions/{session_id}/memory/entries/{entry_id}";
    readonly path: { readonly session_id: string; readonly entry_id: string };
    readonly query: undefined;
    readonly body: WireMemoryMarks;
    readonly answer: WireMemoryEntry;
  };
  /** Put right a fact about whoever a session belongs to: the new one outranks what is extracted, the old one is history. */
  readonly correctSessionMemoryEntry: {
    readonly route: "POST /v1/sessions/{session_id}/memory/entries/{entry_id}/correct";
    readonly path: { readonly session_id: string; readonly entry_id: string };
    readonly query: undefined;
    readonly body: WireCorrection;
    readonly answer: WireKeptFact;
  };
  /** Forget one thing about whoever a session belongs to, with whatever rests on it. */
  readonly forgetSessionMemoryEntry: {
    readonly route: "DELETE /v1/sessions/{session_id}/memory/entries/{entry_id}";
    readonly path: { readonly session_id: string; readonly entry_id: string };
    readonly query: {
      /** Also removes the text of the messages from the log; false if left out. */
      readonly messages?: boolean | undefined;
    };
    readonly body: undefined;
    readonly answer: WireForgetReport;
  };
  /** Forget several things about whoever a session belongs to: all of them, or none if one is not there. */
  readonly forgetSessionMemory: {
    readonly route: "POST /v1/sessions/{session_id}/memory/forget";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: {
      readonly entry_ids: readonly string[];
      readonly messages?: boolean | undefined;
    };
    readonly answer: WireForgetReport;
  };
  /** Forget all about whoever a session belongs to, or all of a kind. */
  readonly clearSessionMemory: {
    readonly route: "DELETE /v1/sessions/{session_id}/memory";
    readonly path: { readonly session_id: string };
    readonly query: {
      readonly kind?: "fact" | "turn" | "arc" | "rule" | undefined;
      /** Also removes the text of the messages from the log; false if left out. */
      readonly messages?: boolean | undefined;
    };
    readonly body: undefined;
    readonly answer: WireForgetReport;
  };
  /** All agents, by name. */
  readonly listAgents: {
    readonly route: "GET /v1/agents";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireAgent[];
    };
  };
  /** An agent, with the shapes of what it takes and shows. */
  readonly getAgent: {
    readonly route: "GET /v1/agents/{agent}";
    readonly path: { readonly agent: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireAgent;
  };
  /** Create a session. */
  readonly createSession: {
    readonly route: "POST /v1/sessions";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: WireNewSession;
    readonly answer: WireSession;
  };
  /** Open the session of an agent, a customer and a key. */
  readonly openSession: {
    readonly route: "POST /v1/sessions/open";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: WireOpenSession;
    readonly answer: WireSession;
  };
  /** List sessions. */
  readonly listSessions: {
    readonly route: "GET /v1/sessions";
    readonly path: undefined;
    readonly query: {
      readonly agent?: string | undefined;
      /** The integration's own id of a customer. */
      readonly customer_id?: string | undefined;
      /** Who answers: the agent, or a person. */
      readonly mode?: "auto" | "manual" | undefined;
      /** Only sessions that have all of these, with commas between. */
      readonly labels?: readonly string[] | undefined;
      /** The `external_id` in the session's metadata. */
      readonly external_id?: string | undefined;
      /** The same as `external_id`. */
      readonly "metadata.external_id"?: string | undefined;
      readonly handover?: "waiting" | "assigned" | "resolved" | undefined;
      /** Who has taken it up, or had. */
      readonly operator?: string | undefined;
      /** Only sessions with an event at this time or later: milliseconds since 1970-01-01 UTC. */
      readonly updated_from?: number | undefined;
      /** Only sessions without an event at this time or later. */
      readonly updated_before?: number | undefined;
      /** Only sessions whose turn waits for an approval of a call, or for an answer to a question; pages may be short. */
      readonly waits?: "approval" | "answer" | undefined;
      /** Only sessions with this in their title or in what was said; pages may be short. */
      readonly q?: string | undefined;
      /** Oldest first (`asc`) if left out. */
      readonly order?: "asc" | "desc" | undefined;
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireFoundSession[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** A session. */
  readonly getSession: {
    readonly route: "GET /v1/sessions/{session_id}";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireSession;
  };
  /** Change a session's title, mode, metadata, labels and consumers. */
  readonly updateSession: {
    readonly route: "PATCH /v1/sessions/{session_id}";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireSessionPatch;
    readonly answer: WireSession;
  };
  /** Delete a session with its log. */
  readonly deleteSession: {
    readonly route: "DELETE /v1/sessions/{session_id}";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** What deleting a session would remove. */
  readonly previewSessionErasure: {
    readonly route: "GET /v1/sessions/{session_id}/erasure";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireErasurePreview;
  };
  /** A session with its owner's data as a bundle, in lines of JSON. */
  readonly exportSession: {
    readonly route: "GET /v1/sessions/{session_id}/export";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** False if left out. */
      readonly redacted?: boolean | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** Import a bundle, completely or not at all. */
  readonly importBundle: {
    readonly route: "POST /v1/sessions/import";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: WireNewImport;
    readonly answer: WireImportReport;
  };
  /** Delete all sessions of a customer, or of an agent. */
  readonly deleteSessions: {
    readonly route: "DELETE /v1/sessions";
    readonly path: undefined;
    readonly query: {
      readonly agent?: string | undefined;
      /** The integration's own id of a customer. */
      readonly customer_id?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly deleted: number;
    };
  };
  /** End the episode, so that the next message begins another. */
  readonly endEpisode: {
    readonly route: "POST /v1/sessions/{session_id}/end-episode";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireSession;
  };
  /** End the episode, and wait for what of it is remembered. */
  readonly closeEpisode: {
    readonly route: "POST /v1/sessions/{session_id}/close-episode";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireEndedEpisode;
  };
  /** Say who the customer of an anonymous session is. */
  readonly identifySession: {
    readonly route: "POST /v1/sessions/{session_id}/identify";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireIdentification;
    readonly answer: WireSession;
  };
  /** Go on from an offset of a session in another one. */
  readonly forkSession: {
    readonly route: "POST /v1/sessions/{session_id}/fork";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireNewFork;
    readonly answer: WireSession;
  };
  /** What all sessions of a customer have spent. */
  readonly getCustomerUsage: {
    readonly route: "GET /v1/customers/{customer_id}/usage";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireUsage;
  };
  /** What a session has spent. */
  readonly getSessionUsage: {
    readonly route: "GET /v1/sessions/{session_id}/usage";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireUsage;
  };
  /** Erase a customer with all sessions. */
  readonly eraseCustomer: {
    readonly route: "DELETE /v1/customers/{customer_id}";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireJob;
  };
  /** What erasing a customer would remove. */
  readonly previewCustomerErasure: {
    readonly route: "GET /v1/customers/{customer_id}/erasure";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireErasurePreview;
  };
  /** Export a customer with all sessions. */
  readonly exportCustomer: {
    readonly route: "POST /v1/customers/{customer_id}/exports";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireJob;
  };
  /** How far a job is. */
  readonly getJob: {
    readonly route: "GET /v1/jobs/{job_id}";
    readonly path: { readonly job_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireJob;
  };
  /** The result of an export, as lines of JSON. */
  readonly getJobResult: {
    readonly route: "GET /v1/jobs/{job_id}/result";
    readonly path: { readonly job_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** Post a message, a custom event or a status. */
  readonly postEvent: {
    readonly route: "POST /v1/sessions/{session_id}/events";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireNewEvent;
    readonly answer: WireEvent;
  };
  /** An event, by its offset or its id. */
  readonly getEvent: {
    readonly route: "GET /v1/sessions/{session_id}/events/{event}";
    readonly path: { readonly session_id: string; readonly event: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireEvent;
  };
  /** Take back everything from an offset on. */
  readonly withdrawEvents: {
    readonly route: "DELETE /v1/sessions/{session_id}/events";
    readonly path: { readonly session_id: string };
    readonly query: {
      readonly min_offset: number;
    };
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** The state now, or as it was at an offset. */
  readonly getState: {
    readonly route: "GET /v1/sessions/{session_id}/state";
    readonly path: { readonly session_id: string };
    readonly query: {
      readonly at?: number | undefined;
      /** `public` if left out; `internal` needs no loaded agent; */
      readonly view?: "public" | "output" | "internal" | undefined;
    };
    readonly body: undefined;
    readonly answer: WireState;
  };
  /** Who wrote each field of the state last, now or at an offset. */
  readonly listStateWriters: {
    readonly route: "GET /v1/sessions/{session_id}/state/writers";
    readonly path: { readonly session_id: string };
    readonly query: {
      readonly at?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: WireStateWriters;
  };
  /** What an edit of the state would do: its patch, and what it would be refused for; nothing is changed. */
  readonly previewState: {
    readonly route: "POST /v1/sessions/{session_id}/state/preview";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireNewStatePreview;
    readonly answer: WireStatePreview;
  };
  /** Change the state by hand, through the agent's reducers. */
  readonly editState: {
    readonly route: "PATCH /v1/sessions/{session_id}/state";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireStateEdit;
    readonly answer: {
      readonly offset: number;
    };
  };
  /** The turns of a session. */
  readonly listTurns: {
    readonly route: "GET /v1/sessions/{session_id}/turns";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
      readonly status?: "queued" | "running" | "ended" | undefined;
      readonly order?: "asc" | "desc" | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireTurn[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** A turn. */
  readonly getTurn: {
    readonly route: "GET /v1/sessions/{session_id}/turns/{turn_id}";
    readonly path: { readonly session_id: string; readonly turn_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireTurn;
  };
  /** What a turn recalled of the person, and why: numbers, and each piece with what became of it. */
  readonly getTurnMemory: {
    readonly route: "GET /v1/sessions/{session_id}/turns/{turn_id}/memory";
    readonly path: { readonly session_id: string; readonly turn_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireTurnMemory;
  };
  /** What a model was asked, as it was sent, if the agent keeps requests. */
  readonly getPrompt: {
    readonly route: "GET /v1/sessions/{session_id}/prompt";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** The last one that has a request if left out. */
      readonly turn?: string | undefined;
      /** A step of that turn, from 1; its last one if left out. */
      readonly step?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: WirePrompt;
  };
  /** Let the agent speak: it answers what waits, and sees what people and systems posted. */
  readonly startTurn: {
    readonly route: "POST /v1/sessions/{session_id}/turns";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: {
      readonly cause?: "resume" | "greeting" | undefined;
    };
    readonly answer: WireStartedTurn;
  };
  /** Stop a turn that has not ended. */
  readonly stopTurn: {
    readonly route: "POST /v1/sessions/{session_id}/turns/{turn_id}/stop";
    readonly path: { readonly session_id: string; readonly turn_id: string };
    readonly query: undefined;
    readonly body: {
      readonly message?: string | undefined;
    };
    readonly answer: WireTurn;
  };
  /** Answer again what the last turn failed, or was stopped, to answer. */
  readonly retryTurn: {
    readonly route: "POST /v1/sessions/{session_id}/turns/{turn_id}/retry";
    readonly path: { readonly session_id: string; readonly turn_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireStartedTurn;
  };
  /** Calls with effects outside, after an offset: what a fork from there does not undo. */
  readonly listEffects: {
    readonly route: "GET /v1/sessions/{session_id}/effects";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** The offset to fork at; all calls if left out. */
      readonly after?: number | undefined;
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: WireCallEffects;
  };
  /** The calls that wait for somebody's word. */
  readonly listPending: {
    readonly route: "GET /v1/sessions/{session_id}/pending";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WirePendingCall[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** Approve, edit, answer or reject a call that waits. */
  readonly decideCall: {
    readonly route: "POST /v1/sessions/{session_id}/turns/{turn_id}/decisions";
    readonly path: { readonly session_id: string; readonly turn_id: string };
    readonly query: undefined;
    readonly body: WireDecision;
    readonly answer: {
      readonly offset: number;
      readonly turn_id: string;
    };
  };
  /** Events from an offset on: a page, a long poll, or a stream. */
  readonly listEvents: {
    readonly route: "GET /v1/sessions/{session_id}/events";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** The first offset: the last one that was seen, plus one. The beginning of the log if left out. */
      readonly min_offset?: number | undefined;
      /** Kinds, with commas between; all but `turn` if left out. */
      readonly kinds?: readonly ("message" | "tool" | "status" | "custom" | "state" | "turn" | "session" | "assessment")[] | undefined;
      /** Who it comes from. With `kinds=message`, `ai_agent` gives the replies alone: no text on the way to one, no message that only calls tools. */
      readonly source?: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system" | undefined;
      readonly trace_id?: string | undefined;
      /** Of a page: 100 if left out. */
      readonly limit?: number | undefined;
      /** Also what was taken back; false if left out. */
      readonly withdrawn?: boolean | undefined;
      /** Of a long poll: seconds to wait at most. The service has a limit of its own, 60 unless it says otherwise. */
      readonly wait?: number | undefined;
      /** In place of `Accept`. */
      readonly format?: "json" | "sse" | undefined;
      /** Whether a stream has drafts of replies; true if left out. */
      readonly drafts?: boolean | undefined;
      /** A stream ends with a frame `bye` when no event has come for so many seconds; never if left out. */
      readonly idle?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: WireEventPage | undefined;
  };
  /** Events on one line each, for lists: from an offset on, or the newest first. */
  readonly listEventSummaries: {
    readonly route: "GET /v1/sessions/{session_id}/summaries";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** The first offset; the beginning of the log if left out. */
      readonly min_offset?: number | undefined;
      /** The last offset; the head if left out. */
      readonly max_offset?: number | undefined;
      /** Kinds, with commas between; all but `turn` if left out. */
      readonly kinds?: readonly ("message" | "tool" | "status" | "custom" | "state" | "turn" | "session" | "assessment")[] | undefined;
      readonly source?: "customer" | "customer_ui" | "human_agent" | "human_agent_on_behalf_of_ai_agent" | "ai_agent" | "system" | undefined;
      /** Also what was taken back; false if left out. */
      readonly withdrawn?: boolean | undefined;
      /** Oldest first (`asc`) if left out. */
      readonly order?: "asc" | "desc" | undefined;
      /** 1000 if left out. A page may have fewer, or none, before the end. */
      readonly limit?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: WireEventSummaries;
  };
  /** The events of several sessions, or of all, in one stream. */
  readonly streamEvents: {
    readonly route: "GET /v1/stream";
    readonly path: undefined;
    readonly query: {
      /** Ids of 1 to 100 sessions, with commas between; all sessions if left out. */
      readonly sessions?: string | undefined;
      /** Of all sessions: the cursor, the `id` of the last frame; the beginning if left out. */
      readonly after?: string | undefined;
      /** First offsets, as `ses_a:12,ses_b:4`; the beginning of the log for those left out. */
      readonly offsets?: string | undefined;
      /** Kinds, with commas between; all but `turn` if left out. */
      readonly kinds?: readonly ("message" | "tool" | "status" | "custom" | "state" | "turn" | "session" | "assessment")[] | undefined;
      /** Whether a stream has drafts of replies; true if left out. */
      readonly drafts?: boolean | undefined;
      /** A stream ends with a frame `bye` when no event has come for so many seconds; never if left out. */
      readonly idle?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** Post a customer's message, and stream the turn that answers it. */
  readonly streamMessage: {
    readonly route: "POST /v1/sessions/{session_id}/stream";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireStreamedMessage;
    readonly answer: undefined;
  };
  /** Stream the turn that answers a message, or go on with it. */
  readonly followMessage: {
    readonly route: "GET /v1/sessions/{session_id}/events/{offset}/stream";
    readonly path: { readonly session_id: string; readonly offset: string };
    readonly query: {
      /** Offset of the last part that the reader has; the beginning of the turn if left out. */
      readonly after?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** Stream a turn, or go on with it. */
  readonly followTurn: {
    readonly route: "GET /v1/sessions/{session_id}/turns/{turn_id}/stream";
    readonly path: { readonly session_id: string; readonly turn_id: string };
    readonly query: {
      /** Offset of the last part that the reader has; the beginning of the turn if left out. */
      readonly after?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** Hand a session to people: the agent falls silent at once. */
  readonly handOver: {
    readonly route: "POST /v1/sessions/{session_id}/handover";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireHandOver;
    readonly answer: WireStanding;
  };
  /** Take a session up, or give it to somebody. */
  readonly assignSession: {
    readonly route: "POST /v1/sessions/{session_id}/handover/assign";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireAssignment;
    readonly answer: WireStanding;
  };
  /** Put a session back into the queue. */
  readonly unassignSession: {
    readonly route: "POST /v1/sessions/{session_id}/handover/unassign";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireStanding;
  };
  /** Hand a session back to the agent. */
  readonly handBack: {
    readonly route: "POST /v1/sessions/{session_id}/handover/back";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: WireHandBack;
    readonly answer: WireStanding;
  };
  /** A queue of sessions that are, or were, with people: alerts in front, then who waits longest. */
  readonly listHandovers: {
    readonly route: "GET /v1/handovers";
    readonly path: undefined;
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
      /** `mine` needs an operator. */
      readonly queue: "waiting" | "mine" | "assigned" | "resolved";
      readonly operator?: string | undefined;
      /** Only sessions of this customer. */
      readonly customer_id?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireQueuedSession[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** Start a run of an autonomous routine. */
  readonly startRun: {
    readonly route: "POST /v1/runs";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: WireNewRun;
    readonly answer: WireRun;
  };
  /** List runs whose results are kept. */
  readonly listRuns: {
    readonly route: "GET /v1/runs";
    readonly path: undefined;
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
      readonly routine?: string | undefined;
      readonly status?: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | undefined;
      /** `ses_` and 26 characters. */
      readonly session_id?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireRun[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** A run, with its output once it is completed. */
  readonly getRun: {
    readonly route: "GET /v1/runs/{run_id}";
    readonly path: { readonly run_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireRun;
  };
  /** A run that is over. */
  readonly getRunResult: {
    readonly route: "GET /v1/runs/{run_id}/result";
    readonly path: { readonly run_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireRun;
  };
  /** End a run that is not over. */
  readonly cancelRun: {
    readonly route: "POST /v1/runs/{run_id}/cancel";
    readonly path: { readonly run_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireRun;
  };
  /** Post the end of a run that is over, again or for the first time. */
  readonly resendRun: {
    readonly route: "POST /v1/runs/{run_id}/resend";
    readonly path: { readonly run_id: string };
    readonly query: undefined;
    readonly body: {
      /** The address, because one that was given up is not kept. Its host must be one that the routine allows. */
      readonly callback_url: string;
    };
    readonly answer: WireRun;
  };
  /** Assessments one by one, newest days first. */
  readonly listAssessments: {
    readonly route: "GET /v1/safety/assessments";
    readonly path: undefined;
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
      readonly level?: number | undefined;
      /** A day in UTC, such as `2026-11-21`. */
      readonly day?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireAssessment[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** The highest level of the assessments of each of some sessions. */
  readonly listSessionSafety: {
    readonly route: "GET /v1/safety/sessions";
    readonly path: undefined;
    readonly query: {
      /** Ids of 1 to 100 sessions, with commas between. */
      readonly sessions: readonly string[];
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireSessionSafety[];
    };
  };
  /** What some days of assessments come to. */
  readonly getSafetyReport: {
    readonly route: "GET /v1/safety/report";
    readonly path: undefined;
    readonly query: {
      /** A day in UTC, such as `2026-11-21`. */
      readonly from?: string | undefined;
      /** A day in UTC, such as `2026-11-21`. */
      readonly to?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: WireSafetyReport;
  };
  /** Say how a session was, for its operator: of nobody, for 180 days. */
  readonly giveFeedback: {
    readonly route: "POST /v1/sessions/{session_id}/feedback";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: {
      readonly label: "positive" | "negative" | "skip";
      /** `api_end` if left out. */
      readonly source?: "cli_end" | "cli_exit" | "api_end" | undefined;
    };
    readonly answer: WireFeedback;
  };
  /** Put on record what a person agrees to, or no longer does. */
  readonly giveConsent: {
    readonly route: "POST /v1/sessions/{session_id}/consent";
    readonly path: { readonly session_id: string };
    readonly query: undefined;
    readonly body: {
      /** Whether they agree from now on. */
      readonly given: boolean;
      /** Names the text that they were shown. */
      readonly text_version: string;
      /** What it is for; `service` if left out. */
      readonly purpose?: string | undefined;
    };
    readonly answer: {
      readonly offset: number;
    };
  };
  /** All targets and addresses of webhooks, with their state. */
  readonly listWebhooks: {
    readonly route: "GET /v1/webhooks";
    readonly path: undefined;
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireWebhook[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** Stop the deliveries to an endpoint. */
  readonly pauseWebhook: {
    readonly route: "POST /v1/webhooks/{endpoint}/pause";
    readonly path: { readonly endpoint: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireWebhook;
  };
  /** Continue the deliveries to an endpoint, in order. */
  readonly resumeWebhook: {
    readonly route: "POST /v1/webhooks/{endpoint}/resume";
    readonly path: { readonly endpoint: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireWebhook;
  };
  /** Make a new secret for a target whose secret the database holds. */
  readonly rotateWebhookSecret: {
    readonly route: "POST /v1/webhooks/{name}/rotate";
    readonly path: { readonly name: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
      readonly secret: string;
    };
  };
  /** Events that could not be delivered, by target and session. */
  readonly listDeadLetters: {
    readonly route: "GET /v1/webhooks/dead-letters";
    readonly path: undefined;
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Only those of this target. */
      readonly target?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireDeadLetter[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** Deliver a dead letter once more, now, under its first id. */
  readonly resendDeadLetter: {
    readonly route: "POST /v1/webhooks/dead-letters/resend";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: {
      /** The `id` of the dead letter. */
      readonly id: string;
    };
    readonly answer: WireDeadLetter;
  };
  /** How far each target is in a session. */
  readonly listSessionWebhooks: {
    readonly route: "GET /v1/sessions/{session_id}/webhooks";
    readonly path: { readonly session_id: string };
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireWebhookPosition[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** Create a token for a customer's browser. */
  readonly createToken: {
    readonly route: "POST /v1/tokens";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: WireNewToken;
    readonly answer: WireIssuedCustomerToken;
  };
  /** Revoke all tokens of a customer. */
  readonly revokeTokens: {
    readonly route: "DELETE /v1/customers/{customer_id}/tokens";
    readonly path: { readonly customer_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: undefined;
  };
  /** Create a token for the address of an event stream. */
  readonly createStreamToken: {
    readonly route: "POST /v1/stream-tokens";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: WireNewStreamToken;
    readonly answer: WireIssuedToken;
  };
  /** Create an API key. */
  readonly createKey: {
    readonly route: "POST /v1/keys";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: WireNewApiKey;
    readonly answer: WireIssuedApiKey;
  };
  /** List API keys without their secrets, oldest first, with those that were revoked. */
  readonly listKeys: {
    readonly route: "GET /v1/keys";
    readonly path: undefined;
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireApiKey[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** Revoke an API key. */
  readonly revokeKey: {
    readonly route: "DELETE /v1/keys/{key_id}";
    readonly path: { readonly key_id: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireApiKey;
  };
  /** List who looked at, or did, what matters, newest first. */
  readonly listAudit: {
    readonly route: "GET /v1/audit";
    readonly path: undefined;
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireAuditEntry[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** The state of the service: its schema, agents, open turns and limits. */
  readonly getStatus: {
    readonly route: "GET /v1/status";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireServiceStatus;
  };
  /** The open turn of each session that has one, with the worker that holds it. */
  readonly listOpenTurns: {
    readonly route: "GET /v1/open-turns";
    readonly path: undefined;
    readonly query: {
      /** 1 to 100; 100 if left out. */
      readonly limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Only those that a worker holds; false if left out. */
      readonly held?: boolean | undefined;
    };
    readonly body: undefined;
    readonly answer: {
      readonly items: readonly WireLeasedTurn[];
      /** Where to go on; null at the end. */
      readonly next_cursor: string | null;
      /** Rows that cannot be read and are left out, by what is damaged. Absent if there are none. */
      readonly damaged?: readonly string[];
      /** How many there are in all, where that is known. */
      readonly total?: number;
    };
  };
  /** Whether the process answers. */
  readonly livez: {
    readonly route: "GET /livez";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
      readonly status: "ok";
    };
  };
  /** Whether the process answers. */
  readonly health: {
    readonly route: "GET /health";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
      readonly status: "ok";
    };
  };
  /** Whether requests should be sent here. */
  readonly readyz: {
    readonly route: "GET /readyz";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
      readonly status: "ready";
    };
  };
  /** The version of the service. */
  readonly version: {
    readonly route: "GET /version";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
      readonly name: "throughline";
      readonly version: string;
    };
  };
  /** This description. */
  readonly openapi: {
    readonly route: "GET /openapi.json";
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WireJsonObject;
  };
  /** What an error code means. */
  readonly errors: {
    readonly route: "GET /errors/{code}";
    readonly path: { readonly code: string };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
      readonly code: string;
      readonly title: string;
      readonly hint: string;
      readonly status: number;
      /** The same request may succeed later. */
      readonly retryable: boolean;
    };
  };
}

/** The id of an operation. */
export type OperationId = keyof WireOperations;

/** Method and path of every operation. */
export const routes = {
  createCustomer: "POST /v1/customers",
  listCustomers: "GET /v1/customers",
  getCustomer: "GET /v1/customers/{customer_id}",
  updateCustomer: "PATCH /v1/customers/{customer_id}",
  listCustomerVariables: "GET /v1/customers/{customer_id}/variables",
  updateCustomerVariables: "PATCH /v1/customers/{customer_id}/variables",
  getCustomerVariable: "GET /v1/customers/{customer_id}/variables/{name}",
  setCustomerVariable: "PUT /v1/customers/{customer_id}/variables/{name}",
  deleteCustomerVariable: "DELETE /v1/customers/{customer_id}/variables/{name}",
  listSessionVariables: "GET /v1/sessions/{session_id}/variables",
  updateSessionVariables: "PATCH /v1/sessions/{session_id}/variables",
  getSessionVariable: "GET /v1/sessions/{session_id}/variables/{name}",
  setSessionVariable: "PUT /v1/sessions/{session_id}/variables/{name}",
  deleteSessionVariable: "DELETE /v1/sessions/{session_id}/variables/{name}",
  listAgentVariables: "GET /v1/agents/{agent}/variables",
  updateAgentVariables: "PATCH /v1/agents/{agent}/variables",
  getAgentVariable: "GET /v1/agents/{agent}/variables/{name}",
  setAgentVariable: "PUT /v1/agents/{agent}/variables/{name}",
  deleteAgentVariable: "DELETE /v1/agents/{agent}/variables/{name}",
  getCustomerMemory: "GET /v1/customers/{customer_id}/memory",
  listCustomerMemory: "GET /v1/customers/{customer_id}/memory/entries",
  findCustomerMemory: "GET /v1/customers/{customer_id}/memory/find",
  recallCustomerMemory: "POST /v1/customers/{customer_id}/memory/recall",
  getCustomerMemoryEntry: "GET /v1/customers/{customer_id}/memory/entries/{entry_id}",
  listCustomerMemoryConflicts: "GET /v1/customers/{customer_id}/memory/conflicts",
  exportCustomerMemory: "GET /v1/customers/{customer_id}/memory/export",
  updateCustomerMemory: "PATCH /v1/customers/{customer_id}/memory",
  addCustomerMemoryRule: "POST /v1/customers/{customer_id}/memory/rules",
  addCustomerMemoryFact: "POST /v1/customers/{customer_id}/memory/facts",
  markCustomerMemoryEntry: "PATCH /v1/customers/{customer_id}/memory/entries/{entry_id}",
  correctCustomerMemoryEntry: "POST /v1/customers/{customer_id}/memory/entries/{entry_id}/correct",
  forgetCustomerMemoryEntry: "DELETE /v1/customers/{customer_id}/memory/entries/{entry_id}",
  forgetCustomerMemory: "POST /v1/customers/{customer_id}/memory/forget",
  clearCustomerMemory: "DELETE /v1/customers/{customer_id}/memory",
  getSessionMemory: "GET /v1/sessions/{session_id}/memory",
  listSessionMemory: "GET /v1/sessions/{session_id}/memory/entries",
  findSessionMemory: "GET /v1/sessions/{session_id}/memory/find",
  recallSessionMemory: "POST /v1/sessions/{session_id}/memory/recall",
  getSessionMemoryEntry: "GET /v1/sessions/{session_id}/memory/entries/{entry_id}",
  listSessionMemoryConflicts: "GET /v1/sessions/{session_id}/memory/conflicts",
  exportSessionMemory: "GET /v1/sessions/{session_id}/memory/export",
  updateSessionMemory: "PATCH /v1/sessions/{session_id}/memory",
  addSessionMemoryRule: "POST /v1/sessions/{session_id}/memory/rules",
  addSessionMemoryFact: "POST /v1/sessions/{session_id}/memory/facts",
  markSessionMemoryEntry: "PATCH /v1/sessions/{session_id}/memory/entries/{entry_id}",
  correctSessionMemoryEntry: "POST /v1/sessions/{session_id}/memory/entries/{entry_id}/correct",
  forgetSessionMemoryEntry: "DELETE /v1/sessions/{session_id}/memory/entries/{entry_id}",
  forgetSessionMemory: "POST /v1/sessions/{session_id}/memory/forget",
  clearSessionMemory: "DELETE /v1/sessions/{session_id}/memory",
  listAgents: "GET /v1/agents",
  getAgent: "GET /v1/agents/{agent}",
  createSession: "POST /v1/sessions",
  openSession: "POST /v1/sessions/open",
  listSessions: "GET /v1/sessions",
  getSession: "GET /v1/sessions/{session_id}",
  updateSession: "PATCH /v1/sessions/{session_id}",
  deleteSession: "DELETE /v1/sessions/{session_id}",
  previewSessionErasure: "GET /v1/sessions/{session_id}/erasure",
  exportSession: "GET /v1/sessions/{session_id}/export",
  importBundle: "POST /v1/sessions/import",
  deleteSessions: "DELETE /v1/sessions",
  endEpisode: "POST /v1/sessions/{session_id}/end-episode",
  closeEpisode: "POST /v1/sessions/{session_id}/close-episode",
  identifySession: "POST /v1/sessions/{session_id}/identify",
  forkSession: "POST /v1/sessions/{session_id}/fork",
  getCustomerUsage: "GET /v1/customers/{customer_id}/usage",
  getSessionUsage: "GET /v1/sessions/{session_id}/usage",
  eraseCustomer: "DELETE /v1/customers/{customer_id}",
  previewCustomerErasure: "GET /v1/customers/{customer_id}/erasure",
  exportCustomer: "POST /v1/customers/{customer_id}/exports",
  getJob: "GET /v1/jobs/{job_id}",
  getJobResult: "GET /v1/jobs/{job_id}/result",
  postEvent: "POST /v1/sessions/{session_id}/events",
  getEvent: "GET /v1/sessions/{session_id}/events/{event}",
  withdrawEvents: "DELETE /v1/sessions/{session_id}/events",
  getState: "GET /v1/sessions/{session_id}/state",
  listStateWriters: "GET /v1/sessions/{session_id}/state/writers",
  previewState: "POST /v1/sessions/{session_id}/state/preview",
  editState: "PATCH /v1/sessions/{session_id}/state",
  listTurns: "GET /v1/sessions/{session_id}/turns",
  getTurn: "GET /v1/sessions/{session_id}/turns/{turn_id}",
  getTurnMemory: "GET /v1/sessions/{session_id}/turns/{turn_id}/memory",
  getPrompt: "GET /v1/sessions/{session_id}/prompt",
  startTurn: "POST /v1/sessions/{session_id}/turns",
  stopTurn: "POST /v1/sessions/{session_id}/turns/{turn_id}/stop",
  retryTurn: "POST /v1/sessions/{session_id}/turns/{turn_id}/retry",
  listEffects: "GET /v1/sessions/{session_id}/effects",
  listPending: "GET /v1/sessions/{session_id}/pending",
  decideCall: "POST /v1/sessions/{session_id}/turns/{turn_id}/decisions",
  listEvents: "GET /v1/sessions/{session_id}/events",
  listEventSummaries: "GET /v1/sessions/{session_id}/summaries",
  streamEvents: "GET /v1/stream",
  streamMessage: "POST /v1/sessions/{session_id}/stream",
  followMessage: "GET /v1/sessions/{session_id}/events/{offset}/stream",
  followTurn: "GET /v1/sessions/{session_id}/turns/{turn_id}/stream",
  handOver: "POST /v1/sessions/{session_id}/handover",
  assignSession: "POST /v1/sessions/{session_id}/handover/assign",
  unassignSession: "POST /v1/sessions/{session_id}/handover/unassign",
  handBack: "POST /v1/sessions/{session_id}/handover/back",
  listHandovers: "GET /v1/handovers",
  startRun: "POST /v1/runs",
  listRuns: "GET /v1/runs",
  getRun: "GET /v1/runs/{run_id}",
  getRunResult: "GET /v1/runs/{run_id}/result",
  cancelRun: "POST /v1/runs/{run_id}/cancel",
  resendRun: "POST /v1/runs/{run_id}/resend",
  listAssessments: "GET /v1/safety/assessments",
  listSessionSafety: "GET /v1/safety/sessions",
  getSafetyReport: "GET /v1/safety/report",
  giveFeedback: "POST /v1/sessions/{session_id}/feedback",
  giveConsent: "POST /v1/sessions/{session_id}/consent",
  listWebhooks: "GET /v1/webhooks",
  pauseWebhook: "POST /v1/webhooks/{endpoint}/pause",
  resumeWebhook: "POST /v1/webhooks/{endpoint}/resume",
  rotateWebhookSecret: "POST /v1/webhooks/{name}/rotate",
  listDeadLetters: "GET /v1/webhooks/dead-letters",
  resendDeadLetter: "POST /v1/webhooks/dead-letters/resend",
  listSessionWebhooks: "GET /v1/sessions/{session_id}/webhooks",
  createToken: "POST /v1/tokens",
  revokeTokens: "DELETE /v1/customers/{customer_id}/tokens",
  createStreamToken: "POST /v1/stream-tokens",
  createKey: "POST /v1/keys",
  listKeys: "GET /v1/keys",
  revokeKey: "DELETE /v1/keys/{key_id}",
  listAudit: "GET /v1/audit",
  getStatus: "GET /v1/status",
  listOpenTurns: "GET /v1/open-turns",
  livez: "GET /livez",
  health: "GET /health",
  readyz: "GET /readyz",
  version: "GET /version",
  openapi: "GET /openapi.json",
  errors: "GET /errors/{code}",
} as const;
