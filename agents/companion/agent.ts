/**
 * The companion, offline: `throughline chat` talks with it. It needs no key and no network: rules answer in place of a language model.
 * @module
 */
import type { Model } from "throughline";
import { createCompanion } from "./create-companion.ts";

export const agent = createCompanion();

/** The same with a language model behind everything that it asks of one; the gate's screen stays in front of it. */
export const withModel = (model: Model): ReturnType<typeof createCompanion> => createCompanion({ models: { control: model } });

/** What whoever talks with it in a terminal reads first. */
export const welcome =
  "The companion is an AI, not a person, and no replacement for one. It listens, knows a few exercises, and remembers what you tell it. " +
  "If somebody is in danger, call your local emergency number.";
