import { useId } from "react";
import { plain } from "../text";
import type { Block, Element, Values } from "../types";

type Value = string | string[] | null;

export type FormState = {
  values: Values;
  /** By block id, as the app's answer to the form has them. */
  errors: Record<string, string>;
  fill: (block: string, action: string, value: Value) => void;
};

/** An input block: label, field, hint, and what the app finds wrong with it. */
export function Input({ block, form }: { block: Block; form?: FormState }) {
  const id = useId();
  const { element } = block;
  if (!element?.action_id || !form) return null;
  const action = element.action_id;
  const error = form.errors[block.block_id];
  const many = element.type === "radio_buttons" || element.type === "checkboxes";
  const label = (
    <>
      {plain(block.label)}
      {block.optional && <span className="optional"> (optional)</span>}
    </>
  );
  const field = (
    <Field
      {...{ id, element }}
      required={!block.optional}
      value={form.values[block.block_id]?.[action] ?? null}
      fill={(value) => form.fill(block.block_id, action, value)}
    />
  );
  return (
    <div className="input-block">
      {many ? (
        <fieldset aria-describedby={`${id}-about`}>
          <legend>{label}</legend>
          {field}
        </fieldset>
      ) : (
        <>
          <label htmlFor={id}>{label}</label>
          {field}
        </>
      )}
      <p id={`${id}-about`} className={error ? "input-error" : "input-hint"} role={error ? "alert" : undefined}>
        {error ?? plain(block.hint)}
      </p>
    </div>
  );
}

type FieldProps = { id: string; element: Element; required: boolean; value: Value; fill: (value: Value) => void };

const TYPES: Record<string, string> = { email_text_input: "email", url_text_input: "url", number_input: "number" };

function Field({ id, element, required, value, fill }: FieldProps) {
  const one = typeof value === "string" ? value : "";
  const many = Array.isArray(value) ? value : [];
  const options = element.options ?? [];
  if (element.type === "static_select") {
    return (
      <select id={id} className="slack-select" required={required} value={one} onChange={(e) => fill(e.target.value || null)}>
        <option value="">{plain(element.placeholder) || "Choose an option"}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {plain(option.text)}
          </option>
        ))}
      </select>
    );
  }
  if (element.type === "radio_buttons" || element.type === "checkboxes") {
    const radio = element.type === "radio_buttons";
    return options.map((option) => (
      <label key={option.value} className="option">
        <input
          type={radio ? "radio" : "checkbox"}
          name={id}
          required={radio && required}
          checked={radio ? one === option.value : many.includes(option.value)}
          onChange={(event) =>
            fill(radio ? option.value : toggled(many, option.value, event.target.checked))
          }
        />
        <span>
          {plain(option.text)}
          {option.description && <small>{plain(option.description)}</small>}
        </span>
      </label>
    ));
  }
  const common = {
    id,
    value: one,
    required,
    placeholder: plain(element.placeholder),
    ...(element.max_length ? { maxLength: element.max_length } : {}),
    ...(element.min_length ? { minLength: element.min_length } : {}),
    "aria-describedby": `${id}-about`,
  };
  return element.multiline ? (
    <textarea {...common} rows={4} onChange={(event) => fill(event.target.value || null)} />
  ) : (
    <input {...common} type={TYPES[element.type] ?? "text"} onChange={(event) => fill(event.target.value || null)} />
  );
}

function toggled(values: string[], value: string, on: boolean): string[] {
  return on ? [...values, value] : values.filter((one) => one !== value);
}
