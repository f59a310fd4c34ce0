import { useEffect, useRef, useState } from "react";
import { listDocuments, readDocument, saveDocument } from "./api";
import { useDesk } from "./context";
import { Icon } from "./Icon";
import { compare, Passages, type Change } from "./Passages";
import type { Document, DocumentEntry } from "./types";

type Props = { synced: number; close: () => void };

/** The sample documents, to be edited; the schedule takes in what is saved. */
export function DocumentsPanel({ synced, close }: Props) {
  const { attempt } = useDesk();
  const [entries, setEntries] = useState<DocumentEntry[]>([]);
  const [name, setName] = useState("");
  const [known, setKnown] = useState<Document | null>(null);
  const [text, setText] = useState("");
  const [waiting, setWaiting] = useState(false);
  const [change, setChange] = useState<Change | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    void attempt(async () => {
      const found = await listDocuments();
      setEntries(found);
      setName((now) => now || (found[0]?.doc ?? ""));
    });
  }, [attempt, synced]);

  useEffect(() => {
    let wanted = Boolean(name);
    void attempt(async () => {
      const found = wanted ? await readDocument(name) : null;
      if (!wanted || !found) return; // another one was chosen meanwhile
      setKnown(found);
      setText(found.text);
      setChange(null);
      setWaiting(false);
    });
    return () => {
      wanted = false;
    };
  }, [name, attempt]);

  useEffect(() => {
    if (!waiting || !known) return;
    void attempt(async () => {
      const now = await readDocument(known.doc);
      const found = compare(known.passages, now.passages);
      setKnown(now);
      setChange(found);
      setWaiting(false);
    });
    // Only a sync makes another look worth while.
  }, [synced]);

  const save = () => {
    if (!known || text === known.text) return;
    setWaiting(true);
    setChange(null);
    void attempt(() => saveDocument(known.doc, text)).then((done) => {
      if (!done) setWaiting(false);
    });
  };
  const show = (start: number, end: number) => {
    const characters = Array.from(text); // passages count characters, the field UTF-16 units
    const from = characters.slice(0, start).join("").length;
    const to = characters.slice(0, end).join("").length;
    const area = field.current;
    if (!area) return;
    area.focus();
    area.setSelectionRange(from, to);
    const line = text.slice(0, from).split("\n").length - 1;
    area.scrollTop = Math.max(0, line * parseFloat(getComputedStyle(area).lineHeight) - 40);
  };

  return (
    <aside className="documents" aria-label="Sample documents">
      <header className="panel-head">
        <h2>
          <Icon name="book" /> Sample documents
        </h2>
        <button type="button" className="icon-button" aria-label="Close the documents" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <div className="documents-body">
        <select className="slack-select" aria-label="Document" value={name} onChange={(e) => setName(e.target.value)}>
          {entries.map((one) => (
            <option key={one.doc} value={one.doc}>
              {one.doc}
            </option>
          ))}
        </select>
        <textarea
          ref={field}
          aria-label="Text of the document"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              save();
            }
          }}
        />
        <div className="documents-save">
          <p role="status">
            {waiting
              ? "Saved. The schedule looks every two seconds…"
              : (change?.summary ?? (known && text !== known.text ? "Not saved yet" : ""))}
          </p>
          <button
            type="button"
            className="slack-button primary"
            disabled={!known || text === known.text || waiting}
            onClick={save}
          >
            Save
          </button>
        </div>
        {known && <Passages passages={known.passages} change={change} show={show} />}
      </div>
    </aside>
  );
}
