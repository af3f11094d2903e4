/** `doctor`: checks the database, its memory, and the configuration of the service. */
import { connect } from "node:net";
import { fileOf } from "../../config/config-places.ts";
import type { Settings } from "../../config/config-settings.ts";
import {
  entriesOf,
  itemsOf,
  isLoopback,
  isSupportedNode,
  isUnreadable,
  readEntry,
  importMark,
  decodeState,
  supportedNodes,
} from "throughline/internal";
import { type Clock, ThroughlineError, type OwnerId, applyPatch, jsonEqual } from "throughline/kernel";
import type { Agent, Store } from "throughline";
import { isActive, listKeys } from "../../server/auth/api-keys.ts";
import { foldState } from "throughline/session";
import type { EntryRow, SessionRow } from "throughline/store";
import type { ServiceContext, Run } from "../command-context.ts";
import { loadAgent } from "../load-agent.ts";
import { fileExists, openLocation, shown, withDatabase, withoutSecret } from "../database-location.ts";
import { loadAt, readEvents } from "../read-session.ts";
import { printable } from "../terminal-text.ts";

/** One line of the report. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Maximum number of checked sessions and of checkpoints per session, newest first. */
const most = { sessions: 200, checkpoints: 5 } as const;

/**
 * `doctor`: checks Node, the configuration, the database with its contents, and the service. Sets exit code 1 if a check fails. It changes nothing,
 * except that opening the database migrates its schema.
 */
export async function doctor(run: Run, options: { readonly agent?: string }): Promise<void> {
  const { output } = run.plain();
  const checks: Check[] = [];
  let location = "";
  let db: string | undefined;
  const note: Note = (name, ok, detail) => {
    const check = { name, ok, detail: printable(withDatabase(withoutSecret(detail, location), db === undefined ? {} : { db })) };
    checks.push(check);
    if (!output.json)
      output.out.line(`${ok ? output.out.paint("green", "ok  ") : output.out.paint("red", "fail")}  ${name.padEnd(11)}  ${check.detail}`);
  };
  const { node } = process.versions;
  note("node", isSupportedNode(node), `${node}, supported are ${supportedNodes}`);
  const context = await configCheck(run, note);
  if (context !== undefined) {
    ({ location, db } = context);
    await checkAll(context, options.agent, note);
  }
  const ok = checks.every((check) => check.ok);
  if (output.json) output.document({ ok, checks });
  else output.err.line(ok ? "All checks passed." : "Checks failed: see the lines that start with `fail`.");
  if (!ok) run.code = 1;
}

async function checkAll(context: ServiceContext, module: string | undefined, note: Note): Promise<void> {
  const { settings, location, located } = context;
  const modules = module === undefined ? settings.agents : [module];
  const agents = await Promise.all((modules.length === 0 ? [undefined] : modules).map((one) => agentCheck(one, note)));
  if (fileExists(location) === false)
    note("database", !located, `there is none at ${shown(location)}${located ? "" : " yet; `throughline chat` creates it"}`);
  else
    await checkDatabase(
      context,
      agents.filter((agent) => agent !== undefined),
      note,
    );
  await portCheck(settings, note);
}

/** Loads the agent, which is only needed to decode its own sessions. A missing companion is not a failure. */
async function agentCheck(module: string | undefined, note: Note): Promise<Agent | undefined> {
  try {
    const agent = await loadAgent(module);
    note("agent", true, `${agent.name}, definition ${agent.version}, answered by ${agent.reply.name}`);
    return agent;
  } catch (error) {
    note("agent", module === undefined && ThroughlineError.is(error, "agent.not_found"), describeFailure(error));
    return undefined;
  }
}

