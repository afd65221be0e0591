"""How figures are written."""


def format_time(us):
    for unit, scale in (("s", 1e6), ("ms", 1e3)):
        if us >= scale:
            return f"{us / scale:.3g} {unit}" if us < 100 * scale else f"{us / scale:.0f} {unit}"
    return f"{us:.2f} us" if us >= 1 else f"{us * 1e3:.3g} ns"


def format_size(size):
    if size >= 1 << 20 and size % (1 << 20) == 0:
        return f"{size >> 20} MiB"
    if size >= 1 << 10 and size % (1 << 10) == 0:
        return f"{size >> 10} KiB"
    return f"{size} B"
