/** What a bundle holds, read in the page before it is sent. The service checks every line again. */
import { texts } from "../../base/page-texts.ts";

/** A session of a bundle. */
interface PreviewedSession {
  readonly id: string;
  readonly title: string | undefined;
  readonly agent: string;
  readonly events: number;
}

/** What an import would write. */
export interface BundlePreview {
  /** Undefined if the sessions are anonymous. */
  readonly customer: string | undefined;
  readonly exportedAt: number | undefined;
  readonly sessions: readonly PreviewedSession[];
  readonly events: number;
  /** Entries of memory. */
  readonly entries: number;
}

type Line = Readonly<Record<string, unknown>>;

const isLine = (value: unknown): value is Line => typeof value === "object" && value !== null && !Array.isArray(value);
const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
/** A time that a date can have. */
const timeIn = (value: unknown): number | undefined => (Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 43 ? Number(value) : undefined);

function lineOf(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const { faults } = texts.sessions.import;

/** Reads a bundle, or says why the file cannot be imported. */
export function previewOf(text: string): BundlePreview | string {
  const given = text.split("\n").filter((line) => line.trim() !== "");
  const lines: Line[] = [];
  for (const [index, one] of given.entries()) {
    const line = lineOf(one);
    if (line === undefined) return index === 0 ? faults.other : faults.line(index + 1);
    lines.push(line);
  }
  const [header] = lines;
  if (header === undefined) return faults.empty;
  if (header["type"] !== "bundle") return faults.other;
  if (header["redacted"] === true) return faults.redacted;
  if (lines.at(-1)?.["type"] !== "end") return faults.cut;
  const of = (type: string): readonly Line[] => lines.filter((line) => line["type"] === type);
  const sessions: PreviewedSession[] = [];
  for (const line of lines) {
    const last = sessions.at(-1);
    if (line["type"] === "session")
      sessions.push({ id: textIn(line["session_id"]) ?? "", title: textIn(line["title"]), agent: textIn(line["agent"]) ?? "", events: 0 });
    else if (line["type"] === "event" && last !== undefined) sessions[sessions.length - 1] = { ...last, events: last.events + 1 };
  }
  return {
    customer: textIn(of("owner")[0]?.["customer_id"]),
    exportedAt: timeIn(header["exported_at"]),
    sessions,
    events: of("event").length,
    entries: of("entry").length,
  };
}
