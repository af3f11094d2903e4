/** What a model was asked in a turn, as it was sent: sections with their origin and tokens, the conversation, and the request itself. */
import { useMemo, useState } from "preact/hooks";
import type { ResultOf, WireJson, WireJsonObject } from "@throughline/client";
import { useLoaded, client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { useShown } from "../../base/use-shown.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import type { Line } from "../../parts/event-line.ts";
import type { TabProps } from "./live-session.ts";
import { curlOf, fixtureOf, requestOf, stepsOf } from "./prompt-copies.ts";
import { promptAsCurl, promptAsFixture } from "./tab-copies.ts";
import { useTurn, useWhole } from "./turn-at.ts";

type Prompt = ResultOf<"getPrompt">;

/** A part of the prompt, as the record describes it. */
interface Part {
  readonly name: string;
  readonly provenance: string;
  readonly tokens: number;
  readonly placement: string;
  readonly text: string | undefined;
}

const isObject = (value: WireJson | undefined): value is WireJsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: WireJson | undefined): readonly WireJsonObject[] =>
  Array.isArray(value) ? value.filter((item: WireJson) => isObject(item)) : [];
const textOf = (value: WireJson | undefined): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value));
const numberOf = (value: WireJson | undefined): number => (typeof value === "number" ? value : 0);

function partsOf(prompt: Prompt): readonly Part[] {
  const sections = new Map(listOf(requestOf(prompt)["sections"]).map((section) => [textOf(section["name"]), textOf(section["text"])]));
  return listOf(prompt.record["parts"]).map((part) => {
    const name = textOf(part["name"]);
    const { provenance, tokens, placement } = part;
    return { name, provenance: textOf(provenance), tokens: numberOf(tokens), placement: textOf(placement), text: sections.get(name) };
  });
}

export function PromptTab({ session, at }: TabProps) {
  const { id: turn, lines = [] } = useTurn(session, at) ?? {};
  const steps = lines.filter(({ kind, type }) => kind === "turn" && type === "step").length;
  const [step, setStep] = useState<number | undefined>(undefined);
  const wanted = step !== undefined && step <= steps ? step : undefined;
  const { value, error, fresh } = useLoaded(
    turn === undefined ? undefined : `${session.id} ${turn} ${wanted ?? "last"} ${steps}`,
    (signal) =>
      client().call("getPrompt", {
        path: { session_id: session.id },
        query: { ...(turn === undefined ? {} : { turn }), ...(wanted === undefined ? {} : { step: wanted }) },
        signal,
      }),
    "prompts:read",
  );
  if (error?.code === "prompt.not_kept")
    return <EmptyState title={texts.prompt.none.title} text={steps === 0 ? texts.prompt.none.noStep : texts.prompt.none.notKept} />;
  if (turn === undefined) return <EmptyState title={texts.prompt.none.title} text={texts.prompt.none.noStep} />;
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined || (!fresh && value.turn_id !== turn)) return <p class="waiting">{texts.loading}</p>;
  return <Shown prompt={value} steps={steps} onStep={setStep} session={session} lines={lines} />;
}

interface ShownProps extends Pick<TabProps, "session"> {
  /** The events of the turn. */
  readonly lines: readonly Line[];
  readonly prompt: Prompt;
  readonly steps: number;
  readonly onStep: (step: number) => void;
}

function Shown({ prompt, steps, onStep, session, lines }: ShownProps) {
  const { events } = useWhole(
    session,
    lines.filter(({ kind, type }) => kind === "message" || (kind === "turn" && type === "step")),
  );
  const model = stepsOf(events, prompt.turn_id)[prompt.step - 1]?.model;
  const curl = (): string => curlOf(prompt, model);
  const fixture = (): string => fixtureOf(prompt, session.id, events);
  useShown(
    promptAsCurl,
    useMemo(() => curl, [prompt, events.length]),
  );
  useShown(
    promptAsFixture,
    useMemo(() => fixture, [prompt, events.length]),
  );
  const parts = partsOf(prompt);
  const tokens = numberOf(prompt.record["tokens"]);
  const budget = numberOf(prompt.record["budget"]);
  const most = Math.max(1, ...parts.map((part) => part.tokens));
  const messages = listOf(requestOf(prompt)["messages"]);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.session.tabs.prompt}>
      <div class="pane-tools">
        {steps > 1 ? (
          <span class="switch" role="group" aria-label={texts.prompt.step}>
            {Array.from({ length: Math.min(steps, 20) }, (_, index) => (
              <button key={index} type="button" aria-pressed={prompt.step === index + 1} onClick={() => onStep(index + 1)}>
                {texts.prompt.stepOf(index + 1)}
              </button>
            ))}
          </span>
        ) : undefined}
        <span>{texts.prompt.tokens(tokens, budget)}</span>
        <CopyButton label={texts.prompt.copy} text={() => prompt.body} />
        <CopyButton label={texts.prompt.copyCurl} text={curl} />
        <CopyButton label={texts.prompt.copyFixture} text={fixture} />
      </div>
      <ul class="parts">
        {parts.map((part) => (
          <li key={part.name}>
            <PartItem part={part} most={most} />
          </li>
        ))}
      </ul>
      <h2 class="sub">{texts.prompt.messages(messages.length)}</h2>
      <ol class="prompt-messages">
        {messages.map((message, index) => (
          <li key={index}>
            <span class="badge">{textOf(message["role"])}</span>
            <div>
              {[message["text"], message["results"], message["calls"]].map((part, place) =>
                part === undefined || part === "" ? undefined : <LongText key={place} text={textOf(part)} />,
              )}
            </div>
          </li>
        ))}
      </ol>
      <details class="request">
        <summary>{texts.prompt.request}</summary>
        <LongText text={prompt.body} code />
      </details>
    </div>
  );
}

function PartItem({ part: { name, provenance, tokens, placement, text }, most }: { readonly part: Part; readonly most: number }) {
  const isIn = placement === "in prompt";
  const head = (
    <>
      <bdi class="part-name">{name}</bdi>
      <span class="part-badges">
        {isIn ? undefined : <span class="badge skipped">{placement}</span>}
        <span class="badge plain">{provenance}</span>
      </span>
      <span class="track">
        {tokens === 0 ? undefined : <span class={`bar-of ${isIn ? "model" : "failed"}`} style={{ width: `${(tokens / most) * 100}%` }} />}
      </span>
      <span class="part-tokens">{tokens}</span>
    </>
  );
  if (text === undefined) return <div class="part">{head}</div>;
  return (
    <details>
      <summary class="part">{head}</summary>
      <div class="part-text">
        <LongText text={text} />
      </div>
    </details>
  );
}
