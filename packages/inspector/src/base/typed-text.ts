/** The text of a field that narrows a list, and that the address holds. */
import { useEffect, useRef, useState } from "preact/hooks";

/** Milliseconds after the last key before a text is applied. */
const typingMs = 200;

/** What is typed in a field. It is applied, without spaces at its ends, when the person pauses. A value that comes from elsewhere replaces it. */
export function useTyped(value: string, apply: (text: string) => void): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const applied = useRef(value.trim());
  useEffect(() => {
    if (value.trim() === applied.current) return;
    applied.current = value.trim();
    setTyped(value);
  }, [value]);
  useEffect(() => {
    const text = typed.trim();
    if (text === applied.current) return;
    const timer = setTimeout(() => {
      applied.current = text;
      apply(text);
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}
