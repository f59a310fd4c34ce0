/** Calls to the local Slack. A refusal is an Error whose text can be shown. */
import type { Document, DocumentEntry, Values } from "./types";

const token = document.querySelector<HTMLMetaElement>("meta[name=page-token]")?.content ?? "";

type Act =
  | { do: "post"; channel: string; text: string; thread_ts?: string }
  | { do: "click"; channel: string; ts: string; action_id: string; value?: string }
  | { do: "click_in_view"; action_id: string; value?: string }
  | { do: "submit"; values: Values }
  | { do: "close" }
  | { do: "command"; channel: string; command: string; text: string }
  | { do: "open_home"; tab: "home" | "messages" }
  | { do: "stop"; channel: string; ts: string };

async function call<T>(path: string, body?: unknown): Promise<T> {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(path, { ...sent, headers: { "X-Page-Token": token } }).catch(() => {
    throw new Error("The demo does not answer: is it still running?");
  });
  const read = (await answer.json()) as T & { error?: string };
  if (!answer.ok) throw new Error(read.error ?? answer.statusText);
  return read;
}

export async function act<T = unknown>(user: string, what: Act): Promise<T> {
  return (await call<{ answer: T }>("/page/act", { user, ...what })).answer;
}

export const listDocuments = () => call<DocumentEntry[]>("/page/documents");

export const readDocument = (doc: string) =>
  call<Document>(`/page/document?doc=${encodeURIComponent(doc)}`);

export const saveDocument = (doc: string, text: string) =>
  call<object>("/page/document", { doc, text });

/** Another run of the demo on the same port knows nothing of this page. */
export async function reloadIfAnother(): Promise<void> {
  const page = await fetch("/").then((answer) => answer.text(), () => token);
  if (!page.includes(token)) location.reload();
}

export function openLive(user: string | null): WebSocket {
  const address = new URL("/page/live", location.href);
  address.protocol = "ws:";
  if (user) address.searchParams.set("user", user);
  return new WebSocket(address, token);
}
