/** The languages that a person is answered in about their memory. */
export const languages = ["en", "es", "de", "zh"] as const;
/** A language that a person is answered in about their memory. */
export type Language = (typeof languages)[number];

/** Whether a value is one of {@link languages}. */
export const isLanguage = (value: unknown): value is Language => languages.some((language) => language === value);
