/** What an API key may be allowed. `admin` is all of them. */
export const scopes = [
  "sessions:read",
  "sessions:write",
  "customers:read",
  "customers:write",
  "metadata:read",
  "metadata:write",
  "state:read",
  "state:write",
  "memory:read",
  "memory:write",
  "prompts:read",
  "handover",
  "usage:read",
  "safety:read",
  "tokens",
  "export",
  "erase",
  "audit:read",
  "admin",
] as const;

/** What an API key may be allowed. */
export type Scope = (typeof scopes)[number];
