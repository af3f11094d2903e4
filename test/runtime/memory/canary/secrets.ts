/** Words that stand nowhere else, each with where it was planted and who may still be shown it. */
import type { SessionId } from "../../../../packages/throughline/src/index.ts";

/** Who may be shown a word: `open`, whoever's memory it is in; `hidden`, only the conversation that it was said in; `gone`, nobody. */
export type Standing = "open" | "hidden" | "gone";

export interface Secret {
  readonly word: string;
  /** A word that it is asked for by, which stands beside it and nowhere else. */
  readonly topic: string;
  /** Undefined for one that was planted where no model looks. */
  readonly customer: string | undefined;
  /** The sessions that it was said in. */
  readonly sessions: Set<SessionId>;
  readonly incognito: boolean;
  standing: Standing;
  /** Where it was first said. */
  said?: { readonly session_id: SessionId; readonly offset: number; readonly at: number };
  /** The entry of the fact that tells it. */
  fact?: string | undefined;
  rule?: string;
}

/** A number as letters alone: readers of text take it for a word. */
const letters = (number: number): string =>
  Array.from({ length: 4 }, (_, place) => String.fromCodePoint(97 + (Math.floor(number / 20 ** place) % 20))).join("");

const pattern = /canary[a-t]{4}x/g;

/** All words that were ever planted. */
export class Secrets {
  readonly #all = new Map<string, Secret>();

  plant(customer: string | undefined, more: Partial<Pick<Secret, "incognito" | "standing">> = {}): Secret {
    const name = letters(this.#all.size);
    const planted: Secret = {
      ...{ word: `canary${name}x`, topic: `zum${name}z`, customer, sessions: new Set<SessionId>() },
      ...{ incognito: false, standing: "open", ...more },
    };
    this.#all.set(planted.word, planted);
    return planted;
  }

  get all(): readonly Secret[] {
    return [...this.#all.values()];
  }

  of(customer: string): readonly Secret[] {
    return this.all.filter((secret) => secret.customer === customer);
  }

  /** The planted words of a text, each once. */
  in(text: string): readonly Secret[] {
    return [...new Set(text.match(pattern))].map((word) => {
      const secret = this.#all.get(word);
      if (secret === undefined) throw new Error(`${word} was never planted.`);
      return secret;
    });
  }
}

export const sentence = ({ topic, word }: Pick<Secret, "topic" | "word">): string => `My ${topic} is called ${word}.`;
export const quote = (secret: Pick<Secret, "topic" | "word">): string => sentence(secret).slice(0, -1);
