//! Tells rustc where the library is: GSAMPLE_LIB_DIR, else what pkg-config says, else wherever the linker looks. GSAMPLE_STATIC=1 links the
//! static library, and with it the C++ runtime.
use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=GSAMPLE_LIB_DIR");
    println!("cargo:rerun-if-env-changed=GSAMPLE_STATIC");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if let Ok(folder) = env::var("GSAMPLE_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
    } else if let Ok(output) = Command::new("pkg-config").args(["--libs-only-L", "gsample"]).output() {
        for flag in String::from_utf8_lossy(&output.stdout).split_whitespace() {
            println!("cargo:rustc-link-search=native={}", flag.trim_start_matches("-L"));
        }
    }
    if env::var("GSAMPLE_STATIC").is_ok_and(|value| value == "1") {
        println!("cargo:rustc-link-lib=static=gsample");
        println!("cargo:rustc-link-lib=stdc++");
    } else {
        println!("cargo:rustc-link-lib=gsample");
    }
}
