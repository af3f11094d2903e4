/** What was acknowledged has its effect once, what was refused has none, and who asks again is told the same. */
import type { Event } from "../../packages/throughline/src/index.ts";
import { textOf } from "../../packages/throughline/src/session/session-messages.ts";
import type { CustomerLeft, Deed, DeedType, Left, Told, World } from "./world.ts";

type Wrong = (text: string) => void;
const times = (list: unknown, mark: string): number => (Array.isArray(list) ? list.filter((item) => item === mark).length : 0);

/** Messages of a source with the mark as their text. */
const said =
  (source: Event["source"]) =>
  ({ events }: Left, { mark }: Deed): number =>
    events.filter((event) => event.kind === "message" && event.source === source && textOf(event.data.parts) === mark).length;

/** Changes of the state by an operator that bring the mark. */
const edits = ({ events }: Left, { mark }: Deed): readonly number[] =>
  events.flatMap((event) =>
    event.kind === "state" && event.data.writer.type === "operator" && JSON.stringify(event.data.patch).includes(`"${mark}"`) ? [event.offset] : [],
  );

/** How often something of the hand-over becomes the mark. It stays what it is through later changes. */
const becomes =
  (name: "reason" | "operator") =>
  ({ events }: Left, { mark }: Deed): number => {
    let count = 0;
    let before: string | undefined;
    for (const event of events) {
      if (event.kind !== "session" || (event.data.type !== "mode" && event.data.type !== "handover")) continue;
      const now = event.data.handover?.[name];
      if (now === mark && before !== mark) count += 1;
      before = now;
    }
    return count;
  };

const titles = ({ events, origin }: Left, { mark }: Deed): number =>
  events.filter((event) => event.kind === "session" && event.data.type === "title" && event.data.title === mark && event.offset > (origin?.at ?? -1))
    .length;

const customs =
  (name: "mark" | "handover_summary") =>
  ({ events }: Left, { mark }: Deed): number =>
    events.filter((event) => event.kind === "custom" && (event.data.value as { readonly [name: string]: unknown })[name] === mark).length;

/** How often a deed has happened to the session that it is about, as far as its mark says. */
const inSession: { readonly [Type in DeedType]?: (left: Left, deed: Deed) => number } = {
  say: said("customer"),
  speak: said("human_agent"),
  behalf: said("human_agent_on_behalf_of_ai_agent"),
  note: customs("mark"),
  hand_back: customs("handover_summary"),
  edit: (left, deed) => edits(left, deed).length,
  edit_list: (left, deed) => edits(left, deed).length,
  title: titles,
  flip: titles,
  label: ({ labels }, { mark }) => times(labels, mark),
  bookmark: ({ consumers }, { mark }) => (Object.hasOwn(consumers, mark) ? 1 : 0),
  metadata: ({ metadata }, { mark }) => times(metadata["list"], mark),
  own_variable: ({ variables }, { mark }) => (variables[mark] === mark ? 1 : 0),
  hand_over: becomes("reason"),
  assign: becomes("operator"),
  stop: ({ events }, { mark }) =>
    events.filter(({ kind, data }) => kind === "turn" && data.type === "ended" && data.outcome.status === "stopped" && data.outcome.message === mark)
      .length,
};

const inCustomer: { readonly [Type in DeedType]?: (left: CustomerLeft, deed: Deed) => number } = {
  variables: ({ variables }, { mark }) => times(variables["list"], mark),
  customer: ({ metadata }, { mark }) => times(metadata["list"], mark),
};

/** How often a deed has happened; undefined where nothing can tell. */
function effectsOf(deed: Deed, { sessions, customers }: World): number | undefined {
  if (deed.type === "fork") return sessions.filter((session) => titles(session, deed) > 0).length;
  if (deed.type === "delete") return sessions.some(({ id }) => id === deed.on) ? 0 : 1;
  const session = sessions.find(({ id }) => id === deed.on);
  const customer = customers.find(({ id }) => id === deed.on);
  if (session !== undefined) return inSession[deed.type]?.(session, deed);
  return customer === undefined ? undefined : inCustomer[deed.type]?.(customer, deed);
}

/** What may stand against a deed. Anything else is a fault. */
const refusals: { readonly [Type in DeedType]?: readonly string[] } = {
  edit_list: ["session.conflict"],
  metadata: ["request.precondition_failed"],
  variables: ["request.precondition_failed"],
  customer: ["request.precondition_failed"],
  assign: ["handover.taken", "handover.none"],
  hand_back: ["handover.none"],
  start: ["session.manual"],
  stop: ["turn.stopped"],
  retry: ["turn.not_retryable", "session.manual"],
  withdraw: ["session.withdraw_splits_turn"],
};

/** The offset that an answer names: of the event that it is, or where an edit stands. */
const offsetIn = ({ text }: Told): number | undefined => (text === "" ? undefined : (JSON.parse(text) as { readonly offset?: number }).offset);

