/** Options of the command line that stand for a key of the configuration. */
import type { Assignment } from "../config/layers.ts";

/** An option, and what it was given. */
export type Flag = Assignment;

/** The flag of an option, if it was given. */
export const flag = (option: string, key: string, value: unknown): readonly Flag[] =>
  value === undefined ? [] : [{ path: key.split("."), value, origin: { where: option, secret: true } }];

/** A database as it is named outside of a configuration, where `memory` is a file's name. */
export const databaseFlag = (option: string, location: string | undefined): readonly Flag[] =>
  flag(option, "store", location === "memory" ? "./memory" : location);
