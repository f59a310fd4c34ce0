/** What the local Slack sends: Slack's own shapes, as far as the page reads them. */

export type Text = { type: "plain_text" | "mrkdwn"; text: string };

export type Option = { text: Text; value: string; description?: Text };

export type Element = {
  type: string;
  action_id?: string;
  text?: Text | string;
  value?: string;
  url?: string;
  style?: "primary" | "danger";
  options?: Option[];
  initial_option?: Option;
  initial_options?: Option[];
  initial_value?: string;
  placeholder?: Text;
  multiline?: boolean;
  max_length?: number;
  min_length?: number;
  accessibility_label?: string;
  positive_button?: FeedbackButton;
  negative_button?: FeedbackButton;
  icon?: string;
  alt_text?: string;
};

export type FeedbackButton = { text: Text; value: string; accessibility_label?: string };

export type Block = {
  type: string;
  block_id: string;
  text?: Text | string;
  fields?: Text[];
  elements?: Element[];
  element?: Element;
  accessory?: Element;
  label?: Text;
  hint?: Text;
  optional?: boolean;
  dispatch_action?: boolean;
  level?: number;
};

export type Message = {
  ts: string;
  user: string;
  text: string;
  subtype?: string;
  blocks?: Block[];
  thread_ts?: string;
  reply_count?: number;
  reply_users?: string[];
  latest_reply?: string;
  edited?: { user: string; ts: string };
  is_ephemeral?: boolean;
  channel?: string;
  streaming?: boolean;
  bot_id?: string;
};

export type View = {
  id: string;
  type: "modal" | "home";
  hash: string;
  title: Text | null;
  close: Text | null;
  submit: Text | null;
  blocks: Block[];
};

export type User = { id: string; name: string; is_bot: boolean };

export type Channel = {
  id: string;
  name: string;
  kind: "channel" | "group" | "im";
  members: string[];
  archived: boolean;
};

export type Workspace = {
  team: string;
  user: string;
  bot: string;
  users: User[];
  channels: Channel[];
  commands: string[];
  home_tab: boolean;
};

export type Status = { status: string; loading_messages: string[]; set_at: number };

export type Prompts = { title: string | null; prompts: { title: string; message: string }[] };

export type Screen = {
  workspace: Workspace;
  statuses: Record<string, Status>;
  ephemerals: Message[];
  views: View[];
  home: View | null;
  prompts: Prompts | null;
  connected: boolean;
  documents: number;
} & Record<`channel:${string}`, Message[]>;

export type Passage = { id: string; heading: string; start: number; end: number };
export type DocumentEntry = { doc: string; title: string };
export type Document = { doc: string; text: string; passages: Passage[] };

export type Values = Record<string, Record<string, string | string[] | null>>;
