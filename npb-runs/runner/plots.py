"""Plots of a summary, by matplotlib, which is asked for only here: everything else works without it."""

import io

from libraries import PEERS
from runner import plan

MISSING = "no plots: install python3-matplotlib"
# Colours that people with any colour vision can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8F8F00", "#000000")
MARKERS = "osDv^<>"
INCH_PER_GROUP = 0.75
GROUPS_PER_ROW = 12
HIGHEST_BAR = 6
PANELS_PER_ROW = 3


class Plot:
    def __init__(self, name, title, caption, figure):
        self.name = name
        self.title = title
        self.caption = caption
        self.figure = figure

    def svg(self):
        """Text of an <svg> element. The same plot gives the same bytes."""
        out = io.StringIO()
        self.figure.savefig(out, format="svg", metadata={"Date": None})
        text = out.getvalue()
        return text[text.index("<svg"):]

    def files(self, folder):
        return folder / f"{self.name}.svg", folder / f"{self.name}.png"

    def save(self, folder):
        svg, png = self.files(folder)
        self.figure.savefig(svg, metadata={"Date": None})
        self.figure.savefig(png, dpi=120)


def new_figure(width, height, **more):
    from matplotlib.figure import Figure  # needs python3-matplotlib

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(squeeze=False, **more)


def is_available():
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "npb", "font.size": 9, "axes.spines.top": False,
                            "axes.spines.right": False, "legend.frameon": False}
    return True


def colour_of(summary, contender):
    return COLOURS[summary.contenders.index(contender) % len(COLOURS)]


def short_name(case):
    """Under a group of bars."""
    benchmark, _, ranks, variant = case
    return f"{benchmark}\n{ranks}" + (f"\n{variant}" if variant else "")


def top_of_bars(cases, contenders, value):
    """Where bars are cut: one peer that spins must not make all others invisible."""
    own = [value(case, contender) or 1 for contender in contenders if contender[0] not in PEERS for case in cases]
    return min(1.6 * max([1, *own]), HIGHEST_BAR)


def bars(summary, cases, contenders, value, ylabel):
    """Groups of bars, a group per case, in as many rows as needed; a line at 1. Bars that are cut have their figure on
    top."""
    columns = min(GROUPS_PER_ROW, len(cases))
    rows = [cases[start:start + columns] for start in range(0, len(cases), columns)]
    figure, panels = new_figure(max(5, 2.5 + INCH_PER_GROUP * columns), 2.9 * len(rows), nrows=len(rows), sharey=True)
    top = top_of_bars(cases, contenders, value)
    for axes, row in zip(panels.flat, rows):
        draw_bars(axes, summary, row, contenders, value, top)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_xticks(range(len(row)), [short_name(case) for case in row])
        axes.set_xlim(-0.6, columns - 0.4)
        axes.set_ylim(0, top)
        axes.set_ylabel(ylabel)
    panels[0, 0].legend(loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def draw_bars(axes, summary, cases, contenders, value, top):
    width = 0.8 / len(contenders)
    for number, contender in enumerate(contenders):
        points = [(index + (number + 0.5) * width - 0.4, value(case, contender)) for index, case in enumerate(cases)]
        points = [(x, y) for x, y in points if y]
        axes.bar([x for x, _ in points], [y for _, y in points], width, label=plan.label(*contender),
                 color=colour_of(summary, contender))
        for x, y in points:
            if y > top:
                axes.text(x, top, f"{y:.3g}", ha="center", va="bottom", fontsize=7)


def bar_plots(summary, name, title, caption, contenders, value, ylabel):
    """A plot per class, of the cases that have a figure for any of the contenders."""
    plots = []
    for problem_class in dict.fromkeys(case[1] for case in summary.samples):
        cases = [case for case in summary.samples
                 if case[1] == problem_class and any(value(case, contender) for contender in contenders)]
        if cases:
            figure = bars(summary, cases, contenders, value, ylabel)
            plots.append(Plot(f"{name}-{problem_class}", f"{title}, class {problem_class}", caption, figure))
    return plots


def against_peers(summary, name, title, caption, figure_of, what):
    def value(case, contender):
        own, base = figure_of(case, contender), summary.best_peer(case, figure_of)
        return own / base if own and base else None

    if not any(contender[0] in PEERS for contender in summary.contenders):
        return []
    return bar_plots(summary, name, title, caption, summary.contenders, value, f"{what} / better peer")


def between_modes(summary):
    base = summary.base_mode()
    if len(summary.modes()) < 2:
        return []
    return bar_plots(
        summary, "modes", "Modes of DetMPI", f"Median run time, {plan.label(*base)} being 1. Under the bars: ranks.",
        summary.modes(), lambda case, mode: summary.ratio(case, mode, base, summary.median),
        f"time / {plan.label(*base)}")


def between_region_modes(summary):
    base = summary.base_region_mode()
    if len(summary.region_modes()) < 2:
        return []
    return bar_plots(
        summary, "regions", "Modes of SPMC memory", f"Median run time over channels, {plan.label(*base)} being 1. Under the "
        "bars: ranks.", summary.region_modes(), lambda case, mode: summary.ratio(case, mode, base, summary.median),
        f"time / {plan.label(*base)}")


def growth(summary, name, title, caption, figure_of, ylabel):
    """Ratios of each mode to the base mode by the number of ranks: a panel per mode, a line per program."""
    base = summary.base_mode()
    others = [mode for mode in summary.modes() if mode != base]
    lines = {}
    for case in summary.samples:
        for mode in others:
            ratio = summary.ratio(case, mode, base, figure_of)
            if ratio:
                lines.setdefault(mode, {}).setdefault((case[0], case[1], case[3]), []).append((case[2], ratio))
    if not any(len(points) > 1 for by_program in lines.values() for points in by_program.values()):
        return []
    programs = list(dict.fromkeys(program for by_program in lines.values() for program in by_program))
    figure, panels = new_figure(5.5 * len(lines), 3.4, ncols=len(lines), sharey=True)
    for axes, (mode, by_program) in zip(panels[0], lines.items()):
        for program, points in by_program.items():
            benchmark, problem_class, variant = program
            row, colour = divmod(programs.index(program), len(COLOURS))
            axes.plot(*zip(*points), "--" if variant else "-", marker=MARKERS[row % len(MARKERS)], markersize=4,
                      color=COLOURS[colour], label=f"{benchmark} {problem_class} {variant}".strip())
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_title(plan.label(*mode), fontsize=9)
        show_rank_counts(axes, by_program.values())
    panels[0, 0].set_ylabel(ylabel)
    handles = {text: handle for axes in panels[0] for handle, text in zip(*axes.get_legend_handles_labels())}
    panels[0, -1].legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(1, 1))
    return [Plot(name, title, caption, figure)]


