/** Edits the present state: a form from the agent's schema, a dry run with its diff, and then the edit, which is refused if the state changed meanwhile. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { RequestError, type ResultOf, type WireJson, type WireJsonObject } from "@throughline/client";
import { announce, closeDialog } from "../../../base/overlays.ts";
import { operator } from "../../../base/operator-name.ts";
import { act, actionFailure, failureOf } from "../../../base/page-actions.ts";
import { client } from "../../../base/page-service.ts";
import { texts } from "../../../base/page-texts.ts";
import { changeQuery } from "../../../base/router.ts";
import { ActionDialog } from "../../../parts/action-dialog.tsx";
import { oneLine } from "../../../parts/long-text.tsx";
import { Failure } from "../../../parts/notice.tsx";
import { ChangeList } from "../../../parts/change-list.tsx";
import { type Change, isEqual } from "../../../parts/json-rows.ts";
import { current } from "../session-keys.ts";
import { FormPart, JsonPart } from "./schema-form.tsx";
import { firstOf, isList, isObject, type Shape, type Update, updateOf } from "./schema-shape.ts";
import { editScopes, sessionHere } from "./session-work.ts";

const own = texts.actions.edit;

type Preview = ResultOf<"previewState">;
type WireState = ResultOf<"getState">;

/** A field that can be edited. */
interface Field {
  readonly name: string;
  readonly reducer: string;
  readonly update: Update;
}

/** What the dialog works on: the fields of the agent, and the state as it was read. */
interface Loaded {
  readonly fields: readonly Field[];
  readonly state: WireState;
}

async function load(id: string, agent: string): Promise<Loaded> {
  const [{ fields }, state] = await Promise.all([
    client().agents.get(agent),
    client().call("getState", { path: { session_id: id }, query: { view: "internal" } }),
  ]);
  const known = Object.entries(fields ?? {}).filter(([, { lifecycle }]) => lifecycle === "reduced");
  return { state, fields: known.map(([name, { reducer, schema }]) => ({ name, reducer, update: updateOf(reducer, schema) })) };
}

/** What a field's part of the form begins with: the present value, or nothing to add. */
function beginningOf({ name, update: { kind } }: Field, { state }: WireState): WireJson | undefined {
  if (kind === "value") return Object.hasOwn(state, name) ? state[name] : undefined;
  return kind === "amount" ? 0 : kind === "items" ? [] : kind === "members" ? {} : undefined;
}

/** The value that a JSON Pointer names; undefined if there is none. */
function valueAt(document: WireJson, pointer: string): WireJson | undefined {
  let found: WireJson | undefined = document;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (isList(found)) found = found[Number(name)];
    else found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

/** The operations of a dry run, each with the value before, and with the index of an appended item. */
function changesOf({ patch }: Preview, { state }: WireState): readonly Change[] {
  const appended = new Map<string, number>();
  const placeOf = (pointer: string): string => {
    if (!pointer.endsWith("/-")) return pointer;
    const list = pointer.slice(0, -2);
    const held = valueAt(state, list);
    const index = appended.get(list) ?? (isList(held) ? held.length : 0);
    appended.set(list, index + 1);
    return `${list}/${index}`;
  };
  return patch.flatMap(({ op, path, value }): readonly Change[] => {
    if (typeof path !== "string" || (op !== "add" && op !== "remove" && op !== "replace")) return [];
    const before = op === "add" ? undefined : valueAt(state, path);
    return [{ op, path: placeOf(path), ...(before === undefined ? {} : { before }), ...(value === undefined ? {} : { after: value }) }];
  });
}

export function EditDialog() {
  const view = current.value;
  const agent = view?.info.value?.agent;
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  const [error, setError] = useState<RequestError | undefined>(undefined);
  /** The updates that were written, by field. */
  const [delta, setDelta] = useState<WireJsonObject>({});
  const [faults, setFaults] = useState<ReadonlySet<string>>(new Set());
  const [preview, setPreview] = useState<Preview | undefined>(undefined);
  /** The offset at which somebody changed the state after the dry run. */
  const [conflict, setConflict] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (view === undefined || agent === undefined) return;
    load(view.id, agent).then(setLoaded, (reason: unknown) => setError(failureOf(reason)));
  }, []);
  const change = (name: string, value: WireJson | undefined): void => {
    setPreview(undefined);
    const rest = Object.fromEntries(Object.entries(delta).filter(([one]) => one !== name));
    setDelta(value === undefined ? rest : { ...rest, [name]: value });
  };
  const onFault = (path: string, isFault: boolean): void =>
    setFaults((old) => {
      if (old.has(path) === isFault) return old;
      const next = new Set(old);
      if (isFault) next.add(path);
      else next.delete(path);
      return next;
    });
  const tryEdit = async (): Promise<void> => {
    await act("session.edit", async () => {
      const session = sessionHere();
      if (session === undefined || view === undefined || loaded === undefined) return;
      const tried = await session.previewState({ delta });
      // The state may have changed since the dialog was opened: the diff is against what it is now.
      const state = await client().call("getState", { path: { session_id: view.id }, query: { view: "internal" } });
      setLoaded({ ...loaded, state });
      setPreview(tried);
      setConflict(undefined);
      announce("edit", tried.problems.length > 0 ? own.problems : own.tried(tried.patch.length));
    });
  };
  const apply = async (tried: Preview): Promise<void> => {
    const name = operator.peek().trim();
    const succeeded = await act("session.edit", async () => {
      await sessionHere()?.editState({ delta, expected_offset: tried.state_offset, ...(name === "" ? {} : { operator: name }) });
    });
    const { value: failure } = actionFailure;
    if (succeeded) {
      closeDialog();
      changeQuery({ at: undefined });
      return announce("action", own.done);
    }
    if (!RequestError.is(failure, "session.conflict")) return;
    const { state_offset } = failure.details;
    actionFailure.value = undefined;
    setPreview(undefined);
    setConflict(typeof state_offset === "number" ? state_offset : tried.state_offset);
  };
  const isReady = preview !== undefined && preview.problems.length === 0 && preview.patch.length > 0;
  return (
    <ActionDialog
      title={own.title}
      text={own.text}
      action={isReady ? own.apply : own.preview}
      command={{ needs: editScopes }}
      disabled={loaded === undefined || Object.keys(delta).length === 0 || faults.size > 0}
      wide
      changed={Object.keys(delta).length > 0 || faults.size > 0}
      onSubmit={() => void (isReady ? apply(preview) : tryEdit())}
    >
      {error === undefined ? undefined : <Failure error={error} />}
      {loaded === undefined ? (
        error === undefined ? (
          <p class="hint">{texts.loading}</p>
        ) : undefined
      ) : loaded.fields.length === 0 ? (
        <p class="hint">{own.noFields}</p>
      ) : (
        <div class="fields">
          {loaded.fields.map((field) => (
            <FieldPart key={field.name} field={field} state={loaded.state} onChange={(value) => change(field.name, value)} onFault={onFault} />
          ))}
        </div>
      )}
      {conflict === undefined ? undefined : (
        <p class="conflict" role="alert">
          {own.conflict(conflict)}
        </p>
      )}
      {preview === undefined || loaded === undefined ? undefined : <Tried preview={preview} state={loaded.state} />}
    </ActionDialog>
  );
}

