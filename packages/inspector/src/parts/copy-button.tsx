/** Copies a text and says whether that worked. */
import { useState } from "preact/hooks";
import { copyText } from "../base/browser.ts";
import { texts } from "../base/page-texts.ts";
import { Icon } from "./icon.tsx";

/** Milliseconds for which the result is shown. */
const shownMs = 1_500;

export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const [result, setResult] = useState<"idle" | "done" | "failed">("idle");
  const copy = async (): Promise<void> => {
    setResult((await copyText(text())) ? "done" : "failed");
    setTimeout(() => setResult("idle"), shownMs);
  };
  return (
    <button type="button" class="button quiet" onClick={() => void copy()}>
      <Icon name={result === "done" ? "check" : "copy"} />
      {result === "idle" ? label : texts.copy[result]}
    </button>
  );
}
