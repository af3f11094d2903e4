/** `npm run set-version -- 0.2.0` puts a version on all packages, the templates, the lock file and the changelog. docs/how-to/releasing.md says what follows. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesOfVersion } from "./release/next-version.ts";
import { root } from "./root.ts";

const [version = ""] = process.argv.slice(2);
try {
  const files = filesOfVersion(version, new Date().toISOString().slice(0, 10));
  for (const [name, text] of files) writeFileSync(join(root, name), text);
  console.log(`Version ${version} is in ${files.size} files. Read the difference, and commit it.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
