"""Curves and histograms as inline SVG; colours come from the page's style."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.evaluate.markup import Markup, el

WIDTH, HEIGHT = 560.0, 320.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 14.0, 14.0, 44.0
STRIP = 74.0  # height of a histogram's row
BINS = 25

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Series:
    """A curve: `style` names its colour in the style sheet, `dot` a point to be marked."""

    name: str
    style: str
    points: Sequence[Point]
    dot: Point | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows: its ticks, the first and the last at its ends, and its name."""

    name: str
    ticks: Sequence[float]

    def at(self, value: float) -> float:
        """Where a value stands between the ends, 0 to 1."""
        low, high = self.ticks[0], self.ticks[-1]
        return min(max((value - low) / (high - low), 0.0), 1.0)


def curves(title: str, across: Axis, up: Axis, series: Sequence[Series]) -> Markup:
    """Draw curves over common axes, with their legend."""
    frame = (_vertical(across), _horizontal(up))
    drawn = [_curve(across, up, one) for one in series]
    picture = el(
        "svg", el("title", title), frame, drawn, viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}", role="img"
    )
    return el("figure", el("figcaption", title), picture, _legend(series), class_="chart")


def histograms(title: str, groups: Sequence[tuple[str, str, Sequence[float]]]) -> Markup:
    """Draw a row of bars a group: how its numbers between 0 and 1 are spread.

    Args:
        title: of the picture.
        groups: name, style and numbers of each.
    """
    height = TOP + STRIP * len(groups) + BOTTOM
    across = Axis("evidence", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    rows = [_strip(across, n, *group) for n, group in enumerate(groups)]
    frame = _vertical(across, height)
    picture = el(
        "svg", el("title", title), frame, rows, viewBox=f"0 0 {WIDTH:g} {height:g}", role="img"
    )
    return el("figure", el("figcaption", title), picture, class_="chart")


def _x(across: Axis, value: float) -> float:
    return round(LEFT + across.at(value) * (WIDTH - LEFT - RIGHT), 1)


def _y(up: Axis, value: float) -> float:
    return round(HEIGHT - BOTTOM - up.at(value) * (HEIGHT - TOP - BOTTOM), 1)


def _vertical(across: Axis, height: float = HEIGHT) -> list[Markup]:
    """The grid lines and numbers of the axis across, and its name."""
    foot = height - BOTTOM
    parts = []
    for tick in across.ticks:
        x = _x(across, tick)
        parts.append(el("line", x1=x, x2=x, y1=TOP, y2=foot, class_="grid"))
        parts.append(el("text", f"{tick:g}", x=x, y=foot + 16, text_anchor="middle"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        el("text", across.name, x=middle, y=height - 8, text_anchor="middle", class_="name")
    )
    return parts


def _horizontal(up: Axis) -> list[Markup]:
    parts = []
    for tick in up.ticks:
        y = _y(up, tick)
        parts.append(el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid"))
        parts.append(el("text", f"{tick:g}", x=LEFT - 7, y=y + 4, text_anchor="end"))
    turned = f"translate(12 {(TOP + HEIGHT - BOTTOM) / 2:g}) rotate(-90)"
    parts.append(el("text", up.name, transform=turned, text_anchor="middle", class_="name"))
    return parts


def _curve(across: Axis, up: Axis, series: Series) -> list[Markup]:
    points = " ".join(f"{_x(across, x):g},{_y(up, y):g}" for x, y in series.points)
    parts = [el("polyline", points=points, class_=f"curve {series.style}")]
    if series.dot is not None:
        x, y = series.dot
        told = el("title", f"{series.name}: {x:.2f}, {y:.2f}")
        parts.append(
            el("circle", told, cx=_x(across, x), cy=_y(up, y), r=5, class_=f"dot {series.style}")
        )
    return parts


def _legend(series: Sequence[Series]) -> Markup:
    entries = [el("span", el("i", class_=one.style), one.name) for one in series]
    return el("div", entries, class_="legend")


def _strip(across: Axis, row: int, name: str, style: str, values: Sequence[float]) -> list[Markup]:
    counts = [0] * BINS
    for value in values:
        counts[min(int(across.at(value) * BINS), BINS - 1)] += 1
    foot = TOP + STRIP * (row + 1)
    tallest = max(counts) or 1
    width = (WIDTH - LEFT - RIGHT) / BINS
    parts = [el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=foot, y2=foot, class_="foot")]
    for n, count in enumerate(counts):
        if count:
            tall = (STRIP - 20) * count / tallest
            told = el("title", f"{name}: {count} at {n / BINS:.2f} to {(n + 1) / BINS:.2f}")
            x = LEFT + n * width + 1
            parts.append(
                el("rect", told, x=x, y=foot - tall, width=width - 2, height=tall, class_=style)
            )
    label = f"{name} ({len(values)})"
    parts.append(el("text", label, x=LEFT + 4, y=foot - STRIP + 13, class_="label"))
    return parts
