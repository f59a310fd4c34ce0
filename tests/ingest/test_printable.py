import io

from rich.text import Text

from ingest.printable import PlainConsole, one_line, printable


def test_what_a_terminal_would_act_on_is_substituted_character_by_character() -> None:
    assert printable("a\x1b[31mred\x07\u202efox\tb\nc") == "a\ufffd[31mred\ufffd\ufffdfox\tb\nc"


def test_a_name_stays_on_its_line() -> None:
    assert one_line("new\nline.md") == "new\ufffdline.md"


def test_a_console_obeys_no_command_in_a_text_and_keeps_its_own_styles() -> None:
    file = io.StringIO()
    console = PlainConsole(file=file, force_terminal=True, color_system="standard", highlight=False)
    console.print(Text.assemble(("\x1b]0;title\x07", "bold")))
    console.print("\x1b[2J")
    assert file.getvalue() == "\x1b[1m\ufffd]0;title\x1b[0m\n\ufffd[2J\n"
