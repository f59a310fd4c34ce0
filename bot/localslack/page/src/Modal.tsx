import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { act } from "./api";
import { Blocks } from "./blocks/Blocks";
import { useDesk } from "./context";
import { Icon } from "./Icon";
import { plain } from "./text";
import type { Block, Values, View } from "./types";

/** The top of the person's stack of modals. The browser's dialog keeps the focus inside. */
export function Modal({ stack }: { stack: View[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { user, attempt } = useDesk();
  const view = stack.at(-1);
  useEffect(() => {
    const element = dialog.current;
    if (view && !element?.open) element?.showModal();
    if (!view && element?.open) element.close();
  }, [view]);
  const close = () => void attempt(() => act(user, { do: "close" }));
  return (
    <dialog
      ref={dialog}
      className="modal"
      aria-label={plain(view?.title)}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      {view && <Form key={view.id} view={view} depth={stack.length} close={close} />}
    </dialog>
  );
}

function Form({ view, depth, close }: { view: View; depth: number; close: () => void }) {
  const { user, attempt } = useDesk();
  const [values, setValues] = useState<Values>(() => initial(view.blocks));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [sending, setSending] = useState(false);
  const form = useId();
  const press = (action_id: string, value?: string) =>
    act(user, { do: "click_in_view", action_id, ...(value ? { value } : {}) });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSending(true);
    await attempt(async () => {
      const present = Object.fromEntries(
        view.blocks.filter((one) => one.type === "input").map((one) => [one.block_id, values[one.block_id] ?? {}]),
      );
      setErrors((await act<Record<string, string> | null>(user, { do: "submit", values: present })) ?? {});
    });
    setSending(false);
  };
  const fill = (block: string, action: string, value: string | string[] | null) =>
    setValues((now) => ({ ...now, [block]: { ...now[block], [action]: value } }));
  return (
    <>
      <header className="modal-head">
        <img src="/icon.svg" alt="" width={28} height={28} />
        <h2>{plain(view.title)}</h2>
        <button type="button" className="icon-button" aria-label={depth > 1 ? "Back" : "Close"} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <form id={form} className="modal-body" tabIndex={-1} onSubmit={(event) => void submit(event)}>
        <Blocks blocks={view.blocks} press={press} form={{ values, errors, fill }} />
      </form>
      <footer className="modal-foot">
        <button type="button" className="slack-button" onClick={close}>
          {plain(view.close) || "Cancel"}
        </button>
        {view.submit && (
          <button type="submit" form={form} className="slack-button primary" disabled={sending}>
            {plain(view.submit)}
          </button>
        )}
      </footer>
    </>
  );
}

/** The values that a form begins with. */
function initial(blocks: Block[]): Values {
  const values: Values = {};
  for (const { block_id, element } of blocks) {
    if (!element?.action_id) continue;
    const many = element.initial_options?.map((one) => one.value);
    const value = element.initial_value ?? element.initial_option?.value ?? many ?? null;
    values[block_id] = { [element.action_id]: value };
  }
  return values;
}
