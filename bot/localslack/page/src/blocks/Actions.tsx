import { useState } from "react";
import { useDesk } from "../context";
import { plain } from "../text";
import type { Block, Element } from "../types";

/** Tells the app; resolves when it has acknowledged. */
export type Press = (action_id: string, value?: string) => Promise<unknown>;

export function Actions({ block, press }: { block: Block; press: Press }) {
  return (
    <div className="actions">
      {(block.elements ?? []).map((element) => (
        <Pressable key={element.action_id} element={element} press={press} />
      ))}
    </div>
  );
}

/** Runs presses one at a time, and says while one is under way. */
export function usePending(press: Press): [string | null, (action: string, value?: string) => void] {
  const { attempt } = useDesk();
  const [pending, setPending] = useState<string | null>(null);
  const run = (action: string, value?: string) => {
    if (pending !== null) return;
    setPending(value ?? action);
    void attempt(() => press(action, value)).then(() => setPending(null));
  };
  return [pending, run];
}

export function Pressable({ element, press }: { element: Element; press: Press }) {
  const [pending, run] = usePending(press);
  const action = element.action_id ?? "";
  if (element.type === "button") {
    const classes = `slack-button ${element.style ?? ""}`;
    const label = element.accessibility_label ? { "aria-label": element.accessibility_label } : {};
    if (element.url) {
      return (
        <a className={classes} href={element.url} target="_blank" rel="noreferrer" onClick={() => run(action)} {...label}>
          {plain(element.text)}
        </a>
      );
    }
    return (
      <button type="button" className={classes} aria-busy={pending !== null} onClick={() => run(action)} {...label}>
        {plain(element.text)}
      </button>
    );
  }
  if (element.type === "radio_buttons" || element.type === "checkboxes") {
    return (
      <span className="options" role="group">
        {(element.options ?? []).map((option) => (
          <label key={option.value}>
            <input
              type={element.type === "checkboxes" ? "checkbox" : "radio"}
              name={action}
              onChange={() => run(action, option.value)}
            />
            {plain(option.text)}
          </label>
        ))}
      </span>
    );
  }
  return (
    <select
      className="slack-select"
      aria-label={plain(element.placeholder) || "Choose"}
      aria-busy={pending !== null}
      value={element.type === "overflow" ? "" : (element.initial_option?.value ?? "")}
      onChange={(event) => run(action, event.target.value)}
    >
      <option value="" disabled hidden>
        {element.type === "overflow" ? "⋯" : plain(element.placeholder) || "Choose an option"}
      </option>
      {(element.options ?? []).map((option) => (
        <option key={option.value} value={option.value}>
          {plain(option.text)}
        </option>
      ))}
    </select>
  );
}
