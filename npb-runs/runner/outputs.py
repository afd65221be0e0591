"""What a run printed: ours prints its summary to standard error, the suite's own programs to standard output."""

import hashlib
import math
import re

TIME = re.compile(r"^\s*Time in seconds\s*=\s*([0-9.Ee+-]+)\s*$", re.MULTILINE)
MOPS = re.compile(r"^\s*Mop/s total\s*=\s*([0-9.Ee+-]+)\s*$", re.MULTILINE)
VERIFICATION = re.compile(r"^\s*(?:Verification\s*=|VERIFICATION)\s*(\w.*?)\s*$", re.MULTILINE)
DIGEST = re.compile(r"^detmpirun: digest (\w+)$", re.MULTILINE)


def number(pattern, text):
    match = pattern.search(text)
    try:
        value = float(match.group(1)) if match else None
    except ValueError:
        return None
    return value if value is not None and math.isfinite(value) else None  # 1e999 is not


def parse(output, errors):
    """The measured figures, None where one is missing. Verified: everything that was said about it is SUCCESSFUL."""
    text = output + "\n" + errors
    said = VERIFICATION.findall(text)
    digest = DIGEST.search(errors)
    return {
        "seconds": number(TIME, text),
        "mops": number(MOPS, text),
        "verified": bool(said) and all(word == "SUCCESSFUL" for word in said),
        "output": hashlib.sha256(output.encode()).hexdigest()[:16],
        "digest": digest.group(1) if digest else None,
    }
