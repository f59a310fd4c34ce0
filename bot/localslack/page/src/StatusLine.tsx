import { useEffect, useState } from "react";
import { Avatar } from "./Avatar";
import { useDesk } from "./context";
import { nameOf } from "./text";
import type { Status } from "./types";

const TURN_MS = 2500;

/** What the app says that it does at the moment, under a thread. */
export function StatusLine({ status }: { status: Status | undefined }) {
  const { workspace } = useDesk();
  const [turn, setTurn] = useState(0);
  const loading = status?.loading_messages ?? [];
  useEffect(() => {
    if (loading.length < 2) return;
    const timer = window.setInterval(() => setTurn((n) => n + 1), TURN_MS);
    return () => window.clearInterval(timer);
  }, [loading.length]);
  return (
    <div className="status-place" role="status">
      {status && (
        <p className="status">
          <Avatar user={workspace.bot} size={20} />
          <span className="shimmer">
            {loading.length > 0
              ? loading[turn % loading.length]
              : `${nameOf(workspace.bot, workspace)} ${status.status}`}
          </span>
        </p>
      )}
    </div>
  );
}
