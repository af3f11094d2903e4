/** What the inspector takes from the browser: time, storage and the clipboard. Storage may be blocked, and the inspector works without it. */

/** Milliseconds since 1970-01-01 UTC. */
export const now = (): number => Date.now();

/** A value that is kept for this tab, or for this browser. */
export interface Kept {
  get(): string | undefined;
  /** Keeps a value; undefined removes it. */
  set(value: string | undefined): void;
}

const keptIn = (storage: () => Storage, name: string): Kept => ({
  get: () => {
    try {
      return storage().getItem(`throughline.${name}`) ?? undefined;
    } catch {
      return undefined;
    }
  },
  set: (value) => {
    try {
      if (value === undefined) storage().removeItem(`throughline.${name}`);
      else storage().setItem(`throughline.${name}`, value);
    } catch {
      // A browser that keeps nothing asks again after a reload.
    }
  },
});

/** Keeps a value until the tab closes. */
export const keptInTab = (name: string): Kept => keptIn(() => sessionStorage, name);
/** Keeps a value in this browser. */
export const keptInBrowser = (name: string): Kept => keptIn(() => localStorage, name);

/** Offers a file to save. */
export function saveFile(name: string, pieces: readonly string[], type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([...pieces], { type }));
  link.download = name;
  link.click();
  // The browser reads the file after this.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Copies a text. Returns whether the browser allowed it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
