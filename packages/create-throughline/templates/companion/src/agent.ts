import { createCompanion } from "@throughline/companion";
import type { Model } from "throughline";
import { floating } from "./floating.ts";

/**
 * The companion with an exercise of your own. Its safety gate reads every message first, and cannot be left out. Without a language model, rules reply,
 * which need no key and no network.
 */
export const companion = (control?: Model) => createCompanion({ skills: [floating], ...(control === undefined ? {} : { models: { control } }) });

/** What each message comes with: the exercises that the person has installed. */
export const input = { installed_skills: [floating.name] };
