/** Two points of conversations side by side: what both say, how their states differ, and what each took. */
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { RequestError, WireEvent } from "@throughline/client";
import { announce } from "../../base/overlays.ts";
import { failureOf } from "../../base/page-actions.ts";
import { useLoaded, client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf, changeQuery, place } from "../../base/router.ts";
import type { PathParts } from "../../base/screen-shape.ts";
import { stateAt } from "../../base/states.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { ChangeList } from "../../parts/change-list.tsx";
import { detailOf } from "../../parts/event-detail.ts";
import { Icon } from "../../parts/icon.tsx";
import { changesBetween } from "../../parts/json-rows.ts";
import { LongText, oneLine } from "../../parts/long-text.tsx";
import { messageText } from "../../parts/message-text.ts";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { reads, rereadCommand, round, rounds, swapCommand } from "./compare-keys.ts";
import {
  type Comparison,
  type Figures,
  figuresOf,
  mostEvents,
  readComparison,
  readRelated,
  readTurns,
  type Round,
  type Side,
} from "./compare-points.ts";
import { offsetIn, type Point, pointIn, textOfPoint } from "./compared-point.ts";

const own = texts.compare;
/** Rounds that are shown at once, and that come with one more click. */
const windowSize = 30;
/** Milliseconds after a new event before the comparison is read again. */
const growthMs = 500;

export function CompareView({ parts: { session = "" } }: { readonly parts: PathParts }) {
  const { at, cmp } = place.value.query;
  const left: Point = { id: session, at: offsetIn(at) };
  const right = pointIn(cmp, session);
  return (
    <div class="screen compare">
      <header class="screen-head">
        <nav aria-label={texts.breadcrumb} class="breadcrumb">
          <a href={addressOf("")}>{texts.sessions.title}</a>
          <Icon name="forward" />
          <a href={addressOf(`sessions/${session}`, { at })} class="id">
            {session}
          </a>
          <Icon name="forward" />
        </nav>
        <h1>{own.heading}</h1>
      </header>
      <Points left={left} right={right} />
      {right === undefined ? <Related session={session} /> : <Sides key={namesOf(left, right)} left={left} right={right} />}
    </div>
  );
}

const namesOf = (left: Point, right: Point): string => `${textOfPoint(left, "")} ${textOfPoint(right, "")}`;

function Sides({ left, right }: { readonly left: Point; readonly right: Point }) {
  const { value, error } = useLoaded(`${namesOf(left, right)} ${reads.value}`, (signal) => readComparison(left, right, signal));
  const unfollowed = useGrowth(value, left, right);
  const failure = error ?? unfollowed;
  const relation = value === undefined ? undefined : relationOf(value);
  useEffect(() => {
    if (relation !== undefined) announce("compare", relation);
  }, [relation]);
  if (value === undefined) return failure === undefined ? <p class="waiting">{texts.loading}</p> : <Failure error={failure} />;
  return (
    <>
      <p class="relation">{relation}</p>
      {failure === undefined ? undefined : <Failure error={failure} />}
      <div class="panes">
        <Talks comparison={value} ends={[left.at === undefined, right.at === undefined]} />
        <section class="pane" aria-label={own.details}>
          <div class="scroll" tabIndex={0} role="region" aria-label={own.differences}>
            <FiguresTable comparison={value} />
            <StateDiff comparison={value} />
          </div>
        </section>
      </div>
    </>
  );
}