async function checkDatabase({ location, keyFile, settings, clock }: ServiceContext, agents: readonly Agent[], note: Note): Promise<void> {
  let store: Store;
  try {
    store = await openLocation({ location, keyFile }, { create: false });
  } catch (error) {
    return note("database", false, describeFailure(error));
  }
  try {
    note("database", true, `${shown(location)} opens`);
    const { to } = await store.migrate();
    note("schema", true, `version ${to}`);
    await checkSessions(store, agents, note);
    await memoryCheck(store, note);
    await keysCheck(store, settings, clock, note);
  } catch (error) {
    note("reading", false, describeFailure(error));
  } finally {
    await store.close();
  }
}

interface Tally {
  checkpoints: number;
  decoded: number;
  open: number;
  /** Sessions of unfinished imports. */
  importing: number;
  /** Open turns that need a newer definition than the loaded agent has. */
  tooNew: number;
  readonly faults: string[];
}

async function checkSessions(store: Store, agents: readonly Agent[], note: Note): Promise<void> {
  const tally: Tally = { checkpoints: 0, decoded: 0, open: 0, importing: 0, tooNew: 0, faults: [] };
  const { total } = await store.list({ of: "sessions", limit: 1 });
  let sessions = 0;
  for await (const row of itemsOf(store, { of: "sessions", order: "desc" }, (place) => tally.faults.push(`${place} is damaged`))) {
    await checkSession(
      store,
      row,
      agents.find(({ name }) => name === row.agent),
      tally,
    );
    if (++sessions === most.sessions) break;
  }
  const decoded = agents.length === 0 ? "" : `, ${tally.decoded} of them decode as agent ${agents.map(({ name }) => name).join(", ")}`;
  note(
    "state",
    tally.faults.length === 0,
    `${sessions} of ${total} sessions fold${decoded}; ${tally.checkpoints} checkpoints equal their fold${tally.faults.length === 0 ? "" : `; failed: ${tally.faults.join("; ")}`}`,
  );
  note("open turns", true, openTurns(tally));
  if (tally.importing > 0)
    note("imports", false, `${tally.importing} sessions belong to an unfinished import: import the same bundle again to finish it`);
}

function openTurns({ open, tooNew }: Tally): string {
  if (open === 0) return "none";
  if (tooNew === 0) return `${open}; the next process that runs the agent resumes them`;
  return `${open}; ${tooNew} of them wait${tooNew === 1 ? "s" : ""} for a newer definition of the agent than this one`;
}

async function checkSession(store: Store, row: SessionRow, agent: Agent | undefined, tally: Tally): Promise<void> {
  try {
    const loaded = await loadAt(store, row.session_id);
    if (row.labels.some((label) => label.startsWith(importMark))) {
      tally.importing += 1;
      return;
    }
    tally.open += loaded.turns.length;
    if (agent?.name === row.agent && agent.version < row.agent_version) tally.tooNew += loaded.turns.length;
    const { document } = foldState(loaded);
    if (agent?.name === row.agent && agent.version === row.agent_version) {
      decodeState(agent.state, document);
      tally.decoded += 1;
    }
    await checkCheckpoints(store, row, loaded.base.offset, tally);
    await readEvents(store, { session_id: row.session_id, min_offset: Math.max(row.first_offset, row.head - 99), limit: 100, withdrawn: true });
  } catch (error) {
    tally.faults.push(`${row.session_id}: ${ThroughlineError.from(error).message}`);
  }
}

/** Walks backwards from checkpoint to checkpoint. Each one must equal the fold of its predecessor up to its own offset. */
async function checkCheckpoints(store: Store, row: SessionRow, newest: number, tally: Tally): Promise<void> {
  let offset = newest;
  for (let count = 0; offset > row.first_offset && count < most.checkpoints; count++) {
    const { base } = await loadAt(store, row.session_id, { at: offset });
    const before = await loadAt(store, row.session_id, { at: offset - 1 });
    const { events } = await readEvents(store, { session_id: row.session_id, min_offset: offset, max_offset: offset, withdrawn: true });
    const event = events[0];
    const folded = event?.kind === "state" ? applyPatch(foldState(before).document, event.data.patch) : foldState(before).document;
    tally.checkpoints += 1;
    if (base.offset !== offset || !jsonEqual(base.state, folded)) tally.faults.push(`${row.session_id}: the checkpoint at ${offset} is not the fold`);
    offset = before.base.offset;
  }
}

