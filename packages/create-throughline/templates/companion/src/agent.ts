import { createCompanionRuntime } from "@throughline/companion";
import type { Model, Store } from "throughline";
import { floating } from "./floating.ts";

/**
 * The companion on a store. Its safety gate reads every message first, and cannot be left out. Without a language model, rules reply, which need no key
 * and no network.
 */
export const startCompanion = (store: Store, control?: Model) =>
  createCompanionRuntime({ store, skills: [floating], ...(control === undefined ? {} : { models: { control } }) });
