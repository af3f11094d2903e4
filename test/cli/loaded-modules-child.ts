/** Preloaded into a command line: writes the URLs of the modules that it loads, one per line, into the file `LOADED_MODULES` when it exits. */
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const loaded = new Set<string>();
registerHooks({
  load: (url, context, next) => {
    loaded.add(url);
    return next(url, context);
  },
});
process.on("exit", () => writeFileSync(process.env["LOADED_MODULES"]!, [...loaded].join("\n")));
