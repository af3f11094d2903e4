/** A screen whose code is loaded when it is first shown, so that the page is small where a person begins. */
import type { ComponentType } from "preact";
import { useLoaded } from "../base/page-service.ts";
import { texts } from "../base/page-texts.ts";
import type { PathParts } from "../base/screen-shape.ts";
import { Failure } from "./notice.tsx";

interface ViewProps {
  readonly parts: PathParts;
}

type View = ComponentType<ViewProps>;

/** Returns a view that loads another one. A load that fails is tried again when the service is back. */
export function lateView(load: () => Promise<View>): View {
  let loaded: View | undefined;
  return function LateView(props: ViewProps) {
    const { error } = useLoaded("view", async () => (loaded ??= await load()));
    if (loaded !== undefined) {
      const Loaded = loaded;
      return <Loaded {...props} />;
    }
    return error === undefined ? <p class="waiting">{texts.loading}</p> : <Failure error={error} />;
  };
}
