/** A modal dialog. The browser keeps the focus inside, and returns it afterwards. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { closeDialog } from "../base/overlays.ts";

interface DialogProps {
  readonly label: string;
  readonly name: string;
  /** Called for Esc and for a click beside the content. Without it, both close the dialog. */
  readonly onLeave?: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ label, name, onLeave = closeDialog, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pressedBeside = useRef(false);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.isComposing) return;
        event.preventDefault();
        onLeave();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onLeave();
      }}
      onPointerDown={(event) => void (pressedBeside.current = event.target === event.currentTarget)}
      onClick={(event) => {
        // A click beside the content reaches the dialog itself. So does a press in a field, such as to select text, that is released beside it.
        if (event.target === event.currentTarget && pressedBeside.current) onLeave();
      }}
    >
      {children}
    </dialog>
  );
}
