; ModuleID = 'x'
source_filename = "x"
target datalayout = "e-p6:32:32-i64:64"
target triple = "nvptx64-nvidia-cuda"
$g = comdat any
@a = external addrspace(1) global i32, align 8
@b = addrspace(3) global [0 x i8] undef, align 16
@c = internal addrspace(4) constant { i8, i64 } { i8 1, i64 2 }
@d = weak addrspace(1) global <3 x float> zeroinitializer, align 16
@e = common addrspace(1) global i64 0
@t = addrspace(1) global [2 x ptr] [ptr @"odd\22name", ptr null]
@llvm.used = appending global [1 x ptr] [ptr @k], section "llvm.metadata"
@al = alias void (i32), ptr @g
define ptx_kernel void @k(i1 %a, i8 %b, half %h, ptr byval({ i32, double }) align 8 %d) #0 !dbg !7 {
entry:
  call void @g(i32 1), !dbg !8
  %p = call ptr @llvm.x(ptr @"odd\22name")
  %q = call i32 %p(i32 2)
  ret void
}
define linkonce_odr void @g(i32 %0) #1 comdat { ret void }
define { float, float } @r({ float, float } %0) { ret { float, float } %0 }
define void @old() { ret void }
declare !dbg !9 void @"odd\22name"(i32) noreturn
attributes #0 = { noinline "target-cpu"="sm_80" }
attributes #1 = { noreturn }
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @old, !"kernel", i32 1, !"maxntidx", i32 64}
!1 = !{ptr @r, !"align", i32 8, !"align", i32 65552}
