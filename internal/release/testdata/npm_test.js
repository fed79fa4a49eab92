// Runs in node and in a browser with the functions of the package, and returns "ok" or throws.
export async function test({ run, assign, check, layout, lower, PtxabiError }, bar, want, cubin) {
  const same = (got, expected) => {
    if (JSON.stringify(got) !== JSON.stringify(expected)) {
      throw new Error(`${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
    }
  };
  const globals = Object.getOwnPropertyNames(globalThis).join();
  same(await run(["assign", "-"], bar), { status: 0, stdout: want, stderr: "" });
  same(await run(["assign", "-"], new TextEncoder().encode(bar)), { status: 0, stdout: want, stderr: "" });
  const compiled = Uint8Array.from(atob(cubin), (c) => c.charCodeAt(0));
  const step = await assign(compiled, { kernel: "step" });
  same([step.kind, step.functions[0].params.map((p) => [p.offset, p.size])], ["cubin", [[0, 8], [8, 4], [12, 4]]]);
  const whole = await assign(bar);
  same([whole.target, whole.functions[0].params[0].location], ["sm_80", { kind: "register", register: 4 }]);
  same((await assign(bar, { target: "sm_90", func: "bar" })).target, "sm_90");
  const sig = await assign({ sig: "func(4@4, 12@8) -> 4@4" }, { target: "sm_90" });
  same(sig.functions[0].params.map((p) => p.location.register), [4, 6]);
  const kernel = await assign({ proto: "__global__ void k(float *x, int n, double a)" }, { target: "sm_90" });
  same(kernel.functions[0].block.size, 24);
  same((await layout("struct P { int a; double b; }; struct Q { char c; };", { types: ["P"] })).types.map((t) => [t.name, t.size]), [["P", 16]]);
  same(await check(bar, { separate: true }), []);
  const bad = ".version 7.8\n.target sm_80\n.visible .entry k(.param .u32 n)\n{\n\t.reg .b32 %r<2>;\n\tld.param.u32 %r1, [m];\n\tret;\n}\n";
  same((await check(bad)).map((d) => [d.line, d.severity, d.code]), [[6, "error", "UndeclaredName"]]);
  same((await lower(bar, { target: "sm_90" })).includes("bar"), true);
  const refused = await assign(bar, { target: "sm_1" }).then(() => null, (err) => err);
  same([refused instanceof PtxabiError, refused.status, refused.message.includes("sm_1")], [true, 2, true]);
  same(refused.diagnostics.map((d) => d.code), ["Failure"]);
  const broken = await lower(bar.replaceAll(".param", ".parm")).then(() => null, (err) => err);
  same([broken.status, broken.diagnostics[0].code, broken.message.startsWith("<stdin>:")], [1, "UnknownWord", true]);
  same(await check("").then(() => null, (err) => [err instanceof PtxabiError, err.status]), [true, 2]);
  same(await run(["assign", "no.ptx"]).then((r) => [r.status, r.stdout]), [2, ""]);
  same(await run(["lower", "-o", "x.sass", "-"], bar).then((r) => [r.status, r.stdout]), [2, ""]);
  same(await lower("x.ptx").then(() => null, (err) => [err instanceof TypeError, err.message.includes("path of a file")]), [true, true]);
  const sizes = [4, 8, 12, 16, 20];
  const blocks = await Promise.all(sizes.map((n) => assign({ sig: `entry(${n}@4)` }, { target: "sm_90" })));
  same(blocks.map((b) => b.functions[0].block.size), sizes);
  same(Object.getOwnPropertyNames(globalThis).join(), globals);
  return "ok";
}
