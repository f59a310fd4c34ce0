/** Texts between what a person types, what Slack sends, and what is shown. */
import type { Channel, Text, User, Workspace } from "./types";

const MARKS: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** What the composer sends: `@Name` of somebody becomes a mention, all else is escaped. */
export function toWire(typed: string, users: User[]): string {
  let wire = typed.replace(/[&<>]/g, (mark) => MARKS[mark] ?? mark);
  const longest = [...users].sort((a, b) => b.name.length - a.name.length);
  for (const user of longest) {
    const name = user.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    wire = wire.replace(new RegExp(`(^|[\\s(])@${name}(?![\\w-])`, "gi"), `$1<@${user.id}>`);
  }
  return wire;
}

export function plain(text: Text | string | null | undefined): string {
  return typeof text === "string" ? text : (text?.text ?? "");
}

/** `3:14 PM` in the reader's own manner. */
export function clock(ts: string): string {
  return new Date(Number(ts) * 1000).toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
}

/** `Today`, `Yesterday`, or the date. */
export function dayOf(ts: string): string {
  const date = new Date(Number(ts) * 1000);
  const daysAgo = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86_400_000);
  if (daysAgo < 2) return daysAgo === 1 ? "Yesterday" : "Today";
  return date.toLocaleDateString([], { weekday: "long", month: "long", day: "numeric" });
}

export function fullTime(ts: string): string {
  return new Date(Number(ts) * 1000).toLocaleString([], { dateStyle: "full", timeStyle: "medium" });
}

export function nameOf(user: string, workspace: Workspace): string {
  return workspace.users.find((one) => one.id === user)?.name ?? "Slackbot";
}

export function titleOf(channel: Channel, workspace: Workspace): string {
  return channel.kind === "im" ? nameOf(workspace.bot, workspace) : channel.name;
}
