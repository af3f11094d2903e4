export const concepts: Readonly<Record<string, string>> = {};
