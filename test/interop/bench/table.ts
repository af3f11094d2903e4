/** What was measured, as Markdown. */
import type { Mark, Measured } from "./measure.ts";
import { turnBytes } from "./text.ts";

const absent = "–";

/** Three digits that matter. */
export function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return absent;
  return value >= 100 ? Math.round(value).toLocaleString("en") : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** How something grows from the mark at about 100 turns to the last: 0 not at all, 1 as the conversation does, 2 as its square. */
export function exponent(marks: readonly Mark[], of: (mark: Mark) => number): string {
  const first = marks.find(({ turns }) => turns >= 100);
  const last = marks.at(-1);
  if (first === undefined || last === undefined || first === last || of(first) <= 0) return absent;
  const slope = Math.log(of(last) / of(first)) / Math.log(last.turns / first.turns);
  return (Math.abs(slope) < 0.005 ? 0 : slope).toFixed(2);
}

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [row(head), row(head.map((_cell, index) => (index < 2 ? "---" : "---:"))), ...rows.map(row)].join("\n");
}

const engines = { sqlite: "SQLite", postgres: "PostgreSQL", memory: "memory" } as const;

function growthTable(measured: readonly Measured[]): string {
  const turns = [...new Set(measured.flatMap(({ marks }) => marks.map((mark) => mark.turns)))].toSorted((one, other) => one - other);
  const of = (marks: readonly Mark[], value: (mark: Mark) => number): readonly string[] =>
    turns.map((count) => {
      const mark = marks.find((each) => each.turns === count);
      return mark === undefined ? absent : number(value(mark));
    });
  const head = ["storage", "durability", `bytes/turn at ${turns.join(" / ")}`, "grows", `commit ms at ${turns.join(" / ")}`, "grows"];
  const rows = measured.map(({ contestant, durability, marks }) => [
    `${contestant.name} (${engines[contestant.engine]})`,
    durability,
    contestant.engine === "memory" ? absent : of(marks, ({ bytesPerTurn }) => bytesPerTurn).join(" / "),
    contestant.engine === "memory" ? absent : exponent(marks, ({ bytesPerTurn }) => bytesPerTurn),
    of(marks, ({ commit }) => commit).join(" / "),
    exponent(marks, ({ commit }) => commit),
  ]);
  return table(head, rows);
}

function operationsTable(measured: readonly Measured[]): string {
  const head = ["storage", "at turn", "load", "grows", "as of turn 10", "append", "fork at 10", "fork bytes", "20 points", "delete", "lost of 40"];
  const rows = measured.map(({ contestant, marks, remove, lost }) => {
    const last = marks.at(-1);
    return [
      `${contestant.name} (${engines[contestant.engine]})`,
      last?.turns ?? absent,
      number(last?.load),
      exponent(marks, ({ load }) => load),
      number(last?.loadTurn10),
      number(last?.append),
      number(last?.fork),
      last?.forkBytes === undefined ? absent : number(Math.max(0, last.forkBytes)),
      number(last?.history),
      number(remove),
      lost ?? absent,
    ];
  });
  return table(head, rows);
}

/** How long a commit of our adapter for LangGraph takes, as a multiple of LangGraph's own saver in the same run, at each mark. */
function ratios(measured: readonly Measured[]): readonly string[] {
  const own = measured.filter(({ contestant }) => /^LangGraph \w+Saver$/.test(contestant.name));
  return own.flatMap(({ contestant, marks }) => {
    const ours = measured.find((one) => one.contestant.name.startsWith("LangGraph on Throughline") && one.contestant.engine === contestant.engine);
    if (ours === undefined) return [];
    const each = marks.map(
      ({ turns, commit }) => `${number((ours.marks.find((mark) => mark.turns === turns)?.commit ?? Number.NaN) / commit)} at ${turns}`,
    );
    return [`Commit time of ${ours.contestant.name} as a multiple of ${contestant.name} (${engines[contestant.engine]}): ${each.join(", ")} turns.`];
  });
}

/** All tables: storage against storage, and whole turns by themselves. */
export function tableOf(measured: readonly Measured[]): string {
  const parts = [
    ["Storage alone: growth", measured.filter(({ contestant }) => contestant.wholeTurn !== true), growthTable],
    ["Storage alone: operations (ms)", measured.filter(({ contestant }) => contestant.wholeTurn !== true), operationsTable],
    ["Whole durable turns: growth", measured.filter(({ contestant }) => contestant.wholeTurn === true), growthTable],
    ["Whole durable turns: operations (ms)", measured.filter(({ contestant }) => contestant.wholeTurn === true), operationsTable],
  ] as const;
  const shown = parts.filter(([, rows]) => rows.length > 0).map(([title, rows, make]) => `### ${title}\n\n${make(rows)}`);
  return [`Raw text: ${turnBytes} bytes a turn.`, ...ratios(measured), ...shown].join("\n\n");
}
