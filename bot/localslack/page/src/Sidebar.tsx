import { Avatar } from "./Avatar";
import { useDesk } from "./context";
import { Icon, type IconName } from "./Icon";
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
  const direct = workspace.channels.find((one) => one.kind === "im");
  const first = workspace.channels.find((one) => one.kind !== "im");
  return (
    <nav className="sidebar" aria-label="Workspace">
      <div className="rail">
        <span className="team" aria-hidden="true">
          {workspace.team.slice(0, 1)}
        </span>
        <RailButton icon="home" label="Home" on={channel.kind !== "im"} press={() => first && open(first)} />
        <RailButton icon="thread" label="DMs" on={channel.kind === "im"} press={() => direct && open(direct)} />
        <RailButton icon="book" label="Docs" on={documents} press={toggleDocuments} />
      </div>
      <div className="places">
        <h1>{workspace.team}</h1>
        <h2>Channels</h2>
        <ul>{workspace.channels.filter((one) => one.kind !== "im").map(item)}</ul>
        <h2>Apps</h2>
        <ul>{workspace.channels.filter((one) => one.kind === "im").map(item)}</ul>
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
      </div>
    </nav>
  );
}

type RailProps = { icon: IconName; label: string; on: boolean; press: () => void };

function RailButton({ icon, label, on, press }: RailProps) {
  return (
    <button type="button" className="rail-button" aria-pressed={on} onClick={press}>
      <Icon name={icon} />
      {label}
    </button>
  );
}
