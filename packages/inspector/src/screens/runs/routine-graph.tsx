/** A routine as a list of its nodes, each with where it goes. The node that a run stands at is marked. */
import { texts } from "../../base/page-texts.ts";
import { Icon } from "../../parts/icon.tsx";
import { oneLine } from "../../parts/long-text.tsx";
import type { RoutineGraph } from "./run-details.ts";

const own = texts.routines;

interface RoutineListProps {
  readonly graph: RoutineGraph;
  /** The node that a run stands at. */
  readonly at?: string;
  readonly visits?: Readonly<Record<string, number>>;
}

const idOf = (node: string): string => `node-${node}`;
/** Shows a node of the same list. */
const show = (node: string): void => {
  const element = document.getElementById(idOf(node));
  element?.scrollIntoView({ block: "nearest" });
  element?.focus();
};

export const RoutineList = ({ graph: { nodes, entry }, at, visits = {} }: RoutineListProps) => (
  <ol class="graph" aria-label={own.nodes}>
    {nodes.map(({ id, kind, about, next, error }) => (
      <li key={id} id={idOf(id)} tabIndex={-1} aria-current={id === at ? "step" : undefined}>
        <div class="card-head">
          <bdi class="node-name">{id}</bdi>
          <span class="badge">{own.kinds[kind]}</span>
          {about === undefined ? undefined : <bdi class="faint">{oneLine(about, 80)}</bdi>}
          {id === entry ? <span class="badge ok">{own.entry}</span> : undefined}
          {id === at ? <span class="badge open">{own.here}</span> : undefined}
          {visits[id] === undefined ? undefined : <span class="faint">{own.visits(visits[id])}</span>}
        </div>
        <ul>
          {next.map(({ to, when }, index) => (
            <li key={`${to} ${index}`}>
              <Target to={to} />
              {when === undefined ? undefined : <bdi class="faint">{own.when(oneLine(when, 200))}</bdi>}
            </li>
          ))}
          {error === undefined ? undefined : (
            <li class="on-error">
              <Target to={error} />
              <span class="faint">{own.onError}</span>
            </li>
          )}
          {next.length === 0 ? <li class="faint">{own.last}</li> : undefined}
        </ul>
      </li>
    ))}
  </ol>
);

const Target = ({ to }: { readonly to: string }) => (
  <>
    <Icon name="forward" />
    {to === "end" ? (
      <span>{own.end}</span>
    ) : (
      <button type="button" class="link" onClick={() => show(to)}>
        <bdi>{to}</bdi>
      </button>
    )}
  </>
);
