/** The theme: as the system has it, or as a person chose it in this browser. */
import { effect, signal } from "@preact/signals";
import { keptInBrowser } from "./browser.ts";

const themes = ["system", "light", "dark"] as const;
const contrasts = ["system", "more"] as const;

const keptTheme = keptInBrowser("theme");
const keptContrast = keptInBrowser("contrast");

const oneOf = <Name extends string>(names: readonly [Name, ...Name[]], given: string | undefined): Name =>
  names.find((name) => name === given) ?? names[0];

export const theme = signal(oneOf(themes, keptTheme.get()));
export const contrast = signal(oneOf(contrasts, keptContrast.get()));

const after = <Name>(names: readonly Name[], name: Name): Name => names[(names.indexOf(name) + 1) % names.length] ?? name;

export const nextTheme = (): void => void (theme.value = after(themes, theme.peek()));
export const nextContrast = (): void => void (contrast.value = after(contrasts, contrast.peek()));

/** Applies the theme and keeps it. */
export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    keptTheme.set(theme.value === "system" ? undefined : theme.value);
  });
  effect(() => {
    document.documentElement.dataset["contrast"] = contrast.value;
    keptContrast.set(contrast.value === "system" ? undefined : contrast.value);
  });
}
