"""What the local page asks for: bodies from the browser, and the doing of each."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from bot.localslack.server import LocalSlack

LONGEST_TEXT = 40_000


class _Act(BaseModel):
    """Who does it. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    user: str


class Post(_Act):
    """Write a message; `text` as Slack sends it."""

    do: Literal["post"]
    channel: str
    text: str = Field(min_length=1, max_length=LONGEST_TEXT)
    thread_ts: str | None = None

    async def run(self, slack: LocalSlack) -> object:
        """Returns the message's ts."""
        return await slack.post(self.channel, self.user, self.text, thread_ts=self.thread_ts)


class Click(_Act):
    """Press something in a message."""

    do: Literal["click"]
    channel: str
    ts: str
    action_id: str
    value: str | None = None

    async def run(self, slack: LocalSlack) -> object:
        """Returns when the app has acknowledged it."""
        await slack.click(self.channel, self.ts, self.action_id, self.user, value=self.value)
        return None


class ClickInView(_Act):
    """Press something in the top modal or the Home tab."""

    do: Literal["click_in_view"]
    action_id: str
    value: str | None = None

    async def run(self, slack: LocalSlack) -> object:
        """Returns when the app has acknowledged it."""
        await slack.click_in_view(self.user, self.action_id, value=self.value)
        return None


class Submit(_Act):
    """Send the top modal's form."""

    do: Literal["submit"]
    values: dict[str, dict[str, str | list[str] | None]]

    async def run(self, slack: LocalSlack) -> object:
        """Returns the errors that the app found, by block id."""
        answer = await slack.submit_view(self.user, self.values)
        return answer.get("errors")


class Close(_Act):
    """Close the top modal."""

    do: Literal["close"]

    async def run(self, slack: LocalSlack) -> object:
        """Returns at once."""
        await slack.close_view(self.user)
        return None


class Command(_Act):
    """Type a slash command."""

    do: Literal["command"]
    channel: str
    command: str = Field(pattern=r"^/[a-z0-9_-]+$")
    text: str = Field("", max_length=LONGEST_TEXT)

    async def run(self, slack: LocalSlack) -> object:
        """Returns when the app has acknowledged it."""
        await slack.command(self.channel, self.user, self.command, self.text)
        return None


class OpenHome(_Act):
    """Open the app's page."""

    do: Literal["open_home"]
    tab: Literal["home", "messages"]

    async def run(self, slack: LocalSlack) -> object:
        """Returns at once."""
        await slack.open_home(self.user, self.tab)
        return None


class Stop(_Act):
    """Stop a message that is being written."""

    do: Literal["stop"]
    channel: str
    ts: str

    async def run(self, slack: LocalSlack) -> object:
        """Returns at once."""
        await slack.stop_stream(self.channel, self.ts, self.user)
        return None


Act = Annotated[
    Post | Click | ClickInView | Submit | Close | Command | OpenHome | Stop,
    Field(discriminator="do"),
]
ACT: TypeAdapter[Act] = TypeAdapter(Act)


class SaveDocument(BaseModel):
    """Write a document anew."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    doc: str
    text: str
