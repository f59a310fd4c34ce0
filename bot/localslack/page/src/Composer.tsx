import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { act } from "./api";
import { useDesk } from "./context";
import { Icon } from "./Icon";
import { type Choice, choicesFor, Suggestions } from "./Suggestions";
import { toWire } from "./text";
import type { Channel } from "./types";

type Props = {
  channel: Channel;
  label: string;
  /** Posts text as Slack sends it; resolves to whether it went well. */
  send: (wire: string) => Promise<boolean>;
  inThread?: boolean;
  /** There when a message is being written and can be stopped. */
  stop?: () => void;
};

export function Composer({ channel, label, send, inThread = false, stop }: Props) {
  const { workspace, user, attempt } = useDesk();
  const [text, setText] = useState("");
  const [choices, setChoices] = useState<Choice[]>([]);
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const caretTo = useRef<number | null>(null); // set with the text, before the next key comes
  const list = useId();
  useLayoutEffect(() => {
    if (caretTo.current === null) return;
    field.current?.focus();
    field.current?.setSelectionRange(caretTo.current, caretTo.current);
    caretTo.current = null;
  });

  const write = (next: string, caret: number) => {
    setText(next);
    setChoices(choicesFor(next, caret, workspace, inThread));
    setChosen(0);
  };
  const insert = (added: string) => {
    const at = field.current?.selectionStart ?? text.length;
    const before = text.slice(0, at);
    const gap = before === "" || /\s$/.test(before) || added === "/" ? "" : " ";
    write(before + gap + added + text.slice(at), at + gap.length + added.length);
    caretTo.current = at + gap.length + added.length;
  };
  const shortcut = () => {
    write("/", 1);
    caretTo.current = 1;
  };
  const take = (choice: Choice) => {
    const caret = field.current?.selectionStart ?? text.length;
    const next = text.slice(0, choice.from) + choice.insert + text.slice(caret);
    setText(next);
    setChoices([]);
    caretTo.current = choice.from + choice.insert.length;
  };
  const submit = async () => {
    const typed = text.trim();
    if (!typed) return;
    setChoices([]);
    setText("");
    const done = typed.startsWith("/")
      ? await attempt(() => command(typed))
      : await send(toWire(typed, workspace.users));
    if (!done) setText((now) => now || typed);
  };
  const command = (typed: string) => {
    const [name = "", ...rest] = typed.split(" ");
    if (!workspace.commands.includes(name)) throw new Error(`${name} is not a valid command`);
    if (inThread) throw new Error(`${name} is not supported in threads. Sorry!`);
    return act(user, { do: "command", channel: channel.id, command: name, text: rest.join(" ").trim() });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const open = choices.length > 0;
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      setChosen((n) => (n + (event.key === "ArrowDown" ? 1 : choices.length - 1)) % choices.length);
    } else if (open && (event.key === "Enter" || event.key === "Tab")) {
      event.preventDefault();
      const choice = choices[chosen];
      if (choice) take(choice);
    } else if (open && event.key === "Escape") {
      event.preventDefault();
      setChoices([]);
    } else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void submit();
    }
  };

  return (
    <div className="composer-place">
      {choices.length > 0 && <Suggestions {...{ choices, chosen, take }} id={list} />}
      <form
        className="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label={label}
          placeholder={label}
          aria-autocomplete="list"
          aria-controls={choices.length > 0 ? list : undefined}
          aria-activedescendant={choices.length > 0 ? `${list}-${chosen}` : undefined}
          onChange={(event) => write(event.target.value, event.target.selectionStart)}
          onKeyDown={onKeyDown}
          onBlur={() => setChoices([])}
        />
        <div className="composer-tools">
          <button type="button" aria-label="Mention somebody" title="Mention somebody" onClick={() => insert("@")}>
            <Icon name="at" />
          </button>
          {!inThread && (
            <button type="button" aria-label="Run a shortcut" title="Run a shortcut" onClick={() => shortcut()}>
              <Icon name="slash" />
            </button>
          )}
          {stop ? (
            <button type="button" className="stop" aria-label="Stop the answer" title="Stop the answer" onClick={stop}>
              <Icon name="stop" />
            </button>
          ) : (
            <button type="submit" className="send" aria-label="Send" title="Send" disabled={!text.trim()}>
              <Icon name="send" />
            </button>
          )}
        </div>
      </form>
    </div>
  );
}
