; Texture, surface and sampler variables of the module, and kernels that take references to them.
target triple = "nvptx64-nvidia-cuda"


declare i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1))
declare { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64, i32)
declare void @llvm.nvvm.sust.b.1d.i32.trap(i64, i32, i32)

@texture = internal addrspace(1) global i64 0, align 8
@surface = internal addrspace(1) global i64 0, align 8

define float @fetch(i32 %i) noinline {
  %h = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @texture)
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %h, i32 %i)
  %r = extractvalue { float, float, float, float } %v, 2
  ret float %r
}

define void @kernel(ptr %out, i32 %i) {
  %v = call float @fetch(i32 %i)
  store float %v, ptr %out
  %h = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @surface)
  call void @llvm.nvvm.sust.b.1d.i32.trap(i64 %h, i32 %i, i32 7)
  ret void
}

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @kernel, !"kernel", i32 1}
!1 = !{ptr addrspace(1) @texture, !"texture", i32 1}
!2 = !{ptr addrspace(1) @surface, !"surface", i32 1}
