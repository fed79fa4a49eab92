"""Compares the machine code that a backend, in any language, writes with the calling convention.

    run.py FOLDER COMMAND...

FOLDER has the modules of "ptxabi compare -corpus FOLDER". COMMAND is the backend: it is given the name of
a module, and prints a listing like nvdisasm -c, or exits with status 3 if it does not compile the module.
PTXABI in the environment names the command ptxabi. docs/compare.md has an example.
"""
import json
import os
import pathlib
import subprocess
import sys


def main(folder, *command):
    ptxabi = os.environ.get("PTXABI", "ptxabi")
    files = sorted(pathlib.Path(folder).glob("*.ptx"))
    compared = wrong = 0
    for file in files:
        made = subprocess.run([*command, file], stdout=subprocess.PIPE)
        if made.returncode == 3:
            continue
        if made.returncode:
            sys.exit("%s: the backend: exit status %d" % (file, made.returncode))
        ran = subprocess.run([ptxabi, "compare", "-strict", "-format", "json", file, "-"], input=made.stdout, stdout=subprocess.PIPE)
        report, compared = json.loads(ran.stdout), compared + 1
        if ran.returncode == 0:
            continue
        wrong += 1
        for d in report.get("differences", []) + report.get("notCompared", []):
            print("%s: %s, line %d of the listing, %s should %s; %s" % (file, d["function"], d.get("line", 0), d["place"], d["want"], d["got"]))
        for why in report.get("notFollowed", []) + [d["message"] for d in report.get("diagnostics", [])]:
            print("%s: %s" % (file, why))
    print("%d of %d modules compared, %d wrong" % (compared, len(files), wrong))
    sys.exit(1 if wrong or not compared else 0)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
