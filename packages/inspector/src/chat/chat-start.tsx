/** Starts the customer chat of `serve --demo` in its page. */
import { render } from "preact";
import { startTheme } from "../base/theme.ts";
import { ChatPage } from "./chat-page.tsx";
import { startPlace } from "./chat-place.ts";

const root = document.getElementById("chat");
if (root === null) throw new Error("The page has no element #chat.");
startTheme();
startPlace();
render(<ChatPage />, root);
