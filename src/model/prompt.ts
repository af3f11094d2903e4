import type { PromptSection } from "./port.ts";

/** The sections as one text for models that take a single system message: each headed by its name. */
export const systemText = (sections: readonly PromptSection[]): string => sections.map(({ name, text }) => `# ${name}\n${text}`).join("\n\n");
