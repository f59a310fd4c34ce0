/** The person's screen, kept up to date over a WebSocket. */
import { useEffect, useState } from "react";
import { openLive, reloadIfAnother } from "./api";
import type { Screen } from "./types";

const RETRY_MS = 1000;

/** Null until the first parts have come; `online` is false while the line is down. */
export function useScreen(user: string | null): { screen: Screen | null; online: boolean } {
  const [screen, setScreen] = useState<Screen | null>(null);
  const [online, setOnline] = useState(true);

  useEffect(() => {
    let ended = false;
    let socket: WebSocket;
    let timer = 0;
    const connect = () => {
      let first = true;
      socket = openLive(user);
      socket.onmessage = (message) => {
        const parts = JSON.parse(message.data as string) as Screen;
        const whole = first;
        first = false;
        setOnline(true);
        setScreen((before) => (whole || !before ? parts : { ...before, ...parts }));
      };
      socket.onclose = () => {
        if (ended) return;
        setOnline(false);
        void reloadIfAnother();
        timer = window.setTimeout(connect, RETRY_MS);
      };
    };
    connect();
    return () => {
      ended = true;
      window.clearTimeout(timer);
      socket.close();
    };
  }, [user]);

  return { screen, online };
}

/** Whether the system asks for dark colours. */
export function useDark(): boolean {
  const [query] = useState(() => window.matchMedia("(prefers-color-scheme: dark)"));
  const [dark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = () => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, [query]);
  return dark;
}
