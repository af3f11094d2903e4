/** What a screen and a command are. `screen-list.ts` and `command-list.ts` list them. */
import type { OperationId } from "@throughline/client";
import type { ComponentType } from "preact";
import type { IconName } from "../parts/icon.tsx";

/** Names and values of the variable parts of a path. */
export type PathParts = Readonly<Record<string, string>>;

/** A screen of the inspector. */
export interface Screen {
  /** Unique; the scope of its commands. */
  readonly id: string;
  /** Its path, such as `sessions/:session`; empty for the first screen. */
  readonly path: string;
  /** Its entry in the navigation; without one it is reached from another screen. */
  readonly entry?: { readonly title: string; readonly icon: IconName };
  /** The title of the browser's tab. */
  readonly title: (parts: PathParts) => string;
  readonly view: ComponentType<{ readonly parts: PathParts }>;
}

/** An action that a key, the palette or both reach. */
export interface Command {
  readonly id: string;
  /** The entry in the palette and on the sheet of shortcuts. */
  readonly title: string;
  /** Keys as `KeyboardEvent.key` names them, such as `j` or `Escape`; `mod+k` for Ctrl or ⌘. */
  readonly keys?: readonly string[];
  /** `everywhere`, or the id of the screen where it applies. */
  readonly scope: string;
  /** The operation of the service that it sends, if any. */
  readonly operation?: OperationId;
  /** The scopes of that operation. Without one of them the command is disabled. */
  readonly needs?: readonly string[];
  /** Whether it applies now; always by default. */
  readonly when?: () => boolean;
  readonly run: () => void;
}

/** The parts of a path that fits a pattern; undefined if it does not fit. */
export function partsOf(pattern: string, path: string): PathParts | undefined {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, want] of wanted.entries()) {
    const text = given[index] ?? "";
    if (want.startsWith(":")) parts[want.slice(1)] = decodeURIComponent(text);
    else if (want !== text) return undefined;
  }
  return parts;
}
