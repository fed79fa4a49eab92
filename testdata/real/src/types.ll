; What no C type maps to: integers of odd widths, first-class aggregates, vectors of predicates, raised
; alignments on parameters, variadic functions as LLVM itself passes them.
target triple = "nvptx64-nvidia-cuda"

%pair = type { i32, i64 }
%packed = type <{ i8, i32, i16 }>

declare i24 @away24(i24, i5, i48)
declare %pair @awayPair(%pair, [3 x i8])
declare i32 @awayVariadic(i32, ...)

define i1 @predicate(i1 %a, i1 %b) noinline {
  %r = xor i1 %a, %b
  ret i1 %r
}

define i5 @five(i5 %a, i24 %b) noinline {
  %t = trunc i24 %b to i5
  %r = add i5 %a, %t
  ret i5 %r
}

define signext i8 @extended(i8 signext %a, i16 zeroext %b, i8 %c) noinline {
  %t = trunc i16 %b to i8
  %u = mul i8 %a, %t
  %r = sub i8 %u, %c
  ret i8 %r
}

define i33 @odd(i33 %a, i48 %b) noinline {
  %t = trunc i48 %b to i33
  %r = add i33 %a, %t
  ret i33 %r
}

define %pair @swap(%pair %p, i64 %n) noinline {
  %a = extractvalue %pair %p, 1
  %b = add i64 %a, %n
  %r = insertvalue %pair %p, i64 %b, 1
  ret %pair %r
}

define [4 x i16] @array([4 x i16] %a, %packed %p) noinline {
  %s = extractvalue %packed %p, 2
  %r = insertvalue [4 x i16] %a, i16 %s, 3
  ret [4 x i16] %r
}

define <4 x i1> @mask(<4 x i1> %a, <4 x i1> %b) noinline {
  %r = and <4 x i1> %a, %b
  ret <4 x i1> %r
}

define <3 x i16> @three(<3 x i16> %a, <5 x i32> %b) noinline {
  %e = extractelement <5 x i32> %b, i32 4
  %t = trunc i32 %e to i16
  %r = insertelement <3 x i16> %a, i16 %t, i32 2
  ret <3 x i16> %r
}

define void @byval(ptr sret(%pair) %out, ptr byval(%pair) align 16 %p, ptr byval([9 x i8]) align 1 %q) noinline {
  %b = getelementptr i8, ptr %q, i64 8
  %v = load i8, ptr %b
  %w = zext i8 %v to i32
  store i32 %w, ptr %p
  %x = load %pair, ptr %p
  store %pair %x, ptr %out
  ret void
}

define i32 @variadic(i32 %n, ...) noinline {
  %ap = alloca ptr
  call void @llvm.va_start(ptr %ap)
  %a = va_arg ptr %ap, i32
  %b = va_arg ptr %ap, double
  %c = fptosi double %b to i32
  %d = va_arg ptr %ap, i64
  %e = trunc i64 %d to i32
  call void @llvm.va_end(ptr %ap)
  %f = add i32 %a, %c
  %g = add i32 %f, %e
  ret i32 %g
}

define i32 @callers(ptr %p, ptr %out, i24 %x, ptr %fp) {
  %a = load %pair, ptr %p
  %b = call %pair @swap(%pair %a, i64 5)
  %c = call %pair @awayPair(%pair %b, [3 x i8] [i8 1, i8 2, i8 3])
  store %pair %c, ptr %out
  %d = call i24 @away24(i24 %x, i5 3, i48 70000000000)
  %e = zext i24 %d to i32
  %f = call i32 (i32, ...) @variadic(i32 %e, i32 1, double 2.5, i64 9)
  %g = call i32 (i32, ...) @awayVariadic(i32 %f, ptr %p)
  %h = call i32 (i32, ...) @awayVariadic(i32 %g)
  %i = call i32 (i32, ...) %fp(i32 %h, double 1.0)
  call void @byval(ptr sret(%pair) %out, ptr byval(%pair) align 16 %p, ptr byval([9 x i8]) align 1 %p)
  %j = call i1 @predicate(i1 true, i1 false)
  %k = zext i1 %j to i32
  %l = call <4 x i1> @mask(<4 x i1> <i1 1, i1 0, i1 1, i1 0>, <4 x i1> <i1 1, i1 1, i1 1, i1 0>)
  %m = extractelement <4 x i1> %l, i32 2
  %n = zext i1 %m to i32
  %o = add i32 %i, %k
  %q = add i32 %o, %n
  %r = call i33 @odd(i33 1, i48 2)
  %s = trunc i33 %r to i32
  %t = add i32 %q, %s
  ret i32 %t
}

declare void @llvm.va_start(ptr)
declare void @llvm.va_end(ptr)
