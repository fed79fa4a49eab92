; Kernels with opaque handles, and the directives that bound their launch.
target triple = "nvptx64-unknown-nvcl"

declare { float, float, float, float } @llvm.nvvm.tex.2d.v4f32.f32(i64, i64, float, float)
declare void @llvm.nvvm.sust.b.2d.i32.trap(i64, i32, i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @sample(i64 %image, i64 %sampler, ptr addrspace(1) align 16 %out, ptr addrspace(3) %scratch, ptr addrspace(4) align 8 %table, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = sitofp i32 %t to float
  %texel = call { float, float, float, float } @llvm.nvvm.tex.2d.v4f32.f32(i64 %image, i64 %sampler, float %x, float %x)
  %r = extractvalue { float, float, float, float } %texel, 0
  %p = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float %r, ptr addrspace(1) %p
  ret void
}

define void @paint(i64 %image, i32 %colour) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @llvm.nvvm.sust.b.2d.i32.trap(i64 %image, i32 %t, i32 0, i32 %colour)
  ret void
}

define void @bounded(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  ret void
}

define void @required(ptr addrspace(1) %p) {
  store i32 2, ptr addrspace(1) %p
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8}
!0 = !{ptr @sample, !"kernel", i32 1}
!1 = !{ptr @sample, !"rdoimage", i32 0}
!2 = !{ptr @sample, !"sampler", i32 1}
!3 = !{ptr @paint, !"kernel", i32 1}
!4 = !{ptr @paint, !"wroimage", i32 0}
!5 = !{ptr @bounded, !"kernel", i32 1, !"maxntidx", i32 128, !"maxntidy", i32 2, !"minctasm", i32 2, !"maxnreg", i32 64}
!6 = !{ptr @required, !"kernel", i32 1}
!7 = !{ptr @required, !"reqntidx", i32 32, !"reqntidy", i32 1, !"reqntidz", i32 1}
!8 = !{ptr @required, !"cluster_dim_x", i32 2, !"cluster_dim_y", i32 1, !"cluster_dim_z", i32 1}
