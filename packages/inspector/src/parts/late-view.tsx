/** A screen or a dialog whose code is loaded when it is first shown, so that the page is small where a person begins. */
import type { ComponentType } from "preact";
import { useLoaded } from "../base/page-service.ts";
import { texts } from "../base/page-texts.ts";
import { Failure } from "./notice.tsx";

/** Returns a view that loads another one. A load that fails is tried again when the service is back. */
export function lateView<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function LateView(props: Props) {
    const { error } = useLoaded("view", async () => (loaded ??= await load()));
    if (loaded !== undefined) {
      const Loaded = loaded;
      return <Loaded {...props} />;
    }
    return error === undefined ? <p class="waiting">{texts.loading}</p> : <Failure error={error} />;
  };
}
