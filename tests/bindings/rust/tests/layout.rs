//! The structs of gsample-sys lie in memory as the C compiler has them. GSAMPLE_LAYOUT_RS: what tests/bindings/layout.py wrote.
#![allow(unused_imports)]
use gsample::sys::*;

#[test]
fn layout_is_the_compilers() {
    include!(env!("GSAMPLE_LAYOUT_RS"));
}

#[test]
fn one_version() {
    let (number, text) = gsample::version();
    assert_eq!(number, GSAMPLE_VERSION_NUMBER);
    assert_eq!(text, format!("{GSAMPLE_VERSION_MAJOR}.{GSAMPLE_VERSION_MINOR}.{GSAMPLE_VERSION_PATCH}"));
    let manifest =
        |path: &str| std::fs::read_to_string(format!("{}/../../../bindings/rust/{path}/Cargo.toml", env!("CARGO_MANIFEST_DIR"))).unwrap();
    for path in ["gsample", "gsample-sys"] {
        assert!(manifest(path).contains(&format!("\nversion = \"{text}\"\n")), "{path}");
    }
}
