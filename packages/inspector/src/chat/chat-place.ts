/** Which conversation the chat shows: its address names it, so that a reload and a link lead to the same one. */
import { signal } from "@preact/signals";
import type { ClientSession } from "@throughline/client";
import { client } from "../base/page-service.ts";

/** A conversation that the address asks for. */
export interface ChatPlace {
  readonly agent: string | undefined;
  readonly customer: string | undefined;
  /** Takes precedence over the agent and the customer. */
  readonly session: string | undefined;
}

/** A conversation that is open. */
export interface OpenChat {
  /** Names of all agents. */
  readonly agents: readonly string[];
  readonly session: ClientSession;
  readonly agent: string;
  readonly customer: string;
}

/** The customer of an address that names none. */
const firstCustomer = "ada";
/** Names the one conversation of a customer with an agent that this page opens again. */
const sessionKey = "chat-page";

function read(): ChatPlace {
  const query = new URLSearchParams(location.search);
  const given = (name: string): string | undefined => query.get(name)?.trim() || undefined;
  return { agent: given("agent"), customer: given("customer"), session: given("session") };
}

/** The present place. */
export const chatPlace = signal<ChatPlace>(read());

/** Shows another conversation. */
export function goToChat(next: Partial<ChatPlace>): void {
  const given = Object.entries(next).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  history.pushState(null, "", `${location.pathname}?${new URLSearchParams(given).toString()}`);
  chatPlace.value = read();
}

/** Follows back and forward. */
export const startPlace = (): void => addEventListener("popstate", () => (chatPlace.value = read()));

/** Opens the conversation of a place: by default the one of the first customer with the first agent. */
export async function openChat({ agent, customer, session: session_id }: ChatPlace, signal: AbortSignal): Promise<OpenChat> {
  const agents = (await client().agents.list({ signal })).map(({ name }) => name);
  if (session_id !== undefined) {
    const session = client().sessions.get(session_id);
    const info = await session.info({ signal });
    return { agents, session, agent: info.agent, customer: info.customer_id ?? "" };
  }
  const names = { agent: agent ?? agents[0] ?? "", customer: customer ?? firstCustomer };
  const session = await client().sessions.open({ agent: names.agent, customer_id: names.customer, key: sessionKey }, { signal });
  return { agents, session, ...names };
}

/** Begins a new conversation of the same customer with the same agent. */
export async function beginChat({ agent, customer }: OpenChat): Promise<void> {
  const session = await client().sessions.create({ agent, ...(customer === "" ? {} : { customer_id: customer }) });
  goToChat({ session: session.id });
}
