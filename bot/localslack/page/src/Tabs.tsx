type Props = { tab: "home" | "messages"; openTab: (tab: "home" | "messages") => void };

/** The two tabs of the app's page. */
export function Tabs({ tab, openTab }: Props) {
  return (
    <div className="tabs" role="tablist" aria-label="Footnote">
      {(["home", "messages"] as const).map((one) => (
        <button key={one} type="button" role="tab" aria-selected={one === tab} onClick={() => openTab(one)}>
          {one === "home" ? "Home" : "Messages"}
        </button>
      ))}
    </div>
  );
}