interface FieldPartProps {
  readonly field: Field;
  readonly state: WireState;
  /** Told the update; undefined if the field stays. */
  readonly onChange: (value: WireJson | undefined) => void;
  readonly onFault: (path: string, isFault: boolean) => void;
}

/** One field: its value as it was when the dialog was opened, until it is written. */
function FieldPart({ field, state, onChange, onFault }: FieldPartProps) {
  const { name, reducer, update } = field;
  const beginning = useMemo(() => beginningOf(field, state), []);
  const [value, setValue] = useState(beginning);
  const [asJson, setAsJson] = useState(false);
  const isOther = update.kind === "other";
  const change = (next: WireJson | undefined): void => {
    setValue(next);
    onChange(next === undefined || isEqual(next, beginning) ? undefined : next);
  };
  const part = { label: own.label[update.kind](name), path: name, onChange: change, onFault };
  return (
    <section class="edited" aria-label={name}>
      <div class="card-head">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <span class="badge plain">{reducer}</span>
        {value === undefined || update.kind === "value" ? undefined : (
          <span class="faint">{own.now(oneLine(JSON.stringify(state.state[name]) ?? "–", 80))}</span>
        )}
        {value === undefined || isOther || update.shape.type === "json" ? undefined : (
          <button type="button" class="button quiet" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
            {own.json}
          </button>
        )}
        {value !== undefined && beginning === undefined ? (
          <button type="button" class="button quiet" onClick={() => change(undefined)}>
            {own.leave}
          </button>
        ) : undefined}
      </div>
      {value === undefined ? (
        <button type="button" class="button quiet add" onClick={() => change(isOther ? (state.state[name] ?? null) : firstOf(update.shape))}>
          {isOther ? own.write(name) : own.add(name)}
        </button>
      ) : asJson ? (
        <JsonPart {...part} value={value} />
      ) : (
        <FormPart {...part} shape={update.shape satisfies Shape} value={value} />
      )}
    </section>
  );
}

function Tried({ preview, state }: { readonly preview: Preview; readonly state: WireState }) {
  const changes = useMemo(() => changesOf(preview, state), [preview, state]);
  if (preview.problems.length > 0)
    return (
      <section class="conflict" role="alert" aria-label={own.problems}>
        <h3>{own.problems}</h3>
        <ul>
          {preview.problems.map(({ field, code, message }) => (
            <li key={`${field} ${code}`}>
              <bdi>{field}</bdi>: <bdi>{message}</bdi> <code>{code}</code>
            </li>
          ))}
        </ul>
      </section>
    );
  if (changes.length === 0) return <p class="hint">{own.nothing}</p>;
  return (
    <section aria-label={own.diff}>
      <h3>{own.diff}</h3>
      <div class="tried" tabIndex={0} role="group" aria-label={own.diff}>
        <ChangeList changes={changes} />
      </div>
    </section>
  );
}