/** Reads the comparison again after a session that is compared at its end has grown. Returns why a session cannot be followed. */
function useGrowth(comparison: Comparison | undefined, left: Point, right: Point): RequestError | undefined {
  const [failure, setFailure] = useState<RequestError | undefined>(undefined);
  useEffect(() => {
    if (comparison === undefined) return;
    const offsets: Record<string, number> = {};
    if (left.at === undefined) offsets[left.id] = comparison.left.info.head + 1;
    if (right.at === undefined) offsets[right.id] = comparison.right.info.head + 1;
    if (Object.keys(offsets).length === 0) return;
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async (): Promise<void> => {
      for await (const _event of client().live(Object.keys(offsets), { offsets, drafts: false, signal: gone.signal }))
        // Events that come together are read together.
        timer ??= setTimeout(() => {
          timer = undefined;
          reads.value += 1;
        }, growthMs);
    };
    setFailure(undefined);
    follow().catch((error: unknown) => gone.signal.aborted || setFailure(failureOf(error)));
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [comparison]);
  return failure;
}

/** Which side is the fork of which. */
function relationOf({ left, right, common }: Comparison): string {
  if (common === undefined) return own.relation.none;
  if (left.info.id === right.info.id) return own.relation.same(common.at);
  if (common.id === left.info.id) return own.relation.right(common.at);
  if (common.id === right.info.id) return own.relation.left(common.at);
  return own.relation.siblings(common.id, common.at);
}

/** The fields that name both points. */
function Points({ left, right }: { readonly left: Point; readonly right: Point | undefined }) {
  const shown = right === undefined ? "" : textOfPoint(right, left.id);
  const [typed, setTyped] = useState(shown);
  const [wrong, setWrong] = useState(false);
  useEffect(() => setTyped(shown), [shown]);
  return (
    <form
      class="filter-bar points"
      onSubmit={(event) => {
        event.preventDefault();
        const point = pointIn(typed, left.id);
        setWrong(point === undefined);
        if (point !== undefined) changeQuery({ cmp: textOfPoint(point, left.id) });
      }}
    >
      <label class="offset-field">
        <span>{own.leftAt}</span>
        <input
          type="number"
          min={0}
          placeholder={own.end}
          value={left.at ?? ""}
          onChange={(event) => changeQuery({ at: event.currentTarget.value })}
        />
      </label>
      <label class="filter">
        <span>{own.with}</span>
        <input
          id="compare-with"
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder={own.placeholder}
          value={typed}
          aria-invalid={wrong}
          aria-describedby={wrong ? "compare-fault" : undefined}
          onInput={(event) => (setTyped(event.currentTarget.value), setWrong(false))}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <button type="submit" class="button">
        {own.go}
      </button>
      <ActionButton command={swapCommand} />
      <ActionButton command={rereadCommand} />
      {wrong ? (
        <p class="fault" id="compare-fault" role="alert">
          {own.fault}
        </p>
      ) : undefined}
    </form>
  );
}

/** Sessions to compare with. */
function Related({ session }: { readonly session: string }) {
  const { value, error } = useLoaded(`related ${session}`, async (signal) => {
    const info = await client().sessions.get(session).info({ signal });
    return { info, items: await readRelated(info, signal) };
  });
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined) return <p class="waiting">{texts.loading}</p>;
  const { info, items } = value;
  if (items.length === 0) return <EmptyState title={own.none.title} text={own.none.text} />;
  return (
    <div class="customer-list" tabIndex={0} role="region" aria-label={own.related}>
      <ul>
        {items.map(({ id, title, origin, head }) => (
          <li key={id}>
            <a href={addressOf(`sessions/${session}/compare`, { at: place.value.query["at"], cmp: id })}>
              <bdi>{title === null ? id : oneLine(title, 120)}</bdi>
            </a>
            {origin?.session_id === info.id ? <span class="badge">{own.forkAt(origin.at)}</span> : undefined}
            {info.origin?.session_id === id ? <span class="badge">{own.originAt(info.origin.at)}</span> : undefined}
            <span class="faint">{own.events(head + 1)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const nameOf = ({ info: { id, title } }: Side): string => (title === null ? id : oneLine(title, 80));

interface TalksProps {
  readonly comparison: Comparison;
  /** Which sides are compared at their end. */
  readonly ends: readonly [left: boolean, right: boolean];
}

function Talks({ comparison: { left, right, common, before }, ends }: TalksProps) {
  const [more, setMore] = useState(0);
  const count = Math.max(left.rounds.length, right.rounds.length);
  const { value: selected } = round;
  useLayoutEffect(() => void (round.value = -1), []);
  useLayoutEffect(() => void (rounds.value = count), [count]);
  useLayoutEffect(() => {
    document.querySelector(".rounds > [aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const end = Math.min(count, Math.max(windowSize + more, selected + 1));
  return (
    <section class="pane" aria-label={own.sides}>
      <div class="pair pair-head">
        {[left, right].map((side, index) => (
          <a key={index} href={addressOf(`sessions/${side.info.id}`, { at: ends[index] === true ? undefined : side.at })}>
            <span class="faint">{index === 0 ? own.left : own.right}</span>
            <bdi>{nameOf(side)}</bdi>
            <span class="id">#{side.at}</span>
            {ends[index] === true ? <span class="badge open">{own.live}</span> : undefined}
          </a>
        ))}
      </div>
      <div class="conversation" tabIndex={0} role="region" aria-label={own.conversations}>
        {common === undefined ? undefined : (
          <div class="common">
            <Entries round={before} session={left.info.id} />
            <p class="more">{own.common(common.at)}</p>
          </div>
        )}
        {count === 0 ? <p class="more">{own.nothingAfter}</p> : undefined}
        <ol class="rounds">
          {Array.from({ length: end }, (_, index) => (
            <li key={index} class="pair" aria-current={index === selected ? "true" : undefined}>
              <Cell side={left} name={own.left} index={index} />
              <Cell side={right} name={own.right} index={index} />
            </li>
          ))}
        </ol>
        {end === count ? undefined : (
          <button type="button" class="button" onClick={() => setMore(more + windowSize)}>
            {own.moreRounds(Math.min(windowSize, count - end))}
          </button>
        )}
        {left.more || right.more ? <p class="more">{own.cut(mostEvents)}</p> : undefined}
      </div>
    </section>
  );
}

/** One round of one side. */
const Cell = ({ side, name, index }: { readonly side: Side; readonly name: string; readonly index: number }) => {
  const events = side.rounds[index];
  return (
    <div class="pair-side" role="group" aria-label={name}>
      {events === undefined ? <p class="faint">{own.nothing}</p> : <Entries round={events} session={side.info.id} />}
    </div>
  );
};

const Entries = ({ round: events, session }: { readonly round: Round; readonly session: string }) => (
  <ul>
    {events.map((event) => (
      <li key={event.offset} class={`entry ${event.kind === "message" ? `message ${event.data.role}` : `note ${event.kind}`}`}>
        <div class="entry-head">
          <span class="author">{authorOf(event)}</span>
          <a class="offset-link" href={addressOf(`sessions/${session}`, { at: event.offset })} aria-label={texts.session.lookAt(event.offset)}>
            #{event.offset}
          </a>
        </div>
        {event.kind === "message" ? (
          <LongText text={event.data.redacted === true ? texts.session.redacted : messageText(event.data) || detailOf(event)} />
        ) : (
          <p class="note-text">
            <bdi>{detailOf(event)}</bdi>
          </p>
        )}
      </li>
    ))}
  </ul>
);

function authorOf(event: WireEvent) {
  const name = event.kind === "message" ? event.data.participant?.display_name : undefined;
  if (name !== undefined) return <bdi>{oneLine(name, 60)}</bdi>;
  return event.kind === "message" ? texts.sources[event.source] : texts.kinds[event.kind];
}

const figures = ["turns", "input", "output", "cost"] as const satisfies readonly (keyof Figures)[];

/** Turns, tokens and cost of both sides, and how much of them came after the common part. */
function FiguresTable({ comparison: { left, right, common } }: { readonly comparison: Comparison }) {
  const loadKey = `figures ${left.info.id} ${left.at} ${right.info.id} ${right.at} ${left.info.head} ${right.info.head}`;
  const { value, error } = useLoaded(loadKey, (signal) => Promise.all([left, right].map(({ info, at }) => readTurns(info.id, at, signal))));
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined) return <p class="waiting">{texts.loading}</p>;
  const sides = value.map((turns) => ({ all: figuresOf(turns, -1), after: figuresOf(turns, common?.at ?? -1) }));
  return (
    <table class="figures">
      <caption class="sub">{own.figures.title}</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">{own.left}</th>
          <th scope="col">{own.right}</th>
        </tr>
      </thead>
      <tbody>
        {figures.map((name) => (
          <tr key={name}>
            <th scope="row">{own.figures[name]}</th>
            {sides.map(({ all, after }, index) => (
              <td key={index}>
                {own.figures.number(all[name])}
                {common === undefined ? undefined : <span class="faint">{own.figures.after(after[name])}</span>}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function StateDiff({ comparison: { left, right } }: { readonly comparison: Comparison }) {
  const loadKey = `states ${left.info.id} ${left.at} ${right.info.id} ${right.at}`;
  const { value, error } = useLoaded(loadKey, (signal) =>
    Promise.all([stateAt(left.info.id, left.at, signal), stateAt(right.info.id, right.at, signal)]),
  );
  const changes = useMemo(() => (value === undefined ? [] : changesBetween(value[0].state, value[1].state)), [value]);
  return (
    <>
      <h2 class="sub">{own.state}</h2>
      {error !== undefined ? (
        <Failure error={error} />
      ) : value === undefined ? (
        <p class="waiting">{texts.loading}</p>
      ) : changes.length === 0 ? (
        <p class="waiting">{own.sameState}</p>
      ) : (
        <ChangeList changes={changes} words={own.words} />
      )}
    </>
  );
}
