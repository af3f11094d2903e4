/** Vocabulary of facts: categories, entity types and predicates. It is data that an agent can extend. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";
import { sensitivities, type Sensitivity } from "../entry.ts";

/** A category of facts. */
export interface CategoryRule {
  /** One line for extractors. */
  readonly about: string;
  /** Default sensitivity of facts in this category. */
  readonly sensitivity: Sensitivity;
}

/** A type of subjects and objects. */
export interface EntityRule {
  readonly about: string;
  /** Ids of this type are names. Capitalized words in them must occur in the conversation, so that no person is invented. */
  readonly named?: true;
}

/** A predicate of facts. */
export interface PredicateRule {
  readonly about: string;
  /** Only one value is active at a time, and a newer one replaces it. Otherwise, several values can be active. */
  readonly functional?: true;
  /** The opposite predicate. Both about the same object are a conflict. */
  readonly opposite?: string;
  /** Internal predicate, never extracted from messages. */
  readonly internal?: true;
}

/** Vocabulary of facts. */
export interface Vocabulary {
  readonly categories: Readonly<Record<string, CategoryRule>>;
  readonly entities: Readonly<Record<string, EntityRule>>;
  readonly predicates: Readonly<Record<string, PredicateRule>>;
}

/** Vocabulary of the described companion, with additional words for what users often mention. */
export const defaultVocabulary: Vocabulary = Object.freeze<Vocabulary>({
  categories: {
    loss: { about: "somebody or something they have lost", sensitivity: "sensitive" },
    preference: { about: "what they like or dislike, and what they want to be called", sensitivity: "ordinary" },
    coping_strategy: { about: "what helps them", sensitivity: "personal" },
    relationship: { about: "people and animals in their life", sensitivity: "personal" },
    trigger: { about: "what worries or upsets them", sensitivity: "sensitive" },
    goal: { about: "what they want to reach or take up", sensitivity: "personal" },
    context: { about: "where they live, what they do, how old they are, what happened", sensitivity: "personal" },
  },
  entities: {
    User: { about: "the person themself, with the id `user`" },
    Person: { named: true, about: "somebody else, by name, or by what they are to the person" },
    Animal: { named: true, about: "a pet" },
    Concern: { about: "what weighs on them" },
    Event: { about: "what happened, or will" },
    CopingStrategy: { about: "what helps" },
    Goal: { about: "what they want" },
    Place: { named: true, about: "a town, a country, a home" },
    Organisation: { named: true, about: "an employer, a school, a club" },
    Occupation: { about: "what they work as" },
    Thing: { about: "anything else: a dish, a hobby, a substance" },
    Value: { named: true, about: "a name or a number" },
    Session: { about: "a conversation" },
    Turn: { about: "a message" },
  },
  predicates: {
    KNOWS: { about: "has them in their life" },
    WORRIES_ABOUT: { about: "is worried, nervous or sad because of it" },
    EXPERIENCED: { about: "lived through it" },
    USES: { about: "does or takes it because it helps" },
    WANTS: { about: "wants or plans it" },
    PARTICIPATED_IN: { about: "took part in it" },
    MENTIONED_IN: { about: "was mentioned there", internal: true },
    LIKES: { about: "likes or prefers it", opposite: "DISLIKES" },
    DISLIKES: { about: "dislikes it", opposite: "LIKES" },
    AVOIDS: { about: "must not have it, such as an allergy" },
    HAS: { about: "has it" },
    IS: { about: "is, or lives as: vegetarian, a mother, retired" },
    WORKS_AS: { about: "works as" },
    STUDIES: { about: "learns or studies it" },
    LIVES_IN: { about: "lives there now", functional: true },
    COMES_FROM: { about: "was born or grew up there", functional: true },
    WORKS_AT: { about: "works there now", functional: true },
    PARTNER_OF: { about: "is together with them now", functional: true },
    PREFERRED_NAME: { about: "wants to be called", functional: true },
    AGE: { about: "is so many years old", functional: true },
  },
});

const namePattern = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

const isCategoryRule = (rule: Record<string, unknown>): boolean => sensitivities.some((known) => known === rule["sensitivity"]);

function check(part: string, rules: unknown): void {
  if (!isPlainObject(rules))
    throw new ThroughlineError("memory.invalid", `The vocabulary's ${part} are an object of rules by name, got ${seen(rules)}.`);
  for (const [name, rule] of Object.entries(rules)) {
    if (!namePattern.test(name))
      throw new ThroughlineError(
        "memory.invalid",
        `A name in the vocabulary's ${part} has letters, digits and _, and at most 64, got ${seen(name)}.`,
      );
    const whole = isPlainObject(rule) && typeof rule["about"] === "string" && (part !== "categories" || isCategoryRule(rule));
    if (!whole)
      throw new ThroughlineError(
        "memory.invalid",
        `${part}.${name} has no \`about\`${part === "categories" ? ", or no known sensitivity" : ""}: ${seen(rule)}.`,
      );
  }
}

/**
 * Defines a vocabulary with additional or changed words. Throws `memory.invalid`, which names the invalid rule.
 * @example defineVocabulary({ predicates: { SUPPORTS: { about: "is a supporter of", functional: true } } })
 */
export function defineVocabulary(addition: Partial<Vocabulary>, base: Vocabulary = defaultVocabulary): Vocabulary {
  if (!isPlainObject(addition)) throw new ThroughlineError("memory.invalid", `defineVocabulary takes an object, got ${seen(addition)}.`);
  const parts = ["categories", "entities", "predicates"];
  const unknown = Object.keys(addition).find((part) => !parts.includes(part));
  if (unknown !== undefined) throw new ThroughlineError("memory.invalid", `A vocabulary has ${parts.join(", ")}, not ${seen(unknown)}.`);
  const { categories = {}, entities = {}, predicates = {} } = addition;
  check("categories", categories);
  check("entities", entities);
  check("predicates", predicates);
  return Object.freeze({
    categories: Object.freeze({ ...base.categories, ...categories }),
    entities: Object.freeze({ ...base.entities, ...entities }),
    predicates: Object.freeze({ ...base.predicates, ...predicates }),
  });
}
