import type { PromptSection } from "./port.ts";

/** The sections as one text for models that take a single system message: each headed by its name. */
export const systemText = (sections: readonly PromptSection[]): string => sections.map(({ name, text }) => `# ${name}\n${text}`).join("\n\n");

/** A tool's name as services take it: a model may have asked for one that there is not, by a name that its service refuses to be told again. */
export const wireName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
