import { useState } from "react";
import { Icon } from "../Icon";
import { plain } from "../text";
import type { Block, Element, FeedbackButton } from "../types";
import { type Press, usePending } from "./Actions";

/** `context_actions`: thumbs, and small buttons with an icon. */
export function Feedback({ block, press }: { block: Block; press: Press }) {
  return (
    <div className="context-actions">
      {(block.elements ?? []).map((element) =>
        element.type === "feedback_buttons" ? (
          <Thumbs key={element.action_id} element={element} press={press} />
        ) : (
          <IconButton key={element.action_id} element={element} press={press} />
        ),
      )}
    </div>
  );
}

function Thumbs({ element, press }: { element: Element; press: Press }) {
  const [pending, run] = usePending(press);
  const [given, setGiven] = useState<string | null>(null);
  const thumb = (button: FeedbackButton, icon: "up" | "down") => (
    <button
      type="button"
      aria-label={button.accessibility_label ?? plain(button.text)}
      title={plain(button.text)}
      aria-pressed={given === button.value}
      aria-busy={pending === button.value}
      onClick={() => {
        setGiven(given === button.value ? null : button.value);
        run(element.action_id ?? "", button.value);
      }}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <span className="thumbs" role="group" aria-label="Feedback">
      {element.positive_button && thumb(element.positive_button, "up")}
      {element.negative_button && thumb(element.negative_button, "down")}
    </span>
  );
}

function IconButton({ element, press }: { element: Element; press: Press }) {
  const [pending, run] = usePending(press);
  return (
    <button
      type="button"
      aria-label={element.accessibility_label ?? plain(element.text)}
      title={plain(element.text)}
      aria-busy={pending !== null}
      onClick={() => run(element.action_id ?? "")}
    >
      <Icon name="bin" />
    </button>
  );
}
