/** Whether every database keeps and compares a text as it is: it has no NUL, and no half of a surrogate pair. What is a name must be such a text. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000");
