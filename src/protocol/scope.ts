/** What an API key may be allowed, and what each scope allows. The documents and the OpenAPI description say it in these words. */
export const scopeMeanings = {
  "sessions:read": "read sessions, their events, turns and public state, variables of sessions and of agents, and agents",
  "sessions:write": "create and change sessions, post events, ask for turns, stop, decide and withdraw them, set variables of a session",
  "customers:read": "read customers, their variables and their jobs",
  "customers:write": "create and change customers and their variables",
  "metadata:read": "see metadata in every answer",
  "metadata:write": "give and change metadata, wherever a body has it",
  "state:read": "read state that is not public, also in events",
  "state:write": "change the state by hand, also when a session is handed back",
  "memory:read": "read what is remembered, and what a closed episode has left",
  "memory:write": "change what is remembered, and forget it",
  "prompts:read": "read prompts as a model got them, which hold everything that it saw",
  handover: "hand sessions to people, between people and back to the agent, change the mode, and list the queues",
  "usage:read": "read usage and cost",
  "safety:read": "read assessments and the safety report",
  tokens: "make tokens for customers, and revoke them",
  export: "export all data of a customer",
  erase: "delete sessions, erase customers, and remove the text of forgotten messages",
  "audit:read": "read the audit log",
  admin: "everything, and variables of agents",
} as const;

/** The scopes of API keys. */
export type Scope = keyof typeof scopeMeanings;

/** The scopes of API keys. `admin` is all of them. */
// The keys of an object literal are exactly these.
export const scopes = Object.keys(scopeMeanings) as readonly Scope[];
