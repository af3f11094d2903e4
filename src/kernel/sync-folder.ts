import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Syncs the folder that holds `path`. A file that was created, renamed or removed survives a power cut only after its folder is on disk, too. Windows
 * cannot open a folder and keeps names in its journal, so nothing happens there.
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
