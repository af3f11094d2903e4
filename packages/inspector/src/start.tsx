/** Starts the inspector in its page. */
import { render } from "preact";
import { enterByLink } from "./base/page-access.ts";
import { App } from "./app/app.tsx";
import { startRouter } from "./base/router.ts";
import { startShortcuts } from "./app/shortcuts.ts";
import { startTheme } from "./base/theme.ts";

const root = document.getElementById("inspector");
if (root === null) throw new Error("The page has no element #inspector.");
startTheme();
startRouter();
startShortcuts();
void enterByLink();
render(<App />, root);
