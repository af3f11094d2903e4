/** An MCP server as its tools have it: connected when it is needed, and connected anew after it was lost. */
import type { Client } from "@modelcontextprotocol/client";
import { abortable } from "../../kernel/abort.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { failureOf } from "./failure.ts";
import type { McpLibrary } from "./library.ts";
import { type Link, openLink } from "./link.ts";
import { labelOf, type McpSettings, type targetOf } from "./options.ts";
import type { McpAnswer } from "./result.ts";

/** A tool as a server describes it. */
export type ListedTool = Awaited<ReturnType<Client["listTools"]>>["tools"][number];

/** A call of a tool. */
export interface McpCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
  readonly ms: number;
}

/** A server that has let a call run out of time is asked whether it is still there, and given so long; or less, if connecting may take less. */
const longestPingMs = 5_000;

export class Connection {
  readonly label: string;
  readonly #library: McpLibrary;
  readonly #target: ReturnType<typeof targetOf>;
  readonly #settings: McpSettings;
  readonly #over = new AbortController();
  /** The number of running calls of a connection; and connections without new calls. */
  readonly #uses = new WeakMap<Link, number>();
  readonly #left = new Set<Link>();
  /** Connections that are on their way out. */
  readonly #ending = new Set<Promise<void>>();
  #link: Promise<Link> | undefined;
  /** What `#link` came to. */
  #open: Link | undefined;
  #silent = false;

  constructor(library: McpLibrary, target: ReturnType<typeof targetOf>, settings: McpSettings) {
    this.#library = library;
    this.#target = target;
    this.#settings = settings;
    this.label = labelOf(target, settings.name);
  }

  /** The server's tools, all pages of them. */
  async list(): Promise<readonly ListedTool[]> {
    const { client } = await this.#ready();
    const ms = this.#settings.connectMs;
    try {
      return (await client.listTools(undefined, { timeout: ms })).tools;
    } catch (error) {
      throw failureOf(error, { label: this.label, ms }).error;
    }
  }

  /** Calls a tool. Throws `tool.unavailable` if the call was not made, `tool.lost` if it may have been made, `timeout`, and what `failureOf` says. */
  async call({ name, arguments: args, signal, ms }: McpCall): Promise<McpAnswer> {
    for (let again = false; ; again = true) {
      signal.throwIfAborted();
      const link = await abortable(this.#ready(), signal);
      this.#use(link, 1);
      try {
        return await link.client.callTool({ name, arguments: { ...args } }, { signal, timeout: ms });
      } catch (error) {
        const { error: failure, broken, forgotten } = failureOf(error, { label: this.label, tool: name, ms });
        this.#silent ||= signal.aborted || failure.code === "timeout";
        signal.throwIfAborted();
        if (broken) this.#drop(link);
        // It has not looked at the call, so it can be made on a new connection, whatever the call does.
        if (!forgotten || again) throw failure;
      } finally {
        this.#use(link, -1);
      }
    }
  }

  /** Ends the connection, and waits until it has ended. Calls that are under way fail. Harmless when it was closed before. */
  async close(): Promise<void> {
    this.#over.abort(this.#closed());
    const link = this.#link;
    this.#link = undefined;
    if (link !== undefined) this.#end(link);
    for (const left of this.#left) this.#end(Promise.resolve(left));
    await Promise.all(this.#ending);
  }

  #closed(): ThroughlineError {
    return new ThroughlineError("tool.unavailable", `The connection to ${this.label} was closed.`, { hint: "Connect it again." });
  }

  async #ready(): Promise<Link> {
    if (this.#over.signal.aborted) throw this.#closed();
    if (this.#silent && this.#link !== undefined) await this.#look(this.#link);
    const link = (this.#link ??= this.#reopen());
    return link;
  }

  /** A server that hangs is given up: the next connection is a new process, or a new session. */
  async #look(link: Promise<Link>): Promise<void> {
    this.#silent = false;
    const ms = Math.min(longestPingMs, this.#settings.connectMs);
    try {
      await (await link).client.ping({ timeout: ms });
    } catch (error) {
      const alive = failureOf(error, { label: this.label, ms }).error.code === "tool.failed";
      if (!alive && this.#link === link) {
        this.#link = undefined;
        this.#end(link, { hangs: true });
      }
    }
  }

  #reopen(): Promise<Link> {
    const onEnd = (): void => {
      if (this.#link === opened) this.#link = undefined;
    };
    const opened = this.#connect(onEnd);
    // The next call connects again.
    opened.catch(onEnd);
    return opened;
  }

  async #connect(onEnd: () => void): Promise<Link> {
    const { connectMs: ms } = this.#settings;
    let link: Link | undefined;
    try {
      const opening = { library: this.#library, target: this.#target, settings: this.#settings, signal: this.#over.signal, onEnd };
      link = await openLink(opening);
      // The client checks structured results against what the list says.
      await link.client.listTools(undefined, { timeout: ms });
      this.#open = link;
      return link;
    } catch (error) {
      if (link !== undefined) this.#end(Promise.resolve(link));
      if (this.#over.signal.aborted) throw this.#closed();
      throw this.#unreachable(error);
    }
  }

  /** Whatever went wrong while connecting, the call was not made. */
  #unreachable(error: unknown): ThroughlineError {
    const { connectMs: ms } = this.#settings;
    const { message, details } = failureOf(error, { label: this.label, ms }).error;
    return new ThroughlineError("tool.unavailable", `Cannot connect ${this.label}. ${message}`, { details, cause: error });
  }

  /** Leaves a connection to the calls that are still under way on it. */
  #drop(link: Link): void {
    this.#left.add(link);
    if (this.#open !== link) return;
    this.#open = undefined;
    this.#link = undefined;
  }

  #use(link: Link, change: 1 | -1): void {
    const uses = (this.#uses.get(link) ?? 0) + change;
    this.#uses.set(link, uses);
    if (uses === 0 && this.#left.delete(link)) this.#end(Promise.resolve(link));
  }

  #end(link: Promise<Link>, options?: { readonly hangs: boolean }): void {
    const ending = link.then(
      (opened) => opened.end(options),
      () => {},
    );
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }
}
