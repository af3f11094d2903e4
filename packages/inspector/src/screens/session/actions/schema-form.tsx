/** The part of a form for one value, by its shape. */
import { useEffect, useId, useState } from "preact/hooks";
import type { WireJson } from "@throughline/client";
import { texts } from "../../../base/page-texts.ts";
import { Icon } from "../../../parts/icon.tsx";
import { oneLine } from "../../../parts/long-text.tsx";
import { isEqual } from "../../../parts/json-rows.ts";
import { firstOf, fits, isList, isObject, type Shape } from "./schema-shape.ts";

const own = texts.actions.edit;

/** What each part of a form is given. */
export interface PartProps<Of extends Shape = Shape> {
  readonly shape: Of;
  readonly label: string;
  readonly value: WireJson;
  readonly onChange: (value: WireJson) => void;
  /** Told whether what is written cannot be a value. */
  readonly onFault: (path: string, isFault: boolean) => void;
  /** Unique in the form. */
  readonly path: string;
}

/** The part of a form for a value. A value that does not fit its shape is shown as JSON. */
export function FormPart(props: PartProps) {
  const { shape, value, label, onChange } = props;
  if (shape.type === "json" || !fits(value, shape)) return <JsonPart {...props} />;
  if (shape.nullable !== true) return <Filled {...props} />;
  const plain: Shape = { ...shape, nullable: false };
  return (
    <div class="nullable">
      {value === null ? <span class="label">{oneLine(label, 120)}</span> : <Filled {...props} shape={plain} />}
      <label class="check">
        <input
          type="checkbox"
          aria-label={own.nullOf(label)}
          checked={value === null}
          onChange={(event) => onChange(event.currentTarget.checked ? null : firstOf(plain))}
        />
        {own.null}
      </label>
    </div>
  );
}

function Filled(props: PartProps) {
  const { shape, label, value, onChange } = props;
  switch (shape.type) {
    case "text":
      return <TextPart {...props} shape={shape} />;
    case "number":
      return <NumberPart {...props} shape={shape} />;
    case "boolean":
      return (
        <label class="check">
          <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
          {label}
        </label>
      );
    case "choice":
      return (
        <label class="field">
          <span>{label}</span>
          <select
            value={String(shape.options.findIndex((option) => isEqual(option, value)))}
            onChange={(event) => onChange(shape.options[Number(event.currentTarget.value)] ?? null)}
          >
            {shape.options.map((option, index) => (
              <option key={index} value={String(index)}>
                {typeof option === "string" ? option : JSON.stringify(option)}
              </option>
            ))}
          </select>
        </label>
      );
    case "object":
      return <ObjectPart {...props} shape={shape} />;
    case "list":
      return <ListPart {...props} shape={shape} />;
    case "json":
      return <JsonPart {...props} />;
  }
}

function TextPart({ shape, label, value, onChange }: PartProps<Extract<Shape, { type: "text" }>>) {
  const text = typeof value === "string" ? value : "";
  // Decided once: another element would lose the focus of who types.
  const [isLong] = useState(text.length > 60 || text.includes("\n"));
  const field = { value: text, maxLength: shape.most };
  return (
    <label class="field">
      <span>{label}</span>
      {isLong ? (
        <textarea rows={4} {...field} onInput={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <input type="text" autocomplete="off" {...field} onInput={(event) => onChange(event.currentTarget.value)} />
      )}
    </label>
  );
}

function NumberPart({ shape, label, value, onChange, onFault, path }: PartProps<Extract<Shape, { type: "number" }>>) {
  const [text, setText] = useState(JSON.stringify(value));
  useEffect(() => () => onFault(path, false), [path]);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        step={shape.whole ? 1 : "any"}
        min={shape.min}
        max={shape.max}
        value={text}
        onInput={(event) => {
          const { valueAsNumber } = event.currentTarget;
          setText(event.currentTarget.value);
          onFault(path, Number.isNaN(valueAsNumber));
          if (!Number.isNaN(valueAsNumber)) onChange(valueAsNumber);
        }}
      />
    </label>
  );
}

function ObjectPart({ shape, label, value, path, onChange, onFault }: PartProps<Extract<Shape, { type: "object" }>>) {
  const object = isObject(value) ? value : {};
  return (
    <fieldset>
      <legend>{label}</legend>
      {shape.members.map(({ name, required, shape: member }) => {
        const given = Object.hasOwn(object, name) ? object[name] : undefined;
        if (given === undefined)
          return (
            <button key={name} type="button" class="button quiet add" onClick={() => onChange({ ...object, [name]: firstOf(member) })}>
              {own.add(name)}
            </button>
          );
        return (
          <div key={name} class="part-row">
            <FormPart
              shape={member}
              label={name}
              value={given}
              path={`${path}/${name}`}
              onChange={(next) => onChange({ ...object, [name]: next })}
              onFault={onFault}
            />
            {required ? undefined : (
              <RemoveButton
                label={own.remove(name)}
                onClick={() => onChange(Object.fromEntries(Object.entries(object).filter(([one]) => one !== name)))}
              />
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

function ListPart({ shape, label, value, path, onChange, onFault }: PartProps<Extract<Shape, { type: "list" }>>) {
  const items = isList(value) ? value : [];
  // Items have no names, so that a removed one begins a new form for those after it.
  const [round, setRound] = useState(0);
  return (
    <fieldset>
      <legend>{label}</legend>
      {items.map((item, index) => (
        <div key={`${round} ${index}`} class="part-row">
          <FormPart
            shape={shape.items}
            label={own.item(label, index + 1)}
            value={item}
            path={`${path}/${round}.${index}`}
            onChange={(next) => onChange(items.map((one, at) => (at === index ? next : one)))}
            onFault={onFault}
          />
          <RemoveButton
            label={own.remove(own.item(label, index + 1))}
            onClick={() => {
              setRound(round + 1);
              onChange(items.filter((_, at) => at !== index));
            }}
          />
        </div>
      ))}
      <button type="button" class="button quiet add" onClick={() => onChange([...items, firstOf(shape.items)])}>
        {own.addItem(label)}
      </button>
    </fieldset>
  );
}

const RemoveButton = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }) => (
  <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
    <Icon name="close" />
  </button>
);

/** A value as JSON. */
export function JsonPart({ label, value, path, onChange, onFault }: Omit<PartProps, "shape">) {
  const [text, setText] = useState(JSON.stringify(value, null, 2));
  const [fault, setFault] = useState(false);
  const hint = useId();
  useEffect(() => () => onFault(path, false), [path]);
  const change = (next: string): void => {
    setText(next);
    try {
      onChange(JSON.parse(next) as WireJson);
      setFault(false);
      onFault(path, false);
    } catch {
      setFault(true);
      onFault(path, true);
    }
  };
  return (
    <label class="field">
      <span>{own.asJson(label)}</span>
      <textarea
        class="code"
        rows={Math.min(12, Math.max(3, text.split("\n").length))}
        spellcheck={false}
        value={text}
        aria-invalid={fault}
        aria-describedby={fault ? hint : undefined}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {fault ? (
        <span class="fault" id={hint}>
          {texts.actions.decisions.notJson}
        </span>
      ) : undefined}
    </label>
  );
}
