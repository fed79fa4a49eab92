// Parses the text of the file that the first argument names as often as the
// second says.
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).expect("the file is text");
    let rounds: usize = args[2].parse().expect("a number of rounds");
    for _ in 0..rounds {
        if let Err(what) = std::hint::black_box(CALL) {
            eprintln!("{}", format!("{:?}", what).replace('\n', " "));
            std::process::exit(1);
        }
    }
}
