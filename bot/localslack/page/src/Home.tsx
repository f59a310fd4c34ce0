import { act } from "./api";
import { Blocks } from "./blocks/Blocks";
import { useDesk } from "./context";
import { Tabs } from "./Tabs";
import { titleOf } from "./text";
import type { Channel, View } from "./types";

type Props = { channel: Channel; view: View | null; openTab: (tab: "home" | "messages") => void };

/** The app's Home tab, as it was published for this person. */
export function Home({ channel, view, openTab }: Props) {
  const { user, workspace } = useDesk();
  const press = (action_id: string, value?: string) =>
    act(user, { do: "click_in_view", action_id, ...(value ? { value } : {}) });
  return (
    <>
      <header className="panel-head">
        <h2>{titleOf(channel, workspace)}</h2>
        <Tabs tab="home" openTab={openTab} />
      </header>
      <div className="home" role="tabpanel" aria-label="Home">
        {view ? <Blocks blocks={view.blocks} press={press} /> : <p className="text">This is a work in progress…</p>}
      </div>
    </>
  );
}
