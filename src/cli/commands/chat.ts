import { ThroughlineError } from "../../kernel/error.ts";
import { openConversation, type ChatOptions } from "../chat/conversation.ts";
import { chatAtTerminal } from "../chat/interactive.ts";
import { chatOverPipe } from "../chat/piped.ts";
import type { CommandContext } from "../context.ts";

/** `chat`: at a terminal with a person, over a pipe one message a line. Returns the exit code. */
export async function chat(context: CommandContext, options: ChatOptions): Promise<number> {
  const { stdin, output } = context;
  if (options.new && options.session !== undefined) throw new ThroughlineError("cli.usage", "--new and --session exclude each other.");
  if (options.session !== undefined && (options.customer !== undefined || options.incognito === true))
    throw new ThroughlineError("cli.usage", "--session names a session that there is; --customer and --incognito are for a new one.");
  const atTerminal = stdin.isTTY && output.out.stream.isTTY;
  if (atTerminal && output.json)
    throw new ThroughlineError("cli.usage", "--json is for a conversation from a pipe.", {
      hint: "For example: echo hello | throughline chat --json",
    });
  // What the last words are, the kind of chat decides; the switch that speaks them is built into the agent before.
  const lastWords = { run: (): void => {} };
  // A pipe begins a conversation of its own, unless it is told which one to join.
  const conversation = await openConversation(context, { ...options, new: options.new || (!stdin.isTTY && options.session === undefined) }, () =>
    lastWords.run(),
  );
  let code = 1;
  try {
    code = await (atTerminal ? chatAtTerminal : chatOverPipe)(conversation, stdin, lastWords);
    return code;
  } finally {
    // Whoever leaves does not wait for a reply; the turn is given back and resumed with the next start.
    await conversation.close({ drainMs: atTerminal || code > 128 ? 0 : 5_000 });
  }
}
