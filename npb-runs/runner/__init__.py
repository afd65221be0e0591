"""What npb-runs/npb is made of. It finds the shared modules `jobs` and `libraries` in bench/."""

VERSION = "0.1.0"
