/**
 * Texts that are too large for one row. Such a text is written as rows of `parts`, and its column holds a reference, the id of the parts. The driver
 * of {@link joining} puts the texts back into the rows that are read. Triggers delete the parts with their reference.
 */
import { byteLength } from "../../kernel/json.ts";
import { systemRandom } from "../../kernel/random.ts";
import type { CommitInput, PartInput } from "./commit/commit-input.ts";
import type { Pace, SqlDriver, SqlRow, SqlValue, SyncConnection } from "./sql-driver.ts";
import { filledUp, placeholders } from "./queries.ts";
import { numberOf } from "./rows.ts";
import { splitPrefix } from "./tables.ts";

/** Maximum bytes of an unsplit text. A row has at most two such texts, and hosted databases allow 2 MB for a row. */
const mostBytes = 750_000;
/** Characters of a part: at most 750,000 bytes, because a UTF-16 unit has at most three bytes in UTF-8. */
const partLength = 250_000;

/** The columns whose texts can be split, by their names in reads. */
const splitColumns = ["data", "metadata", "state", "value"] as const;

const isReference = (value: SqlValue | undefined): value is string =>
  typeof value === "string" && value.startsWith(splitPrefix) && /^[A-Za-z0-9_-]{22}$/.test(value.slice(splitPrefix.length));

/** Splits a text without separating surrogate pairs. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = from + partLength;
    const isPair = (text.charCodeAt(to - 1) & 0xfc00) === 0xd800;
    parts.push(text.slice(from, isPair ? to - 1 : to));
    from = isPair ? to - 1 : to;
  }
  return parts;
}

/** Replaces the large texts of a commit by references, and adds the parts to write. */
export function splitTexts(input: CommitInput): CommitInput {
  const parts: PartInput[] = [];
  const split = <Text extends string | null | undefined>(text: Text): Text | string => {
    if (typeof text !== "string" || text.length * 3 <= mostBytes || byteLength(text) <= mostBytes) return text;
    const id = splitPrefix + Buffer.from(systemRandom.bytes(16)).toString("base64url");
    partsOf(text).forEach((data, place) => parts.push({ id, place, data }));
    return id;
  };
  const { owner, session, records } = input;
  const written: CommitInput = {
    ...input,
    owner: owner && {
      ...owner,
      variables: owner.variables.map((variable) => ({ ...variable, value: split(variable.value) })),
      entries: owner.entries.map((entry) => ({ ...entry, data: split(entry.data) })),
    },
    session: session && {
      ...session,
      events: session.events.map((event) => ({ ...event, data: split(event.data), metadata: split(event.metadata) })),
      redact: session.redact.map((redaction) => ({ ...redaction, data: split(redaction.data) })),
      cut: session.cut && { ...session.cut, state: split(session.cut.state) },
      checkpoint: session.checkpoint && { ...session.checkpoint, state: split(session.checkpoint.state) },
    },
    records: records?.map((record) => ({ ...record, data: split(record.data) })),
  };
  return parts.length === 0 ? input : { ...written, parts };
}

/** Writes the parts of a checked commit. */
export function writeParts(db: SyncConnection, { parts = [] }: CommitInput): void {
  for (const { id, place, data } of parts) db.run(`INSERT INTO parts (id, place, data) VALUES ($1, $2, $3)`, [id, place, data]);
}

/** The PostgreSQL form: a part of the function's body. */
export const postgresParts = `  IF input ? 'parts' THEN
    INSERT INTO parts (id, place, data) SELECT p.id, p.place, p.data FROM jsonb_to_recordset(input->'parts') AS p(id text, place integer, data text);
  END IF;`;

/** Maximum number of references per look-up. */
const idsAtOnce = 50;
const partsText = {
  parts: `SELECT p.id, p.place, p.data FROM parts p
    WHERE p.id IN (${placeholders(idsAtOnce)}) ORDER BY p.id, p.place`,
};

/** Maximum number of reads if parts are deleted meanwhile. The rows that refer to them were deleted too. */
const mostReads = 5;

type Read = Readonly<Record<string, readonly SqlRow[]>>;

const referencesIn = (read: Read): readonly string[] => [
  ...new Set(
    Object.values(read).flatMap((rows) => rows.flatMap((row) => splitColumns.flatMap((column) => (isReference(row[column]) ? [row[column]] : [])))),
  ),
];

/** Returns the texts of references. A text with missing parts is left out. */
async function textsOf(driver: SqlDriver, references: readonly string[], pace: Pace | undefined): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string[]>();
  for (let from = 0; from < references.length; from += idsAtOnce) {
    const ids = references.slice(from, from + idsAtOnce);
    const { parts } = await driver.read(partsText, filledUp(ids, idsAtOnce), pace);
    for (const row of parts) {
      const id = String(row["id"]);
      const known = texts.get(id) ?? [];
      if (numberOf(row, "place") === known.length) texts.set(id, [...known, String(row["data"])]);
    }
  }
  return new Map([...texts].map(([id, parts]) => [id, parts.join("")]));
}

function joinRow(row: SqlRow, texts: ReadonlyMap<string, string>): SqlRow {
  const joined: Record<string, SqlValue> = { ...row };
  for (const column of splitColumns) {
    const value = row[column];
    if (isReference(value)) joined[column] = texts.get(value) ?? value;
  }
  return joined;
}

/** Wraps a driver so that its rows have complete texts. */
export const joining = (driver: SqlDriver): SqlDriver => ({
  dialect: driver.dialect,
  link: driver.link,
  sharesDrafts: driver.sharesDrafts,
  async read<Part extends string>(
    parts: Readonly<Record<Part, string>>,
    values: readonly SqlValue[],
    pace?: Pace,
  ): Promise<Readonly<Record<Part, readonly SqlRow[]>>> {
    for (let attempt = 1; ; attempt++) {
      const read = await driver.read(parts, values, pace);
      const references = referencesIn(read);
      if (references.length === 0) return read;
      const texts = await textsOf(driver, references, pace);
      // A remaining reference is not a valid text, so decoding the row reports it as damaged.
      if (attempt === mostReads || references.every((reference) => texts.has(reference))) {
        const rows = Object.entries<readonly SqlRow[]>(read).map(([name, all]): [string, readonly SqlRow[]] => [
          name,
          all.map((row) => joinRow(row, texts)),
        ]);
        return Object.fromEntries(rows) as Record<Part, readonly SqlRow[]>;
      }
    }
  },
  call: (procedure, input) => driver.call(procedure, input),
  hasJournal: () => driver.hasJournal(),
  exclusive: (work) => driver.exclusive(work),
  close: () => driver.close(),
});
