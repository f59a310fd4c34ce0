import { useDesk } from "./context";
import { nameOf } from "./text";

const COLOURS = ["#2f7d6b", "#b5542c", "#5b5fc7", "#97466f"];

/** A person's square with the first letter, the bot's own sign for the bot. */
export function Avatar({ user, size }: { user: string; size: number }) {
  const { workspace } = useDesk();
  const style = { width: size, height: size, fontSize: size * 0.5 };
  if (user === workspace.bot) {
    return <img className="avatar" src="/icon.svg" alt="" style={style} />;
  }
  const place = workspace.users.findIndex((one) => one.id === user);
  const background = COLOURS[(place + COLOURS.length) % COLOURS.length];
  return (
    <span className="avatar" aria-hidden="true" style={{ ...style, background }}>
      {nameOf(user, workspace).slice(0, 1).toUpperCase()}
    </span>
  );
}
