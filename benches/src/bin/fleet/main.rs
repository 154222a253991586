//! What sharing circuits costs: the script's operations, and a server's load by workers and connections. With two
//! numbers, only the load of so many workers and connections.

mod failing;
mod load;
mod operations;

fn main() {
    if std::env::args().len() == 1 {
        failing::measure();
        println!();
        println!("operation\tp50 µs\tp99 µs\tpipelined /s\tserver µs");
        operations::measure();
        println!();
    }
    load::measure();
}
