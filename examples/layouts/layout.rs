// A program that writes the layout of a #[repr(C)] struct, for ptxabi verify -layout.

use std::mem::{align_of, offset_of, size_of};

macro_rules! fields {
    ($t:ty, $($f:ident: $ft:ty),*) => {{
        let all = [$(format!(r#"{{"path": "{}", "type": "{}", "offset": {}, "size": {}}}"#,
            stringify!($f), stringify!($ft), offset_of!($t, $f), size_of::<$ft>())),*];
        println!(r#"{{"format": "ptxabi.layout/1", "types": [{{"name": "{}", "size": {}, "align": {}, "fields": [{}]}}]}}"#,
            stringify!($t), size_of::<$t>(), align_of::<$t>(), all.join(", "));
    }};
}

#[repr(C)]
struct Args { x: *mut f64, dt: f32, n: i32 }

fn main() { fields!(Args, x: *mut f64, dt: f32, n: i32); }
