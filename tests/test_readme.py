"""The README and `.env.example` tell the truth; `python -m tests.test_readme` writes the table."""

import re
from pathlib import Path

import yaml
from pydantic import SecretStr

from bot.settings import Settings
from ingest.parse.names import CURLY_SUFFIXES, ERB_SUFFIXES, MARKDOWN_SUFFIXES

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BEGIN, END = "<!-- settings -->", "<!-- /settings -->"


def names() -> dict[str, str]:
    """Fields of the settings, by the name they have in the environment."""
    found = {}
    for field, info in Settings.model_fields.items():
        alias = info.validation_alias
        found[alias if isinstance(alias, str) else f"FOOTNOTE_{field.upper()}"] = field
    return found


def table() -> str:
    rows = ["| setting | default | what it does |", "|---|---|---|"]
    for name, field in names().items():
        info = Settings.model_fields[field]
        default = (
            info.default.get_secret_value() if isinstance(info.default, SecretStr) else info.default
        )
        shown = "" if default in {None, ""} else f"`{default}`"
        rows.append(f"| `{name}` | {shown} | {info.description} |")
    return "\n".join(rows)


def test_every_setting_is_described() -> None:
    undescribed = [n for n, f in names().items() if not Settings.model_fields[f].description]
    assert undescribed == []


def test_the_readme_lists_every_setting_with_its_default() -> None:
    text = README.read_text(encoding="utf-8")
    told = text.split(BEGIN)[1].split(END)[0].strip()
    assert told == table(), "run `python -m tests.test_readme`"


def test_the_example_names_only_settings_that_exist() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"^([A-Z_]+)=", text, re.MULTILINE)) - set(names()) == set()


def test_the_readme_names_every_kind_of_file_that_is_read() -> None:
    told = README.read_text(encoding="utf-8").split("Read are files")[1].split("counted.")[0]
    kinds = MARKDOWN_SUFFIXES | ERB_SUFFIXES | CURLY_SUFFIXES | {".txt"}
    assert set(re.findall(r"\.[a-z]\w+(?=[`.])", told)) == kinds


def test_what_the_readme_links_to_exists() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert "manifest.yml" in links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_each_line_of_what_is_promised_names_tests_and_every_named_test_exists() -> None:
    text = README.read_text(encoding="utf-8").split("## Security: what is promised")[1]
    lines = text.split("\n## ")[0].split("\n- ")[1:]
    assert len(lines) > 15
    for line in lines:
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", line)
        assert named, line
        assert len(named) == len(re.findall(r"\btest_\w+`", line)), line
        for file, name in named:
            code = (ROOT / file).read_text(encoding="utf-8")
            assert re.search(rf"^(async )?def {name}\(", code, re.MULTILINE), f"{file}::{name}"


def test_the_readme_names_the_slash_command_of_the_manifest() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    (command,) = manifest["features"]["slash_commands"]
    assert f"`{command['command']} ID`" in README.read_text(encoding="utf-8")


if __name__ == "__main__":
    before, rest = README.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    README.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")
