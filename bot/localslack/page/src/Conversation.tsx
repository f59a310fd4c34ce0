import { useLayoutEffect, useRef } from "react";
import { act } from "./api";
import { Composer } from "./Composer";
import { useDesk } from "./context";
import { Icon } from "./Icon";
import { MessageRow } from "./MessageRow";
import { StatusLine } from "./StatusLine";
import { Tabs } from "./Tabs";
import { dayOf, titleOf } from "./text";
import type { Channel, Message, Prompts, Status } from "./types";

const SAME_BREATH_S = 300;
const AT_END_PX = 120;

type Props = {
  channel: Channel;
  messages: Message[];
  whispers: Message[];
  statuses: Record<string, Status>;
  prompts: Prompts | null;
  thread: string | null;
  openThread: (ts: string) => void;
  openTab: (tab: "home" | "messages") => void;
};

/** A channel or the conversation with the app: what stands in it, not what is in threads. */
export function Conversation(props: Props) {
  const { channel, messages, whispers, statuses, prompts, openThread, openTab } = props;
  const { workspace, user, attempt } = useDesk();
  const top = messages.filter((one) => !one.thread_ts || one.thread_ts === one.ts);
  const shown = inOrder([...top, ...whispers.filter((one) => !one.thread_ts)]);
  const list = useStuckToEnd(shown.length);
  const direct = channel.kind === "im";

  const send = (text: string) =>
    attempt(async () => {
      const ts = await act<string>(user, { do: "post", channel: channel.id, text });
      if (direct || text.includes(`<@${workspace.bot}>`)) openThread(ts);
    });

  return (
    <>
      <header className="panel-head">
        <h2>
          {!direct && <Icon name="hash" />} {titleOf(channel, workspace)}
        </h2>
        {direct && workspace.home_tab && <Tabs tab="messages" openTab={openTab} />}
      </header>
      <div className="messages" ref={list} role="log" aria-label="Messages">
        <Beginning channel={channel} />
        {shown.map((message, n) => (
          <div key={message.ts}>
            {startsDay(shown[n - 1], message) && <p className="day">{dayOf(message.ts)}</p>}
            <MessageRow
              {...{ channel, message, openThread }}
              follows={follows(shown[n - 1], message)}
            />
            {props.thread !== message.ts && <StatusLine status={statuses[`${channel.id}:${message.ts}`]} />}
          </div>
        ))}
      </div>
      {prompts && !shown.some((one) => one.user === user) && (
        <ul className="prompts" aria-label={prompts.title ?? "Suggested prompts"}>
          {prompts.prompts.map((one) => (
            <li key={one.title}>
              <button type="button" onClick={() => void send(one.message)}>
                {one.title}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Composer channel={channel} send={send} label={`Message ${direct ? "Footnote" : `#${channel.name}`}`} />
    </>
  );
}

export function follows(before: Message | undefined, message: Message): boolean {
  return (
    !!before &&
    before.user === message.user &&
    !before.reply_count &&
    !message.is_ephemeral &&
    !before.is_ephemeral &&
    Number(message.ts) - Number(before.ts) < SAME_BREATH_S
  );
}

function startsDay(before: Message | undefined, message: Message): boolean {
  return !before || dayOf(before.ts) !== dayOf(message.ts);
}

export function inOrder(messages: Message[]): Message[] {
  return messages.sort((a, b) => Number(a.ts) - Number(b.ts));
}

/** Keeps a list at its end as it grows, unless the reader has scrolled up. */
export function useStuckToEnd(grown: unknown) {
  const list = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const look = () => {
      atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < AT_END_PX;
    };
    const follow = new ResizeObserver(() => {
      if (atEnd.current) element.scrollTop = element.scrollHeight;
    });
    element.addEventListener("scroll", look);
    follow.observe(element);
    for (const child of element.children) follow.observe(child);
    if (atEnd.current) element.scrollTop = element.scrollHeight;
    return () => {
      element.removeEventListener("scroll", look);
      follow.disconnect();
    };
  }, [grown]);
  return list;
}

function Beginning({ channel }: { channel: Channel }) {
  const { workspace } = useDesk();
  const bot = workspace.users.find((one) => one.id === workspace.bot)?.name ?? "";
  return (
    <div className="beginning">
      <h3>{channel.kind === "im" ? bot : `# ${channel.name}`}</h3>
      {channel.kind === "im" ? (
        <p>Ask {bot} about the sample documents. Nobody else reads along here.</p>
      ) : (
        <p>
          Mention <b className="mention">@{bot}</b> to ask about the sample documents, and click a citation
          to read the passage. <code>/rag-source ID</code> opens a passage by its id.
        </p>
      )}
    </div>
  );
}
