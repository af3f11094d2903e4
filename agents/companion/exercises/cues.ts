/** Which cues a message holds, in any of the languages: nobody tells which one they write in. */
import { clausesOf, folded } from "./clauses.ts";
import { cueKinds, exerciseWords, type CueKind, type ExerciseWords } from "./words.ts";

/** A clause and what it says of the exercise; `content` says something else. */
export interface ReadClause {
  readonly text: string;
  readonly kind: CueKind | "content";
}

/** What a message asks besides answering a step. */
export interface Asides {
  readonly resume: boolean;
  readonly clarify: boolean;
  readonly explain: boolean;
  readonly memory: boolean;
  readonly lookup: boolean;
}

interface Compiled {
  readonly before: RegExp;
  readonly after: RegExp;
  readonly cues: readonly (readonly [CueKind, RegExp])[];
  readonly resume: RegExp;
  readonly clarify: RegExp;
  readonly explain: RegExp;
  readonly memory: RegExp;
  readonly lookup: RegExp;
  readonly memoryOrders: RegExp;
  readonly lookupOrders: RegExp;
}

const never = "(?!)";
const whole = (patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join("|")})$`, "u");
const from = (patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join("|")})`, "u");
const anywhere = (patterns: readonly string[]): RegExp => new RegExp(`(?:${patterns.join("|")})`, "u");

const compiled = ({ before, after, cues, resume, clarify, explain, memory, lookup, orders }: ExerciseWords): Compiled => ({
  before: new RegExp(`^${before}`, "u"),
  after: new RegExp(`${after}$`, "u"),
  cues: cueKinds.map((kind) => [kind, whole(cues[kind])] as const),
  resume: anywhere(resume),
  clarify: anywhere(clarify),
  explain: from(explain),
  memory: from(memory),
  lookup: from(lookup),
  memoryOrders: from([never, ...orders.memory]),
  lookupOrders: from([never, ...orders.lookup]),
});

let packs: readonly Compiled[] | undefined;

/** The words of all languages, compiled with the first message. */
const allPacks = (): readonly Compiled[] => (packs ??= Object.values(exerciseWords).map(compiled));

/** A clause, and what is left of it when courtesies before and after it are taken away, one after the other. */
function variants(clause: string, { before, after }: Compiled): readonly string[] {
  const shorter = (text: string, pattern: RegExp): readonly string[] => {
    const found = [text];
    for (let rest = text; found.length < 6;) {
      const next = rest.replace(pattern, "");
      if (next === rest || next === "") break;
      found.push((rest = next));
    }
    return found;
  };
  return shorter(clause, before).flatMap((text) => shorter(text, after));
}

function kindOf(clause: string): ReadClause["kind"] {
  const kinds = new Set(
    allPacks().flatMap((pack) => {
      const texts = variants(clause, pack);
      return pack.cues.filter(([, pattern]) => texts.some((text) => pattern.test(text))).map(([kind]) => kind);
    }),
  );
  return cueKinds.find((kind) => kinds.has(kind)) ?? "content";
}

/** The clauses of a message with what each says of the exercise. */
export const readClauses = (message: string): readonly ReadClause[] => clausesOf(folded(message)).map((text) => ({ text, kind: kindOf(text) }));

/**
 * What a message asks besides answering a step. A request is told by its form: a question or an order to the companion, at the start or as a clause of its own.
`isAction`: the step asks
 * what to do, so that an order may be the answer. A word such as "current", "forget", "source" or "search" in an answer asks for nothing.
 */
export function asidesOf(message: string, { isAction = false }: { readonly isAction?: boolean } = {}): Asides {
  const text = folded(message);
  // A question mark tells questions from answers, so sentences keep it.
  const sentences = text
    .split(/(?<=[.!?。！？])\s*|\n+/u)
    .filter((sentence) => sentence !== "")
    .slice(0, 40);
  const said = (pattern: (pack: Compiled) => RegExp): boolean =>
    allPacks().some((pack) =>
      sentences
        .map((sentence) => sentence.replaceAll(/^[¿¡\s]+|[.!。！\s]+$/gu, ""))
        // With its question mark, for what has to be a question, and without.
        .flatMap((sentence) => [sentence, sentence.replace(/\s*[?？]+$/u, "")])
        .some((sentence) => variants(sentence, pack).some((one) => pattern(pack).test(one))),
    );
  return {
    resume: allPacks().some(({ resume }) => resume.test(text)),
    clarify: allPacks().some(({ clarify }) => clarify.test(text)),
    explain: said(({ explain }) => explain),
    memory: said(({ memory }) => memory) || (!isAction && said(({ memoryOrders }) => memoryOrders)),
    lookup: said(({ lookup }) => lookup) || (!isAction && said(({ lookupOrders }) => lookupOrders)),
  };
}

/** How a question begins that is typed without its mark. */
const questionStart =
  /^(?:(?:so|and|but|wait|ok|okay|y|und|et|e|那)[, ]+)?(?:what|how|why|when|where|who|which|is|are|does|do|can|could|qué|cómo|cuánto|por qué|was|wie|warum|wieso|wann|quel|quoi|comment|pourquoi|qu'est-ce|o que|como|quanto|什么|怎么|为什么)(?![\p{L}])/iu;

/** Whether a message asks or orders something rather than answers: a condition for leaving an exercise on a model's word alone. */
export const isAsking = (message: string): boolean => {
  const asides = asidesOf(message);
  return (
    /[?？؟]\s*$/u.test(message.trim()) || questionStart.test(message.trim()) || asides.memory || asides.lookup || asides.explain || asides.clarify
  );
};
