/**
 * The offline companion for `throughline chat`. It needs no key and no network: rules replace the language model.
 * @module
 */
import type { Model } from "throughline";
import { createCompanion } from "./create-companion.ts";

/** The companion with its rules. */
export const agent = createCompanion();

/** Creates the companion with a language model for all model calls. The gate's screen still runs first. */
export const withModel = (model: Model): ReturnType<typeof createCompanion> => createCompanion({ models: { control: model } });

/** The input fields of every message in a terminal chat. */
export const input = { channel: "cli" } as const;

/** The first text in a terminal chat. */
export const welcome =
  "The companion is an AI, not a person, and no replacement for one. It listens, knows a few exercises, and remembers what you tell it. " +
  "If somebody is in danger, call your local emergency number.";
