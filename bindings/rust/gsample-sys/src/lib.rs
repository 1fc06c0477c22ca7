//! The C ABI of gsample, declaration by declaration. Its manual is the header, `include/gsample/gsample.h`; the crate `gsample` is the safe
//! layer over it.
#![no_std]
#![allow(non_camel_case_types)]

use core::ffi::{c_char, c_void};
use core::marker::{PhantomData, PhantomPinned};

include!("raw.rs");
