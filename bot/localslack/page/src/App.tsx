import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { act } from "./api";
import { Conversation } from "./Conversation";
import { type Desk, DeskContext } from "./context";
import { DocumentsPanel } from "./Documents";
import { Home } from "./Home";
import { Icon } from "./Icon";
import { useDark, useScreen } from "./live";
import { Modal } from "./Modal";
import { Sidebar } from "./Sidebar";
import { Thread } from "./Thread";
import type { Channel, Message, Screen } from "./types";

const LOADED_AT = Date.now() / 1000; // what only one person saw is gone after a reload
const TOAST_MS = 6000;
const DIRECT = "direct";

export function App() {
  const [user, setUser] = useState<string | null>(null);
  const { screen, online } = useScreen(user);
  if (!screen) return <p className="waiting">Connecting to the local Slack…</p>;
  return <Workplace {...{ screen, online, setUser }} />;
}

type Props = { screen: Screen; online: boolean; setUser: (user: string) => void };

function Workplace({ screen, online, setUser }: Props) {
  const { workspace } = screen;
  const dark = useDark();
  const [toast, setToast] = useState("");
  const [place, setPlace] = useState(""); // a channel's id, or DIRECT for whoever looks
  const [tab, setTab] = useState<"home" | "messages">("messages");
  const [thread, setThread] = useState<string | null>(null);
  const [documents, setDocuments] = useState(false);
  const [menu, setMenu] = useState(false);
  const channel =
    workspace.channels.find((one) => (one.kind === "im" ? DIRECT : one.id) === place) ?? workspace.channels[0];
  const unread = useUnread(screen, channel?.id ?? "");

  useEffect(() => {
    const timer = window.setTimeout(() => setToast(""), TOAST_MS);
    return () => window.clearTimeout(timer);
  }, [toast]);

  const attempt = useCallback(async (doing: () => Promise<unknown>) => {
    try {
      await doing();
      return true;
    } catch (error) {
      setToast(error instanceof Error ? error.message : String(error));
      return false;
    }
  }, []);

  const desk: Desk = useMemo(
    () => ({ user: workspace.user, workspace, dark, attempt }),
    [workspace, dark, attempt],
  );

  const open = (next: Channel) => {
    setPlace(next.kind === "im" ? DIRECT : next.id);
    setThread(null);
    setMenu(false);
    setTab("messages");
    if (next.kind === "im") void attempt(() => act(desk.user, { do: "open_home", tab: "messages" }));
  };
  const openTab = (next: "home" | "messages") => {
    setTab(next);
    setThread(null);
    void attempt(() => act(desk.user, { do: "open_home", tab: next }));
  };

  if (!channel) return <p className="waiting">There is no channel for you here.</p>;
  const messages = screen[`channel:${channel.id}`] ?? [];
  const whispers = screen.ephemerals.filter(
    (one) => one.channel === channel.id && Number(one.ts) > LOADED_AT,
  );
  const parent = messages.find((one) => one.ts === thread);
  const atHome = channel.kind === "im" && tab === "home" && workspace.home_tab;
  const panels = `panels${parent ? " with-thread" : ""}${documents ? " with-documents" : ""}`;

  return (
    <DeskContext value={desk}>
      <div className={menu ? "page menu-open" : "page"}>
        <header className="top">
          <button type="button" className="menu-button" aria-expanded={menu} onClick={() => setMenu(!menu)}>
            <Icon name="menu" /> <span className="hidden">Channels</span>
          </button>
          <p className="top-title">Footnote in a local Slack</p>
          <p className="connection" role="status">
            {!online ? "The demo has ended" : screen.connected ? "" : "Footnote is connecting…"}
          </p>
        </header>
        <Sidebar {...{ channel, unread, documents, setUser, open }} toggleDocuments={() => setDocuments(!documents)} />
        <div className={panels}>
          <main className="main" aria-label={channel.kind === "im" ? "Footnote" : `#${channel.name}`}>
            {atHome ? (
              <Home channel={channel} view={screen.home} openTab={openTab} />
            ) : (
              <Conversation
                key={channel.id}
                {...{ channel, messages, whispers, openTab }}
                statuses={screen.statuses}
                prompts={channel.kind === "im" ? screen.prompts : null}
                thread={thread}
                openThread={setThread}
              />
            )}
          </main>
          {parent && (
            <Thread
              key={parent.ts}
              {...{ channel, parent, whispers }}
              replies={messages.filter((one) => one.thread_ts === parent.ts && one.ts !== parent.ts)}
              status={screen.statuses[`${channel.id}:${parent.ts}`]}
              close={() => setThread(null)}
            />
          )}
          {documents && <DocumentsPanel synced={screen.documents} close={() => setDocuments(false)} />}
        </div>
        <Modal stack={screen.views} />
        <div className="toasts" role="alert">
          {toast && <p className="toast">{toast}</p>}
        </div>
      </div>
    </DeskContext>
  );
}

/** The channels in which somebody else wrote since they were last looked at. */
function useUnread(screen: Screen, current: string): Set<string> {
  const seen = useRef<Record<string, string>>({});
  const unread = new Set<string>();
  for (const channel of screen.workspace.channels) {
    const messages: Message[] = screen[`channel:${channel.id}`] ?? [];
    const last = messages.at(-1);
    if (!last) continue;
    const before = seen.current[channel.id] ?? String(LOADED_AT);
    if (channel.id === current) seen.current[channel.id] = last.ts;
    else if (last.user !== screen.workspace.user && Number(last.ts) > Number(before)) {
      unread.add(channel.id);
    }
  }
  return unread;
}
