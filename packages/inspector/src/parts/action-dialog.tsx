/** A dialog that asks before an action: what happens, what is needed, and why it failed. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { closeDialog } from "../base/overlays.ts";
import { acting, actionFailure, reasonOf } from "../base/page-actions.ts";
import type { Command } from "../base/screen-shape.ts";
import { texts } from "../base/page-texts.ts";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./notice.tsx";

interface ActionDialogProps {
  readonly title: string;
  /** What happens. */
  readonly text?: string;
  /** The text of the button. */
  readonly action: string;
  readonly kind?: "primary" | "danger";
  /** The action, with the scopes that it needs. */
  readonly command: Pick<Command, "needs">;
  /** Whether the action cannot be sent yet. */
  readonly disabled?: boolean;
  readonly wide?: boolean;
  /** Whether there is more to lose than what was typed. */
  readonly changed?: boolean;
  /** Whether the focus begins on the button that does nothing. */
  readonly safe?: boolean;
  readonly onSubmit: () => void;
  readonly children?: ComponentChildren;
}

export function ActionDialog({
  title,
  text,
  action,
  kind = "primary",
  command,
  disabled = false,
  wide = false,
  changed = false,
  safe = false,
  onSubmit,
  children,
}: ActionDialogProps) {
  useEffect(() => {
    actionFailure.value = undefined;
    return () => void (actionFailure.value = undefined);
  }, []);
  const typed = useRef(false);
  const cancel = useRef<HTMLButtonElement>(null);
  const [isKept, setIsKept] = useState(false);
  const leave = (): void => {
    if (!typed.current && !changed) return closeDialog();
    setIsKept(true);
    cancel.current?.focus();
  };
  const reason = reasonOf(command);
  const { value: failure } = actionFailure;
  const isOff = disabled || reason !== undefined || acting.value !== undefined;
  return (
    <Dialog label={title} name={wide ? "action wide" : "action"} onLeave={leave}>
      <form
        onInput={() => {
          typed.current = true;
          setIsKept(false);
        }}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isOff) onSubmit();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <h2>{title}</h2>
        {text === undefined ? undefined : <p>{text}</p>}
        {children}
        {failure === undefined ? undefined : <Failure error={failure} />}
        {reason === undefined ? undefined : (
          <p class="hint" id="why-not">
            {reason}
          </p>
        )}
        {isKept ? (
          <p class="conflict" role="alert">
            {texts.actions.unsent}
          </p>
        ) : undefined}
        <div class="dialog-tools">
          <button ref={cancel} type="button" class="button" autofocus={safe} onClick={closeDialog}>
            {texts.actions.cancel}
          </button>
          <button type="submit" class={`button ${kind}`} disabled={isOff} aria-describedby={reason === undefined ? undefined : "why-not"}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ChoiceProps<Value extends string | boolean> {
  readonly legend: string;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly hint: string }[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

/** One of a few options, each with what it means. The focus begins on the first one. */
export function Choice<Value extends string | boolean>({ legend, options, chosen, onChoose }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map(({ value, label, hint }, index) => (
        <label key={String(value)} class="choice">
          <input type="radio" name={name} checked={value === chosen} autofocus={index === 0} onChange={() => onChoose(value)} />
          <span>
            {label}
            <span class="hint">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