/** Maximum number of sessions whose owners are checked, newest first, of entries in total, and of entries named in the report. */
const mostOfMemory = { sessions: 200, entries: 20_000, named: 3 } as const;

/** The memory rows of these owners. */
async function* rowsOf(store: Store, owners: Iterable<OwnerId>): AsyncGenerator<EntryRow> {
  for (const owner_id of owners) yield* entriesOf(store, { owner_id });
}

/** The owners of the newest sessions. */
async function ownersOf(store: Store): Promise<ReadonlySet<OwnerId>> {
  const owners = new Set<OwnerId>();
  let sessions = 0;
  for await (const { owner_id } of itemsOf(store, { of: "sessions", order: "desc" })) {
    owners.add(owner_id);
    if (++sessions === mostOfMemory.sessions) break;
  }
  return owners;
}

/** Checks that memory entries can be read. The runtime ignores an unreadable entry, so it does not affect others. */
async function memoryCheck(store: Store, note: Note): Promise<void> {
  const unreadable: string[] = [];
  let entries = 0;
  for await (const row of rowsOf(store, await ownersOf(store))) {
    if (entries === mostOfMemory.entries) break;
    const read = readEntry(row);
    if (read !== undefined) entries += 1;
    if (read !== undefined && isUnreadable(read)) unreadable.push(`${read.kind} ${read.entry_id}: ${read.why}`);
  }
  const faults = unreadable.length === 0 ? "" : `; ${unreadable.length} cannot be read: ${unreadable.slice(0, mostOfMemory.named).join("; ")}`;
  note("memory", unreadable.length === 0, entries === 0 ? "nothing is remembered" : `${entries} entries${faults}`);
}

/** Adds a line to the report. */
type Note = (name: string, ok: boolean, detail: string) => void;

/** Formats an error in one line. */
const describeFailure = (error: unknown): string => {
  const known = ThroughlineError.from(error);
  return `${known.message} ${known.hint} (${known.code})`;
};

/** Reads the configuration. Reports the error and returns undefined if it is invalid. */
async function configCheck(run: Pick<Run, "plain" | "service">, note: Note): Promise<ServiceContext | undefined> {
  try {
    const context = await run.service([]);
    note("config", true, fileOf(run.plain().places) ?? "no file; settings are defaults or from the environment");
    return context;
  } catch (error) {
    const faults = ThroughlineError.is(error, "config.invalid") ? error.details["violations"] : undefined;
    note("config", false, Array.isArray(faults) ? `${faults.length} violations: \`throughline config check\` names them` : describeFailure(error));
    return undefined;
  }
}

/** Checks that API keys exist if other machines can reach the service. */
async function keysCheck(store: Store, { server }: Settings, clock: Clock, note: Note): Promise<void> {
  const keys = await listKeys(store);
  const now = clock.now();
  const active = keys.filter((key) => isActive(key, now)).length;
  const open = active === 0 && !isLoopback(server.host);
  const detail = active === 0 ? `none are active; requests from this machine need no key` : `${active} of ${keys.length} are active`;
  note(
    "API keys",
    !open,
    open ? `none are active, and ${server.host} is reachable from other machines: \`throughline keys create\` creates one` : detail,
  );
}

const patienceMs = 2_000;

/** Reports whether a process listens on the service's address. */
async function portCheck({ server: { host, port } }: Settings, note: Note): Promise<void> {
  const place = `${host}:${port}`;
  if (port === 0) return note("service", true, "takes a free port when it starts");
  const taken = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: host === "0.0.0.0" || host === "::" ? "localhost" : host, port, timeout: patienceMs });
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
    socket.once("timeout", () => done(false));
  });
  note("service", true, taken ? `something listens at ${place}; if it is not this service, name another port` : `nothing listens at ${place}`);
}
