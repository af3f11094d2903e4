import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Syncs the folder that contains `path`. A file that was created, renamed or removed survives a power failure only after its folder is synced. Does
 * nothing on Windows, which cannot open folders and keeps file names in its journal.
 */
export function syncFolderOf(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(dirname(resolve(path)), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
