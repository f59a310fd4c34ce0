"""`python -m bot`: the Slack app and the schedule, or one of the commands."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from ingest.__main__ import run as run_cli
from ingest.errors import SettingsError

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Answers questions over your documents, with citations that can be checked."
    " Without a command: the Slack app.",
)

Json = Annotated[bool, typer.Option("--json", help="Print data alone on stdout.")]


@app.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Take Slack's requests on a port, without Socket Mode.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="That port; FOOTNOTE_HTTP_HOST is its address.")
    ] = 3000,
) -> None:
    """Run the Slack app and the schedule."""
    if context.invoked_subcommand is not None:
        return
    from bot.cli.serve import serve as run_slack
    from bot.cli.shared import load_settings, set_up_logging

    settings = load_settings()
    set_up_logging(settings.log_level)
    run_slack(settings, http_port=port if http else None)


@app.command()
def ask(
    words: Annotated[list[str], typer.Argument(metavar="QUESTION")], *, as_json: Json = False
) -> None:
    """Answer one question from the documents, with its sources."""
    from bot.cli.ask import ask as run
    from bot.cli.shared import load_settings, quiet, set_up_logging, with_parts

    settings = load_settings()
    set_up_logging(quiet(settings))
    with_parts(settings, lambda parts: run(parts, " ".join(words), as_json=as_json))


@app.command()
def chat() -> None:
    """Ask in a conversation, follow-ups included."""
    from bot.cli.ask import chat as run
    from bot.cli.shared import load_settings, quiet, set_up_logging, with_parts

    settings = load_settings()
    set_up_logging(quiet(settings))
    with_parts(settings, run)


@app.command()
def search(
    words: Annotated[list[str] | None, typer.Argument(metavar="[QUESTION]")] = None,
    *,
    k: Annotated[int, typer.Option("--k", min=1, help="How many hits.")] = 5,
    as_json: Json = False,
    batch: Annotated[
        Path | None, typer.Option(help='Lines of {"q", "history"}; prints a line of data for each.')
    ] = None,
) -> None:
    """Show which passages a question finds."""
    from bot.cli import search as command
    from bot.cli.shared import load_settings, quiet, set_up_logging, with_parts

    settings = load_settings()
    set_up_logging(quiet(settings))
    if batch is not None:
        with_parts(settings, lambda parts: command.search_batch(parts, batch, k))
    elif words:
        question = " ".join(words)
        with_parts(settings, lambda parts: command.search(parts, question, k, as_json=as_json))
    else:
        raise SettingsError("Give a question, or a file of them with --batch.")


@app.command()
def source(
    passage_id: Annotated[str, typer.Argument(metavar="ID")],
    *,
    as_json: Json = False,
    check: Annotated[
        bool, typer.Option("--check", help="Read the file again and compare.")
    ] = False,
) -> None:
    """Show the passage behind a citation id, and what became of it."""
    from bot.cli.shared import load_settings
    from bot.cli.source import show_source

    show_source(load_settings(), passage_id, as_json=as_json, check=check)


@app.command()
def verify(
    *,
    batch: Annotated[
        Path,
        typer.Option(
            help='Lines of {"question", "cited": [{"heading", "text"}], "sentence"}; - for stdin.'
        ),
    ],
    as_json: Json = False,
) -> None:
    """Hold sentences against the texts that they cite; says which would be shown, and why not."""
    from bot.cli.shared import load_settings, quiet, set_up_logging
    from bot.cli.verify import verify_batch

    settings = load_settings()
    set_up_logging(quiet(settings))
    asyncio.run(verify_batch(settings, batch, as_json=as_json))


@app.command()
def doctor(
    *,
    as_json: Json = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Hold every vector and every passage to the proof, too.")
    ] = False,
) -> None:
    """Look at settings, models, indexes, the last sync and Slack; exit code 1 if one is wrong."""
    from bot.cli.doctor import examine, print_findings
    from bot.cli.shared import load_settings

    if not print_findings(examine(load_settings(), deep=deep), as_json=as_json):
        raise typer.Exit(1)


@app.command()
def demo(
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of the page; 0 takes a free one.")
    ] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Take in the sample handbook, answer three questions, and serve a local Slack to ask on."""
    from bot.cli.demo import run_demo
    from bot.cli.shared import load_settings, quiet, set_up_logging

    settings = load_settings()
    set_up_logging(quiet(settings))
    run_demo(settings, port=port, browser=browser)


