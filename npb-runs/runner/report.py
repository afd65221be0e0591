"""One HTML page with everything in it: no scripts, nothing that is fetched."""

import html

from runner import plan, tables

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 1200px; margin: 2em auto; padding: 0 1em; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2em; }
.wide { overflow-x: auto; } svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 10px; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid #888; } .name { text-align: left; } td:last-child { white-space: normal; }
figure { margin: 1.5em 0; } figcaption, .note { color: #555; font-size: 13px; max-width: 60em; }
code { background: #f3f3f3; padding: 1px 4px; overflow-wrap: anywhere; } .bad { color: #a00000; }
"""

MACHINE_ROWS = (("processor", "processor"), ("cores", "cores"), ("memory", "memory_mib"), ("system", "system"),
                ("kernel", "kernel"), ("compiler", "compiler"), ("load at the start", "load"))


def escape(value):
    return html.escape(str(value))


def table_html(table):
    def row(tag, cells):
        marked = ((' class="name"' if table.is_text(column) else "", cell) for column, cell in enumerate(cells))
        return "<tr>" + "".join(f"<{tag}{mark}>{escape(cell)}</{tag}>" for mark, cell in marked) + "</tr>"

    body = "\n".join(row("td", cells) for cells in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>\n' if table.note else ""
    return (f"<h3>{escape(table.title)}</h3>\n{note}"
            f'<div class="wide"><table>\n{row("th", table.header)}\n{body}\n</table></div>\n')


def machine_cell(machine, name):
    value = machine.get(name)
    if value is None:
        return "unknown"
    if name == "memory_mib":
        return f"{value / 1024:.1f} GiB"
    if name == "processor":
        return f"{value}, virtual machine" if machine.get("virtual") else value
    return f"{value:.2f}" if name == "load" else value


def session_html(session):
    machine, libraries = session["machine"], session["libraries"]
    rows = [[title, machine_cell(machine, name)] for title, name in MACHINE_ROWS]
    rows += [[plan.TITLES.get(name, name), f"{each['version'] or 'unknown version'}, {each['launcher']}"]
             for name, each in libraries.items()]
    rows += [["compiled with", session["flags"]], ["npb", f"{session['version']}, tree {session['tree'] or 'unknown'}"],
             ["started", session["time"]]]
    cells = "\n".join(f'<tr><td class="name">{escape(name)}</td><td class="name">{escape(value)}</td></tr>'
                      for name, value in rows)
    return f'<p><code>{escape(session["command"])}</code></p>\n<div class="wide"><table>\n{cells}\n</table></div>\n'


def outcome_html(summary):
    runs = [run for by_contender in summary.samples.values() for samples in by_contender.values()
            for run in samples.probes + samples.runs]
    bad, unsteady = len(summary.failures()), len(summary.unsteady())
    if not bad and not unsteady:
        return f"<p>All {len(runs)} runs verified; with DetMPI every program printed the same bytes in every run.</p>\n"
    return (f'<p class="bad">Of {len(runs)} runs, {bad} failed, timed out or did not verify; '
            f"{unsteady} cases of DetMPI did not print the same in every run. See the last table.</p>\n")


def page(summary, plots, files, missing=""):
    """The text of the page. `missing`: why there are no plots."""
    figures = "\n".join(f'<figure>\n<h3>{escape(plot.title)}</h3>\n<div class="wide">{plot.svg()}</div>\n'
                        f"<figcaption>{escape(plot.caption)}</figcaption>\n</figure>" for plot in plots)
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>NAS Parallel Benchmarks</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        "<h1>NAS Parallel Benchmarks</h1>\n", outcome_html(summary),
        f"<p>Results: {escape(', '.join(files))}</p>\n",
        "<h2>Machine and commands</h2>\n", *(session_html(session) for session in summary.sessions),
        "<h2>Plots</h2>\n", figures or f"<p>{escape(missing or 'There is nothing to draw.')}</p>\n",
        "<h2>Tables</h2>\n", *(table_html(table) for table in tables.all_tables(summary)),
        "</body>\n</html>\n",
    ]
    return "".join(parts)
