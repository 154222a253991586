//! The cost of sharing circuits: operations of the script, and the server's load by workers and connections. With two
//! numbers as arguments, only the load of that many workers and connections.

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
