import { memo } from "react";
import { act } from "./api";
import { Avatar } from "./Avatar";
import { Blocks } from "./blocks/Blocks";
import { useDesk } from "./context";
import { Icon } from "./Icon";
import { clock, dayOf, fullTime, nameOf } from "./text";
import type { Channel, Message } from "./types";

type Props = {
  channel: Channel;
  message: Message;
  /** The message before it is by the same person and not long ago: no name again. */
  follows: boolean;
  openThread?: (ts: string) => void;
};

export const MessageRow = memo(function MessageRow({ channel, message, follows, openThread }: Props) {
  const { workspace, user } = useDesk();
  const name = nameOf(message.user, workspace);
  const replies = message.thread_ts === message.ts || !message.thread_ts ? (message.reply_count ?? 0) : 0;
  const press = (action_id: string, value?: string) =>
    act(user, { do: "click", channel: channel.id, ts: message.ts, action_id, ...(value ? { value } : {}) });
  const classes = ["message", follows && "follows", message.is_ephemeral && "whisper", message.streaming && "streaming"];
  return (
    <article
      className={classes.filter(Boolean).join(" ")}
      aria-label={`${name}, ${clock(message.ts)}`}
      aria-busy={message.streaming || undefined}
      data-ts={message.ts}
    >
      <div className="gutter">
        {follows ? <time className="small-time">{clock(message.ts)}</time> : <Avatar user={message.user} size={36} />}
      </div>
      <div className="content">
        {message.is_ephemeral && (
          <p className="only-you">
            <Icon name="eye" /> Only visible to you
          </p>
        )}
        {!follows && (
          <p className="byline">
            <strong>{name}</strong>
            {message.bot_id && <span className="app-badge">APP</span>}
            <time title={fullTime(message.ts)}>{clock(message.ts)}</time>
          </p>
        )}
        <div className="body">
          {message.blocks?.length ? <Blocks blocks={message.blocks} press={press} /> : <p className="text">{message.text}</p>}
          {message.edited && !message.bot_id && <span className="edited">(edited)</span>}
        </div>
        {openThread && replies > 0 && (
          <button type="button" className="replies" onClick={() => openThread(message.ts)}>
            {(message.reply_users ?? []).slice(0, 3).map((one) => (
              <Avatar key={one} user={one} size={24} />
            ))}
            <span className="replies-count">{replies === 1 ? "1 reply" : `${replies} replies`}</span>
            {message.latest_reply && <span className="replies-last">Last reply {dayOf(message.latest_reply).toLowerCase()} at {clock(message.latest_reply)}</span>}
          </button>
        )}
      </div>
      {openThread && !message.is_ephemeral && (
        <div className="tools">
          <button type="button" aria-label="Reply in thread" title="Reply in thread" onClick={() => openThread(message.ts)}>
            <Icon name="thread" />
          </button>
        </div>
      )}
    </article>
  );
});
