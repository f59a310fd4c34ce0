import { Avatar } from "./Avatar";
import { Icon } from "./Icon";
import type { Workspace } from "./types";

/** Something to complete: replaces what was typed since `from`. */
export type Choice = { label: string; note: string; insert: string; from: number; user?: string };

const NAME_CHARS = 30;

/** What could be meant by the word before the caret. */
export function choicesFor(text: string, caret: number, workspace: Workspace, inThread: boolean): Choice[] {
  const before = text.slice(0, caret);
  if (/^\/\S*$/.test(before) && !inThread) {
    return workspace.commands
      .filter((name) => name.startsWith(before) && name !== before)
      .map((name) => ({ label: name, note: "Footnote", insert: `${name} `, from: 0 }));
  }
  const from = before.lastIndexOf("@");
  const typed = before.slice(from + 1).toLowerCase();
  if (from < 0 || /\S/.test(before.slice(from - 1, from)) || typed.length > NAME_CHARS) return [];
  return workspace.users
    .filter((one) => one.name.toLowerCase().startsWith(typed) && one.id !== workspace.user)
    .map((one) => ({
      label: one.name,
      note: one.is_bot ? "App" : "",
      insert: `@${one.name} `,
      from,
      user: one.id,
    }));
}

type Props = { id: string; choices: Choice[]; chosen: number; take: (choice: Choice) => void };

export function Suggestions({ id, choices, chosen, take }: Props) {
  return (
    <ul className="suggestions" role="listbox" id={id} aria-label="Suggestions">
      {choices.map((choice, n) => (
        <li
          key={choice.label}
          id={`${id}-${n}`}
          role="option"
          aria-selected={n === chosen}
          onMouseDown={(event) => {
            event.preventDefault();
            take(choice);
          }}
        >
          {choice.user ? <Avatar user={choice.user} size={20} /> : <Icon name="slash" />}
          <strong>{choice.label}</strong> <small>{choice.note}</small>
        </li>
      ))}
    </ul>
  );
}
