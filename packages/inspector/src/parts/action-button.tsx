/** The button of a command. Without its scope it is disabled, with the reason beside it. */
import { useId } from "preact/hooks";
import { acting, reasonOf } from "../base/page-actions.ts";
import type { Command } from "../base/screen-shape.ts";
import { Icon, type IconName } from "./icon.tsx";
import { KeyCap } from "./key-cap.tsx";

interface ActionButtonProps {
  readonly command: Command;
  readonly kind?: "primary" | "danger";
  readonly icon?: IconName;
  /** Whether the button stands alone, without the keys of its command. */
  readonly bare?: boolean;
}

export function ActionButton({ command, kind, icon, bare = false }: ActionButtonProps) {
  const { title, keys = [], when, run } = command;
  const reason = reasonOf(command);
  const hint = useId();
  return (
    <span class="action-button">
      <button
        type="button"
        class={`button ${kind ?? ""}`}
        disabled={reason !== undefined || acting.value !== undefined || when?.() === false}
        aria-describedby={reason === undefined ? undefined : hint}
        aria-keyshortcuts={bare ? undefined : keys[0]}
        onClick={() => run()}
      >
        {icon === undefined ? undefined : <Icon name={icon} />}
        {title}
        {bare || keys.length === 0 ? undefined : <KeyCap keys={keys} />}
      </button>
      {reason === undefined ? undefined : (
        <span class="hint" id={hint}>
          {reason}
        </span>
      )}
    </span>
  );
}