@app.command("eval")
def evaluate(
    cases: Annotated[Path, typer.Argument(help="Cases, one JSON object a line.")],
    *,
    corpus: Annotated[
        Path | None,
        typer.Option(help='A temporary index of {"doc", "text"} lines instead of your own.'),
    ] = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Make unanswerable questions of answerable ones.")
    ] = False,
    answers: Annotated[
        bool, typer.Option("--answers", help="Write answers and check them.")
    ] = False,
    judge: Annotated[
        bool, typer.Option("--judge", help="Have the model judge each sentence; implies --answers.")
    ] = False,
    prices: Annotated[
        tuple[float, float] | None,
        typer.Option(help="Of a million tokens, read and written, for the cost of an answer."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="What an earlier run printed with --json.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="A folder for report.html and run.json.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure retrieval, refusals and answers on your own cases."""
    from bot.cli import evaluate as command
    from bot.cli.shared import load_settings, set_up_logging
    from bot.evaluate.session import Wanted

    settings = load_settings()
    set_up_logging(settings.log_level)
    wanted = Wanted(withdraw=withdraw, answers=answers, judge=judge, prices=prices)
    output = command.Output(as_json=as_json, report=report, against=against)
    command.evaluate(settings, cases, corpus, wanted, output)


@app.command()
def calibrate(
    cases: Annotated[Path, typer.Argument(help="Cases, one JSON object a line.")],
    *,
    max_false_answers: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share of unanswerable questions that may be answered."),
    ] = 0.05,
    corpus: Annotated[
        Path | None,
        typer.Option(help='A temporary index of {"doc", "text"} lines instead of your own.'),
    ] = None,
    as_json: Json = False,
) -> None:
    """Choose when to refuse, on your own cases, and keep it in the data folder."""
    from bot.cli import calibrate as command
    from bot.cli.shared import load_settings, set_up_logging

    settings = load_settings()
    set_up_logging(settings.log_level)
    command.calibrate(settings, cases, corpus, max_false_answers, as_json=as_json)


@app.command()
def gaps(*, as_json: Json = False) -> None:
    """List the questions that the documents could not answer, the most asked first."""
    from bot.cli.gaps import show_gaps
    from bot.cli.shared import load_settings, set_up_logging

    set_up_logging("WARNING")
    show_gaps(load_settings(), as_json=as_json)


@app.command()
def forget(
    person: Annotated[
        str, typer.Argument(metavar="USER", help="Their id in Slack, U… or W…, or a mention <@U…>.")
    ],
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove one person's questions, with their answers and ratings, from the record for good."""
    from bot.cli.forget import forget_command
    from bot.cli.shared import load_settings, readable

    forget_command(load_settings(), readable(person), dry_run=dry_run, yes=yes)


feedback_app = typer.Typer(rich_markup_mode=None)
app.add_typer(feedback_app, name="feedback")


@feedback_app.callback()
def feedback() -> None:
    """What people think of the answers."""


@feedback_app.command()
def export(*, as_json: Json = False) -> None:
    """Turn thumbs into cases for `eval`, one a line."""
    from bot.cli.feedback import export_feedback
    from bot.cli.shared import load_settings

    export_feedback(load_settings(), as_json=as_json)


cases_app = typer.Typer(rich_markup_mode=None)
app.add_typer(cases_app, name="cases")


@cases_app.callback()
def cases() -> None:
    """Cases to measure with."""


@cases_app.command()
def draft(
    count: Annotated[int, typer.Option(min=1, help="How many at most.")] = 50,
) -> None:
    """Propose cases from the documents, for you to accept, edit or drop."""
    from bot.cli.drafts import draft_cases
    from bot.cli.shared import load_settings

    draft_cases(load_settings(), count)


def main() -> None:
    """Entry point of `python -m bot` and `footnote`."""
    run_cli(app)


if __name__ == "__main__":
    main()
