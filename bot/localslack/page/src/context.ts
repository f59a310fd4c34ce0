/** What nearly every part of the page needs: who looks, at what, and how things are done. */
import { createContext, useContext } from "react";
import type { Workspace } from "./types";

export type Desk = {
  user: string;
  workspace: Workspace;
  dark: boolean;
  /** Run an action; its failure is shown. Resolves to whether it went well. */
  attempt: (doing: () => Promise<unknown>) => Promise<boolean>;
};

export const DeskContext = createContext<Desk | null>(null);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error("outside of the page");
  return desk;
}