/** What may pass is decided anew each time, and is then told in other words. */
const isSame = (first: Told, other: Told): boolean =>
  first.status === other.status && (first.code === "session.conflict" ? other.code === first.code : other.text === first.text);

function judgeTold(deed: Deed, isDeleted: boolean, wrong: Wrong): void {
  const [first, ...others] = deed.told;
  if (first === undefined) return deed.keyed ? wrong("was never answered") : undefined;
  for (const { status, code } of deed.told) {
    const isExpected =
      code === undefined ? status < 300 : refusals[deed.type]?.includes(code) === true || (isDeleted && code === "session.not_found");
    if (!isExpected) wrong(`was answered with ${status} ${code}`);
  }
  // An answer goes with the session that it is about.
  for (const other of others) if (!isDeleted && !isSame(first, other)) wrong(`was answered with ${first.text} and with ${other.text}`);
  for (const { status, code } of deed.misused) if (!isDeleted && code !== "request.key_reused") wrong(`gave away its key: ${status} ${code}`);
}

/** One deed: its effect is there as often as the caller was told, and where. */
function judgeDeed(deed: Deed, world: World, wrong: Wrong): void {
  const { sessions, deleted } = world;
  const isDeleted = deleted.includes(deed.on);
  judgeTold(deed, isDeleted, wrong);
  const effects = isDeleted && deed.type !== "delete" ? undefined : effectsOf(deed, world);
  const [told] = deed.told;
  // A fork may have been deleted since; one that is gone leaves no trace of its title.
  const isGone = deed.type === "fork" && told?.status === 201 && deleted.includes((JSON.parse(told.text) as { readonly id: string }).id);
  if (effects === undefined || isGone) return;
  if (told === undefined && effects > 1) wrong(`has happened ${effects} times`);
  // A turn that has ended by itself is not stopped, and who asked is told how it ended.
  const due = deed.type === "stop" && told?.text.includes(`"${deed.mark}"`) === false ? 0 : 1;
  if (told !== undefined && told.status < 300 && effects !== due) wrong(`was done, and has happened ${effects} times`);
  // What is not there cannot be deleted: it may be that it was.
  if (told !== undefined && told.status >= 400 && effects !== 0 && deed.type !== "delete")
    wrong(`was refused with ${told.code}, and has happened ${effects} times`);
  const session = sessions.find(({ id }) => id === deed.on);
  if (session !== undefined && told !== undefined && told.status < 300) judgePlace(deed, session, { told, wrong });
}

/** The event of a deed is where the caller was told; an edit on condition overlooks no other. */
function judgePlace(deed: Deed, { events }: Left, { told, wrong }: { readonly told: Told; readonly wrong: Wrong }): void {
  const offset = offsetIn(told);
  if (["say", "speak", "behalf", "note", "edit", "edit_list"].includes(deed.type)) {
    const event = offset === undefined ? undefined : events[offset];
    if (event === undefined || !JSON.stringify(event.data).includes(`"${deed.mark}"`)) wrong(`was told to be at offset ${offset}, and is not`);
  }
  if (deed.type !== "edit_list" || offset === undefined) return;
  const between = events.find((event) => event.kind === "state" && event.offset > deed.at! && event.offset < offset);
  if (between !== undefined) wrong(`rests on the state at ${deed.at}, and overlooks the change at ${between.offset}`);
}

/** Offsets are taken back as often as that was asked for. */
function judgeWithdrawals({ sessions, deeds }: World, wrong: Wrong): void {
  for (const { id, events, origin } of sessions) {
    const own = events.filter(({ offset }) => offset > (origin?.at ?? -1));
    const asked = deeds.filter(({ type, on }) => type === "withdraw" && on === id);
    const done = own.flatMap((event) =>
      event.kind === "session" && event.data.type === "withdrawn" ? [{ at: event.offset, from: event.data.from }] : [],
    );
    // What was taken back at or after an offset stays so: taking back from there begins where that did.
    const asOf = (at: number, now: number): number =>
      Math.min(at, ...done.filter((earlier) => earlier.at >= at && earlier.at < now).map(({ from }) => from));
    for (const { at: now, from } of done)
      if (!asked.some(({ at }) => asOf(at!, now) === from)) wrong(`${id} was taken back from ${from} at ${now}, and nobody asked for that`);
    const sure = asked.filter(({ told }) => told[0] !== undefined && told[0].status < 300).length;
    const possible = asked.filter(({ told }) => told[0] === undefined || told[0].status < 300).length;
    if (done.length < sure || done.length > possible)
      wrong(`${id} was taken back ${done.length} times, and asked to be ${sure} to ${possible} times`);
  }
}

/** Judges what callers were told. */
export function judgeDeeds(world: World, wrong: Wrong): void {
  for (const deed of world.deeds) judgeDeed(deed, world, (text) => wrong(`${deed.type} ${deed.mark} on ${deed.on} ${text}`));
  judgeWithdrawals(world, wrong);
}
