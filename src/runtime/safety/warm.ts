import { ThroughlineError } from "../../kernel/error.ts";
import type { Logger } from "../../kernel/log.ts";
import { guard } from "../../safety/guard/guard.ts";
import { findRegions } from "../../safety/resources/regions.ts";
import "./answer-safely.ts";

/** Reads a text as a turn would: patterns are compiled and tables built when they are first used. */
export function warm(logger: Logger): void {
  try {
    findRegions("I live in Canada");
    guard("Are you safe?", { level: 1 });
  } catch (error) {
    logger.error("the gate could not be made ready", { code: ThroughlineError.from(error).code });
  }
}
