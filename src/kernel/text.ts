/** Whether every database stores and compares the text unchanged: it has no NUL and no unpaired surrogate. Names must satisfy this. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000");