def show_rank_counts(axes, lines):
    counts = sorted({ranks for points in lines for ranks, _ in points})
    axes.set_xscale("log", base=2)
    axes.set_xticks(counts, [str(ranks) for ranks in counts])
    axes.minorticks_off()
    axes.set_xlabel("ranks")


def scaling(summary):
    """Run time by the number of ranks: a panel per program and class, a line per contender."""
    groups = {}
    for case in summary.samples:
        for contender in summary.contenders:
            median = summary.median(case, contender)
            if median:
                lines = groups.setdefault((case[0], case[1], case[3]), {})
                lines.setdefault(contender, []).append((case[2], median))
    groups = {name: lines for name, lines in groups.items() if any(len(points) > 1 for points in lines.values())}
    if not groups:
        return []
    columns = min(PANELS_PER_ROW, len(groups))
    rows = -(-len(groups) // columns)
    figure, panels = new_figure(3.6 * columns + 1.4, 2.7 * rows, nrows=rows, ncols=columns)
    for axes in panels.flat[len(groups):]:
        axes.set_visible(False)
    for axes, ((benchmark, problem_class, variant), lines) in zip(panels.flat, groups.items()):
        for contender, points in lines.items():
            axes.plot(*zip(*points), "o-", markersize=3, color=colour_of(summary, contender),
                      label=plan.label(*contender))
        axes.set_yscale("log")
        axes.set_title(f"{benchmark} {problem_class} {variant}".strip(), fontsize=9)
        show_rank_counts(axes, lines.values())
    for axes in panels[:, 0]:
        axes.set_ylabel("seconds")
    handles = {text: handle for axes in panels.flat for handle, text in zip(*axes.get_legend_handles_labels())}
    panels[0, columns - 1].legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(1, 1))
    return [Plot("scaling", "Run time by the number of ranks",
                 "Medians; both axes logarithmic. More ranks than cores share them.", figure)]


def all_plots(summary):
    base = plan.label(*summary.base_mode()) if summary.base_mode() else ""
    return [
        *against_peers(summary, "time", "Run time against the peers",
                       "Medians relative to the better peer, below 1 is faster. Under the bars: ranks.", summary.median,
                       "time"),
        *between_modes(summary),
        *between_region_modes(summary),
        *growth(summary, "overhead", "What determinism costs, by the number of ranks",
                f"Median run time relative to {base}.", summary.median, f"time / {base}"),
        *scaling(summary),
        *against_peers(summary, "memory", "Memory against the peers",
                       "The most memory that a job held, relative to the better peer. Under the bars: ranks.",
                       summary.memory, "memory"),
        *growth(summary, "memory-growth", "Memory by the number of ranks",
                f"The most memory that a job held, relative to {base}.", summary.memory, f"memory / {base}"),
    ]
