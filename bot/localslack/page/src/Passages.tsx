import type { Passage } from "./types";

/** What a sync did to a document's passages. `moved`: the same id at another place. */
export type Change = { added: Passage[]; gone: Passage[]; moved: Passage[]; summary: string };

export function compare(before: Passage[], after: Passage[]): Change {
  const old = new Map(before.map((one) => [one.id, one]));
  const now = new Set(after.map((one) => one.id));
  const added = after.filter((one) => !old.has(one.id));
  const gone = before.filter((one) => !now.has(one.id));
  const moved = after.filter((one) => old.has(one.id) && old.get(one.id)?.start !== one.start);
  const kept = after.length - added.length;
  const summary = `Taken in: ${added.length} new, ${gone.length} retired, ${kept} kept their id.`;
  return { added, gone, moved, summary };
}

type Props = {
  passages: Passage[];
  change: Change | null;
  show: (start: number, end: number) => void;
};

export function Passages({ passages, change, show }: Props) {
  const fresh = new Set(change?.added.map((one) => one.id));
  const moved = new Set(change?.moved.map((one) => one.id));
  return (
    <section className="passages" aria-label="Passages">
      <h3>{passages.length} passages</h3>
      <ul>
        {change?.gone.map((one) => (
          <li key={one.id} className="gone">
            <code>{one.id}</code> <b>retired</b> <span>{one.heading}</span>
          </li>
        ))}
        {passages.map((one) => (
          <li key={one.id} className={fresh.has(one.id) ? "fresh" : ""}>
            <button type="button" onClick={() => show(one.start, one.end)}>
              <code>{one.id}</code> {fresh.has(one.id) && <b>new</b>} {moved.has(one.id) && <b>moved</b>}
              <span>{one.heading}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
