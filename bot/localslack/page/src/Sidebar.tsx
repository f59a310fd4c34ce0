import { Avatar } from "./Avatar";
import { useDesk } from "./context";
import { Icon } from "./Icon";
import { nameOf } from "./text";
import type { Channel } from "./types";

type Props = {
  channel: Channel;
  unread: Set<string>;
  documents: boolean;
  open: (channel: Channel) => void;
  toggleDocuments: () => void;
  setUser: (user: string) => void;
};

export function Sidebar({ channel, unread, documents, open, toggleDocuments, setUser }: Props) {
  const { workspace, user } = useDesk();
  const people = workspace.users.filter((one) => !one.is_bot);
  const item = (one: Channel) => (
    <li key={one.id}>
      <button
        type="button"
        className={unread.has(one.id) ? "place unread" : "place"}
        aria-current={one.id === channel.id ? "page" : undefined}
        onClick={() => open(one)}
      >
        {one.kind === "im" ? <Avatar user={workspace.bot} size={20} /> : <Icon name="hash" />}
        <span>{one.kind === "im" ? nameOf(workspace.bot, workspace) : one.name}</span>
        {unread.has(one.id) && <span className="hidden">, unread</span>}
      </button>
    </li>
  );
  return (
    <nav className="sidebar" aria-label="Workspace">
      <h1>{workspace.team}</h1>
      <h2>Channels</h2>
      <ul>{workspace.channels.filter((one) => one.kind !== "im").map(item)}</ul>
      <h2>Apps</h2>
      <ul>{workspace.channels.filter((one) => one.kind === "im").map(item)}</ul>
      <h2>Behind the scenes</h2>
      <ul>
        <li>
          <button type="button" className="place" aria-pressed={documents} onClick={toggleDocuments}>
            <Icon name="book" />
            <span>Sample documents</span>
          </button>
        </li>
      </ul>
      <fieldset className="people">
        <legend>You are</legend>
        {people.map((one) => (
          <label key={one.id} className="person">
            <input
              type="radio"
              name="person"
              className="hidden"
              checked={one.id === user}
              onChange={() => setUser(one.id)}
            />
            <Avatar user={one.id} size={24} />
            <span>{one.name}</span>
          </label>
        ))}
      </fieldset>
    </nav>
  );
}
