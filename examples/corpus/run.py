"""Compares the places that a backend, in any language, gives to values with the corpus of ptxabi.

    run.py corpus.jsonl TARGET COMMAND...

COMMAND is the backend: it reads a case in each line of its standard input, as in the corpus
but without the answers, and prints where the values are in a line of JSON, in the form of an
answer: {"params": [...], "results": [...], "hidden": 4, "stack": 0, "block": {...}}, or
{"refused": []}, or {} for what it does not compile. abi/abitest describes the fields. One that
is left out is like null, 0 or an empty list.

In the folder examples: python3 corpus/run.py ../abi/abitest/corpus.jsonl sm_90 ./backend
"""
import json
import subprocess
import sys


def there(answer):
    return {key: value for key, value in answer.items() if value}


def main(corpus, target, *command):
    cases = [json.loads(line) for line in open(corpus)]
    wants = [next((a for a in case.pop("answers") if target in a["targets"]), None) for case in cases]
    if None in wants:
        sys.exit("the corpus has no target %s" % target)
    lines = "".join(json.dumps({"target": target, **case}) + "\n" for case in cases)
    ran = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True)
    out = ran.stdout.splitlines()
    if ran.returncode or len(out) != len(cases):
        sys.exit("the backend: exit status %d, %d answers to %d cases" % (ran.returncode, len(out), len(cases)))
    compared = wrong = 0
    for case, line, want in zip(cases, out, wants):
        got = json.loads(line)
        if not got:
            continue
        compared += 1
        del want["targets"]
        if ("refused" in got) != ("refused" in want) or "refused" not in want and there(got) != there(want):
            wrong += 1
            print("%s\n\t%s\n\tsays  %s\n\twants %s" % (case["why"], case["ptx"], json.dumps(got), json.dumps(want)))
    print("%s: %d of %d cases compared, %d wrong" % (target, compared, len(cases), wrong))
    sys.exit(1 if wrong or not compared else 0)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
