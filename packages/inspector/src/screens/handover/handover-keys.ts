/** Commands of the hand-over: the queues, and what an operator does with the chosen session. */
import { signal } from "@preact/signals";
import { announce } from "../../base/overlays.ts";
import { act } from "../../base/page-actions.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { changeQuery, go, place } from "../../base/router.ts";
import type { Command } from "../../base/screen-shape.ts";
import { type HandoverQueue, type QueueName, queueNames } from "./handover-queue.ts";
import type { HandoverTalk } from "./handover-talk.ts";
import { operator } from "../../base/operator-name.ts";

/** The queue and the session on the screen. */
export const shownQueue = signal<HandoverQueue | undefined>(undefined);
export const shownTalk = signal<HandoverTalk | undefined>(undefined);
/** What the operator has written and not sent. */
export const replyText = signal("");
export const asAgent = signal(false);
export const summaryText = signal("");
export const resumes = signal(false);

/** The queue in the address. */
export const queueName = (): QueueName => queueNames.find((name) => name === place.value.query["queue"]) ?? "waiting";

/** Chooses a session. Another one starts without the texts that were meant for the last. */
export function chooseTalk(id: string | undefined, queue: QueueName = queueName()): void {
  if (id !== place.peek().query["session"]) {
    replyText.value = "";
    summaryText.value = "";
  }
  changeQuery({ session: id, queue: queue === "waiting" ? undefined : queue }, { replace: queue === queueName() });
}

function move(by: number): void {
  const items = shownQueue.peek()?.items.peek() ?? [];
  const at = items.findIndex(({ session_id }) => session_id === place.peek().query["session"]);
  const next = items[Math.max(0, Math.min(items.length - 1, at < 0 ? 0 : at + by))];
  if (next !== undefined) chooseTalk(next.session_id);
}

const focus = (id: string): void => document.getElementById(id)?.focus();

/** The handover of the chosen session. */
const handover = () => shownTalk.value?.info.value?.handover;
const isManual = (): boolean => shownTalk.value?.info.value?.mode === "manual";

/** Runs an action on the chosen session and shows what it changed. */
async function actOn(id: string, done: string, work: (talk: HandoverTalk) => Promise<unknown>): Promise<boolean> {
  const talk = shownTalk.peek();
  if (talk === undefined) return false;
  const succeeded = await act(id, () => work(talk));
  if (succeeded) announce("handover", done);
  void shownQueue.peek()?.read();
  return succeeded;
}

const sessionOf = (talk: HandoverTalk) => client().sessions.get(talk.id);

async function claim(): Promise<void> {
  const name = operator.peek().trim();
  if (name === "") {
    announce("handover", texts.handover.operatorFirst);
    return focus("operator");
  }
  const talk = shownTalk.peek();
  if (await actOn("handover.claim", texts.handover.commands.claim, (own) => sessionOf(own).assign({ operator: name }))) chooseTalk(talk?.id, "mine");
}

async function send(): Promise<void> {
  const name = operator.peek().trim();
  const text = replyText.peek();
  if (text.trim() === "") return focus("reply");
  if (name === "") return focus("operator");
  const options = asAgent.peek() ? ({ onBehalfOfAgent: true, name } as const) : { name };
  if (await actOn("handover.send", texts.handover.commands.send, (talk) => sessionOf(talk).postOperator(text, options))) replyText.value = "";
}

async function handBack(): Promise<void> {
  const summary = summaryText.peek().trim();
  const request = { ...(summary === "" ? {} : { summary }), ...(resumes.peek() ? { resume: true } : {}) };
  if (await actOn("handover.back", texts.handover.commands.handBack, (talk) => sessionOf(talk).handBack(request))) summaryText.value = "";
}

const scope = "handover";
const { commands, queues } = texts.handover;
const needs = ["handover"];

export const claimCommand: Command = {
  ...{ id: "handover.claim", title: commands.claim, keys: ["c"], scope, operation: "assignSession", needs },
  when: () => handover()?.status === "waiting" && isManual(),
  run: () => void claim(),
};
export const putBackCommand: Command = {
  ...{ id: "handover.putBack", title: commands.putBack, keys: ["u"], scope, operation: "unassignSession", needs },
  when: () => handover()?.status === "assigned" && isManual(),
  run: () => void actOn("handover.putBack", commands.putBack, (talk) => sessionOf(talk).unassign()),
};
export const sendCommand: Command = {
  ...{ id: "handover.send", title: commands.send, keys: ["mod+enter"], scope, operation: "postEvent", needs: ["sessions:write"] },
  when: isManual,
  run: () => void send(),
};
export const handBackCommand: Command = {
  ...{ id: "handover.back", title: commands.handBack, keys: ["B"], scope, operation: "handBack", needs },
  when: isManual,
  run: () => void handBack(),
};

export const handoverCommands: readonly Command[] = [
  { id: "handover.next", title: commands.next, keys: ["j", "ArrowDown"], scope, run: () => move(1) },
  { id: "handover.previous", title: commands.previous, keys: ["k", "ArrowUp"], scope, run: () => move(-1) },
  ...queueNames.map((name, index) => ({
    ...{ id: `handover.${name}`, title: commands.queue(queues[name]), keys: [String(index + 1)], scope, operation: "listHandovers" as const, needs },
    run: () => chooseTalk(undefined, name),
  })),
  claimCommand,
  { id: "handover.reply", title: commands.reply, keys: ["r"], scope, when: isManual, run: () => focus("reply") },
  sendCommand,
  { id: "handover.summary", title: commands.summary, keys: ["b"], scope, when: isManual, run: () => focus("summary") },
  handBackCommand,
  putBackCommand,
  {
    ...{ id: "handover.open", title: commands.open, keys: ["Enter"], scope, operation: "getSession" },
    when: () => shownTalk.value !== undefined,
    run: () => go(`sessions/${shownTalk.peek()?.id ?? ""}`),
  },
  { id: "handover.operator", title: commands.operator, keys: ["n"], scope, run: () => focus("operator") },
];
