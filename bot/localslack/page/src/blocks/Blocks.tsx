import { Component, type ReactNode, useMemo } from "react";
import { type Block as LibraryBlock, Message as Rendered } from "slack-blocks-to-jsx";
import { useDesk } from "../context";
import type { Block } from "../types";
import { Actions, Pressable, type Press } from "./Actions";
import { Feedback } from "./Feedback";
import { Input, type FormState } from "./Input";

type Props = { blocks: Block[]; press: Press; form?: FormState };

/**
 * Block Kit. What is only looked at is drawn by slack-blocks-to-jsx, what is pressed or filled in
 * is ours: the library's buttons and inputs tell nobody.
 */
export function Blocks({ blocks, press, form }: Props) {
  return (
    <div className="blocks">
      {grouped(blocks).map((group) => {
        const first = group[0] as Block;
        const key = first.block_id;
        if (first.type === "actions") return <Actions key={key} block={first} press={press} />;
        if (first.type === "context_actions") return <Feedback key={key} block={first} press={press} />;
        if (first.type === "input") return <Input key={key} block={first} {...(form ? { form } : {})} />;
        if (first.accessory) {
          const { accessory, ...rest } = first;
          return (
            <div className="with-accessory" key={key}>
              <Drawn blocks={[rest]} />
              <Pressable element={accessory} press={press} />
            </div>
          );
        }
        return <Drawn key={key} blocks={group} />;
      })}
    </div>
  );
}

/** Only addresses of the web and of mail are followed. */
const HOOKS = {
  link: ({ href, children }: { href: string; children: ReactNode }) =>
    /^(https?|mailto):/i.test(href) ? (
      <a className="link" href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    ) : (
      children
    ),
};

const OURS = new Set(["actions", "context_actions", "input"]);

/** Blocks that the library draws stay together; each of ours stands alone. */
function grouped(blocks: Block[]): Block[][] {
  const groups: Block[][] = [];
  let open = false;
  for (const block of blocks) {
    const alone = OURS.has(block.type) || (!!block.accessory && block.accessory.type !== "image");
    if (open && !alone) groups.at(-1)?.push(block);
    else groups.push([block]);
    open = !alone;
  }
  return groups;
}

function Drawn({ blocks }: { blocks: Block[] }) {
  const { workspace, dark } = useDesk();
  const data = useMemo(
    () => ({
      users: workspace.users.map(({ id, name }) => ({ id, name })),
      channels: workspace.channels.map(({ id, name }) => ({ id, name })),
    }),
    [workspace],
  );
  return (
    <Fallback text={blocks.map((one) => JSON.stringify(one)).join("\n")}>
      <Rendered
        blocks={blocks.map(formatted) as unknown as LibraryBlock[]}
        name=""
        logo=""
        theme={dark ? "dark" : "light"}
        data={data}
        hooks={HOOKS}
        withoutWrapper
      />
    </Fallback>
  );
}

/**
 * Slack's `verbatim` only leaves addresses unlinked; the library leaves bold and code alone too.
 */
function formatted<T>(node: T): T {
  if (Array.isArray(node)) return node.map(formatted) as T;
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).filter(([key]) => key !== "verbatim");
  return Object.fromEntries(entries.map(([key, value]) => [key, formatted(value)])) as T;
}

/** A block that cannot be drawn is shown as it is, rather than the whole page going blank. */
class Fallback extends Component<{ text: string; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? <pre className="undrawn">{this.props.text}</pre> : this.props.children;
  }
}
