/** What commands act on: what stands on the screen. */
import type { Signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** Tells commands what is shown, before a person sees it, until it is gone. Without the layout effect a key pressed at once would act on nothing. */
export function useShown<Value>(shown: Signal<Value | undefined>, value: Value): void {
  useLayoutEffect(() => void (shown.value = value), [value]);
  useLayoutEffect(() => () => void (shown.value = undefined), []);
}
