/** Plays a written conversation to the real command line, with the offline rules, and reads the ratings that are kept beside the replies. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";

/** `wrong` misleads or misstates, `beside` misses what was said, `empty` would fit anything, `good` helps. */
export const ratings = ["good", "empty", "beside", "wrong"] as const;
const ratingSchema = z.enum(ratings);

const ratedSchema = z.strictObject({ reply: z.string(), rating: ratingSchema.optional() });

const turnSchema = z.strictObject({
  say: z.string(),
  /** What the rules replied when the conversations were written, rated in the same way. */
  before: ratedSchema.optional(),
  reply: z.string().optional(),
  /** Of this very reply. A changed reply has none until somebody reads it. */
  rating: ratingSchema.optional(),
  /** Why a reply is not good. */
  note: z.string().optional(),
});

const conversationSchema = z.strictObject({
  person: z.string(),
  language: z.string(),
  /** Not played while the rules were changed. */
  held_out: z.boolean(),
  /** `before` is what was first read, from rules that were changed for none of its messages. */
  first_reading: z.boolean().optional(),
  turns: z.array(turnSchema).min(20),
});

export type Conversation = z.infer<typeof conversationSchema>;
export type RatedTurn = Conversation["turns"][number];

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = join(folder, "../..");

export const fileOf = (name: string): string => join(folder, `${name}.json`);

/** All conversations by name. */
export const readConversations = (): ReadonlyMap<string, Conversation> =>
  new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith(".json"))
      .toSorted()
      .map((file) => [basename(file, ".json"), conversationSchema.parse(JSON.parse(readFileSync(join(folder, file), "utf8")))]),
  );

const answerSchema = z.object({ turns: z.array(z.object({ message: z.string(), reply: z.string() })) });

/** Says the lines to `throughline chat` in a database of its own. Returns the replies. */
export async function repliesTo(name: string, { turns }: Conversation): Promise<readonly string[]> {
  const place = mkdtempSync(join(tmpdir(), "conversation-"));
  try {
    const words = ["--json", "--db", join(place, "chat.db"), "chat", "--new", "--customer", name];
    const child = spawn(process.execPath, [join(root, "bin/launch.mjs"), join(root, "packages/server/src/cli/main.ts"), ...words], {
      cwd: place,
      env: {
        ...{ PATH: process.env["PATH"], HOME: place, LANG: "C.UTF-8", TZ: "UTC", OLLAMA_HOST: "127.0.0.1:9" },
        NODE_OPTIONS: `--import=${pathToFileURL(join(folder, "fixed-clock.mjs")).href}`,
      },
    });
    const written = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (written.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (written.err += text));
    child.stdin.end(`${turns.map(({ say }) => say).join("\n")}\n`);
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    if (code !== 0) throw new Error(`The conversation "${name}" ended with ${code}: ${written.err.slice(-600)}`);
    return answerSchema.parse(JSON.parse(written.out)).turns.map(({ reply }) => reply);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The conversation with these replies. A rating stays only where the reply is the same. */
export const withReplies = (conversation: Conversation, replies: readonly string[]): Conversation => ({
  ...conversation,
  turns: conversation.turns.map(({ rating, note, ...turn }, place) => {
    const reply = replies[place] ?? "";
    return { ...turn, reply, ...(reply === turn.reply && rating !== undefined ? { rating, ...(note === undefined ? {} : { note }) } : {}) };
  }),
});

/** Turns whose reply is not the rated one, by number from 1. */
export const unrated = ({ turns }: Conversation): readonly number[] =>
  turns.flatMap(({ reply, rating }, place) => (reply === undefined || rating === undefined ? [place + 1] : []));

/** How many replies have each rating. */
export const countsOf = (turns: readonly { readonly rating?: RatedTurn["rating"] }[]): Readonly<Record<(typeof ratings)[number], number>> => ({
  good: turns.filter(({ rating }) => rating === "good").length,
  empty: turns.filter(({ rating }) => rating === "empty").length,
  beside: turns.filter(({ rating }) => rating === "beside").length,
  wrong: turns.filter(({ rating }) => rating === "wrong").length,
});
