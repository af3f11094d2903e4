/** Other ways to search a memory, as their users would set them up: each by itself, and those that can with the words that we make of a text. */
import { DatabaseSync } from "node:sqlite";
import { create, insert, search as searchOrama } from "@orama/orama";
import MiniSearch from "minisearch";
import type { Engine } from "../eval/engine.ts";
import { reader } from "../eval/languages.ts";

const indexed = ({ text, quote }: { readonly text: string; readonly quote?: string }): string => (quote === undefined ? text : `${text} ${quote}`);

/** MiniSearch 7: BM25+ over an inverted index in memory. */
const miniSearch = (name: string, own: boolean): Engine => ({
  name,
  open(units) {
    const index = new MiniSearch<{ id: string; text: string }>({
      fields: ["text"],
      ...(own ? { tokenize: (text: string) => [...reader.terms(text)], processTerm: (term: string) => term } : {}),
    });
    index.addAll(units.map((unit) => ({ id: unit.id, text: indexed(unit) })));
    return {
      search: ({ text, limit }) =>
        index
          .search(text)
          .slice(0, limit)
          .map(({ id }) => String(id)),
    };
  },
});

/** Orama 3: BM25 over radix trees in memory. */
const orama = (name: string, own: boolean): Engine => ({
  name,
  open(units) {
    const tokenizer = { language: "english", normalizationCache: new Map<string, string>(), tokenize: (text: string) => [...reader.terms(text)] };
    const database = create({ schema: { id: "string", text: "string" } as const, ...(own ? { components: { tokenizer } } : {}) });
    for (const unit of units) void insert(database, { id: unit.id, text: indexed(unit) });
    return {
      search({ text, limit }) {
        const result = searchOrama(database, { term: text, limit, properties: ["text"] });
        if (result instanceof Promise) throw new TypeError("Orama was expected to answer at once.");
        return result.hits.map(({ id }) => id);
      },
    };
  },
});

/** Every word of a text may match: what SQLite ranks by. */
const anyWord = (text: string): string => (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"`).join(" OR ");

/** SQLite's own full-text search, in memory, with its stemmer. */
const fts5: Engine = {
  name: "SQLite FTS5",
  open(units) {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE VIRTUAL TABLE units USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')");
    const add = database.prepare("INSERT INTO units (id, text) VALUES (?, ?)");
    database.exec("BEGIN");
    for (const unit of units) add.run(unit.id, indexed(unit));
    database.exec("COMMIT");
    const find = database.prepare("SELECT id FROM units WHERE units MATCH ? ORDER BY bm25(units), id LIMIT ?");
    return {
      search({ text, limit }) {
        const wanted = anyWord(text);
        return wanted === "" ? [] : find.all(wanted, limit).map(({ id }) => String(id));
      },
    };
  },
};

/** Those that are measured beside the product. */
export const others: readonly Engine[] = [
  miniSearch("MiniSearch", false),
  miniSearch("MiniSearch, our words", true),
  orama("Orama", false),
  orama("Orama, our words", true),
  fts5,
];
