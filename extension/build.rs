//! How the library is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        // The server has the symbols that the library leaves open.
        Ok("macos") => println!("cargo::rustc-cdylib-link-arg=-Wl,-undefined,dynamic_lookup"),
        // pgrx reads the SQL surface from a section that nothing refers to. cargo-pgrx can add this
        // flag by itself, but to all crates, which then are built once more than needed.
        _ => println!("cargo::rustc-cdylib-link-arg=-Wl,--no-gc-sections"),
    }
}
