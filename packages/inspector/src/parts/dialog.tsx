/** A modal dialog. The browser keeps the focus inside, and returns it afterwards. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { closeDialog } from "../base/overlays.ts";

export function Dialog({ label, name, children }: { readonly label: string; readonly name: string; readonly children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
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
        closeDialog();
      }}
      onCancel={(event) => {
        event.preventDefault();
        closeDialog();
      }}
      onClick={(event) => {
        // A click beside the content reaches the dialog itself.
        if (event.target === event.currentTarget) closeDialog();
      }}
    >
      {children}
    </dialog>
  );
}
