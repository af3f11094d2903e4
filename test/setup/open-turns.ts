/** Open turns in large numbers, written by statements instead of commits. */
import type { Dialect } from "../../packages/throughline/src/store/sql/sql-driver.ts";

/** What the sessions of a backlog are: each has one open turn. `urgent` tells whether it is. */
export interface Backlog {
  readonly count: number;
  readonly agent?: string;
  readonly version?: number;
  readonly lease_until?: number;
  readonly worker?: string;
  readonly urgent?: boolean;
}

const numbers: Readonly<Record<Dialect, (from: number, count: number) => string>> = {
  sqlite: (from, count) => `(WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + count - 1}) SELECT i FROM n)`,
  postgres: (from, count) => `generate_series(${from}, ${from + count - 1})`,
};

/** The statements that write sessions with open turns as another process would, in one step each. */
export function backlogStatements(
  dialect: Dialect,
  from: number,
  { count, agent = "diary", version = 1, lease_until, worker, urgent = false }: Backlog,
): string {
  const all = `${numbers[dialect](from, count)} AS n${dialect === "postgres" ? "(i)" : ""}`;
  const overriding = dialect === "sqlite" ? "" : "OVERRIDING SYSTEM VALUE";
  return `INSERT INTO sessions (id, session_id, owner, agent, agent_version, mode, created_at, updated_at, head, first_offset, state_offset, epoch, version, episode, last_turn, lease_until, lease_worker)
    ${overriding} SELECT i, 'ses_' || i, 1, '${agent}', ${version}, 0, i, i, 0, 0, 0, 0, 0, 1, 1, ${lease_until ?? "NULL"}, ${worker === undefined ? "NULL" : `'${worker}'`} FROM ${all};
    INSERT INTO turns (session, number, trace_id, cause, status, attempts, created_at, urgent)
    SELECT i, 1, '${Buffer.alloc(16, 1).toString("base64url")}', 0, 0, 0, i, ${urgent ? 1 : 0} FROM ${all}`;
}

/** Creates the owner of the sessions, in an empty database. */
export const backlogOwner: Readonly<Record<Dialect, string>> = {
  sqlite: `INSERT INTO owners (id, owner_id, version, variables_version, entries_version, created_at) VALUES (1, 'own_1', 0, 0, 0, 1)`,
  postgres: `INSERT INTO owners (owner_id, version, variables_version, entries_version, created_at) VALUES ('own_1', 0, 0, 0, 1)`,
};
