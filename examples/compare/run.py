"""Compares the machine code that a backend, in any language, writes with the calling convention.

    run.py FOLDER COMMAND...

FOLDER has modules: those of "ptxabi compare -corpus FOLDER", or golden cases, *.txtar files with a part in.ptx.
COMMAND is the backend: it is given the name of a module, and prints a listing like nvdisasm -c, or exits with
status 3 if it does not compile the module. PTXABI in the environment names the command ptxabi. docs/compare.md
has an example.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PTXABI = os.environ.get("PTXABI", "ptxabi")


def modules(folder, temp):
    """Yields the files to compile, and the flags of their comparison."""
    for file in sorted(pathlib.Path(folder).rglob("*.ptx")):
        yield file, [] if file.name.startswith("program-") else ["-strict"]  # programs compute
    for case in sorted(pathlib.Path(folder).rglob("*.txtar")):
        parts = re.split(r"(?m)^-- (.*) --\n", case.read_text())
        file = pathlib.Path(temp, "%s-%s.ptx" % (case.parent.name, case.stem))
        file.write_text(dict(zip(parts[1::2], parts[2::2])).get("in.ptx", ""))
        if subprocess.run([PTXABI, "check", "-c", file], capture_output=True).returncode == 0:  # others are refused
            yield file, []


def main(folder, *command):
    count = compared = wrong = 0
    with tempfile.TemporaryDirectory() as temp:
        for file, flags in modules(folder, temp):
            count += 1
            made = subprocess.run([*command, file], stdout=subprocess.PIPE)
            if made.returncode == 3:
                continue
            if made.returncode:
                sys.exit("%s: the backend: exit status %d" % (file, made.returncode))
            ran = subprocess.run([PTXABI, "compare", *flags, "-format", "json", file, "-"], input=made.stdout, stdout=subprocess.PIPE)
            report, compared = json.loads(ran.stdout), compared + 1
            if ran.returncode == 0:
                continue
            wrong += 1
            for d in report.get("differences", []) + report.get("notCompared", []):
                print("%s: %s, line %d of the listing, %s should %s; %s" % (file, d["function"], d.get("line", 0), d["place"], d["want"], d["got"]))
            for why in report.get("notFollowed", []) + [d["message"] for d in report.get("diagnostics", [])]:
                print("%s: %s" % (file, why))
    print("%d of %d modules compared, %d wrong" % (compared, count, wrong))
    sys.exit(1 if wrong or not compared else 0)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
