import { act } from "./api";
import { Composer } from "./Composer";
import { follows, inOrder, useStuckToEnd } from "./Conversation";
import { useDesk } from "./context";
import { Icon } from "./Icon";
import { MessageRow } from "./MessageRow";
import { StatusLine } from "./StatusLine";
import { titleOf } from "./text";
import type { Channel, Message, Status } from "./types";

type Props = {
  channel: Channel;
  parent: Message;
  replies: Message[];
  whispers: Message[];
  status: Status | undefined;
  close: () => void;
};

export function Thread({ channel, parent, replies, whispers, status, close }: Props) {
  const { workspace, user, attempt } = useDesk();
  const shown = inOrder([...replies, ...whispers.filter((one) => one.thread_ts === parent.ts)]);
  const list = useStuckToEnd(`${shown.length} ${status?.status}`);
  const written = replies.find((one) => one.streaming);
  const post = (text: string) =>
    attempt(() => act(user, { do: "post", channel: channel.id, text, thread_ts: parent.ts }));
  const stop = () => void attempt(() => act(user, { do: "stop", channel: channel.id, ts: written?.ts ?? "" }));
  return (
    <aside
      className="thread"
      aria-label="Thread"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) close();
      }}
    >
      <header className="panel-head">
        <h2>
          Thread <small>{channel.kind === "im" ? "" : "# "}{titleOf(channel, workspace)}</small>
        </h2>
        <button type="button" className="icon-button" aria-label="Close the thread" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <div className="messages" ref={list} role="log" aria-label="Replies">
        <MessageRow channel={channel} message={parent} follows={false} />
        {shown.length > 0 && (
          <p className="count">
            {shown.length} {shown.length === 1 ? "reply" : "replies"}
          </p>
        )}
        {shown.map((message, n) => (
          <MessageRow key={message.ts} {...{ channel, message }} follows={follows(shown[n - 1], message)} />
        ))}
        <StatusLine status={status} />
      </div>
      <Composer
        channel={channel}
        send={post}
        label="Reply…"
        inThread
        {...(written ? { stop } : {})}
      />
    </aside>
  );
}
