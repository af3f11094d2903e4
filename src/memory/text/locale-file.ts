/** Reads a language from its data file. */
import type { Locale, TimeExpression, TimeUnit, TimeWords } from "./locale.ts";

/** An expression of time, as a file has it. */
interface ExpressionFile {
  readonly say: string;
  readonly shift?: number;
  readonly unit?: string;
  readonly number?: number;
  readonly span?: boolean;
  readonly vague?: boolean;
}

/** A language, as `locales/locale.schema.json` describes it. */
interface LocaleFile extends Omit<Locale, "stem" | "time"> {
  readonly time: Omit<TimeWords, "figures" | "expressions"> & { readonly figures: string; readonly expressions: readonly ExpressionFile[] };
}

const units: readonly TimeUnit[] = ["day", "week", "fortnight", "weekend", "month", "year"];
const orders: readonly TimeWords["figures"][] = ["mdy", "dmy", "ymd"];

function expressionFrom({ unit: named, span, vague, ...rest }: ExpressionFile): TimeExpression {
  const unit = units.find((one) => one === named);
  return { ...rest, ...(unit !== undefined && { unit }), ...(span === true && { span }), ...(vague === true && { vague }) };
}

/** The language of a file, with its stemmer. */
export function localeFrom({ time, ...rest }: LocaleFile, stem: Locale["stem"]): Locale {
  const figures = orders.find((one) => one === time.figures) ?? "ymd";
  return Object.freeze<Locale>({ ...rest, stem, time: { ...time, figures, expressions: time.expressions.map(expressionFrom) } });
}
