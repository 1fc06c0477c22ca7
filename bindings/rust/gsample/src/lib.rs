//! gsample: a token sampler. A row of logits goes in, a token comes out.
//!
//! ```no_run
//! # fn main() -> gsample::Result<()> {
//! # let logits = [0.0f32; 8];
//! let mut params = gsample::Params::default();
//! params.temperature = 0.8;
//! params.seed = 42;
//! let mut sampler = gsample::Sampler::new(&params)?;
//! let token = sampler.pick(&logits)?;
//! # Ok(())
//! # }
//! ```
//!
//! What parameters and calls mean stands in the manual, the header `include/gsample/gsample.h`; methods are named after its functions.
//!
//! Objects end by `Drop`. A [`Sampler`] and a [`Matcher`] are `Send` and not `Sync`; [`Vocab`], [`Grammar`] and [`Dist`] are both. A
//! callback that fails or panics becomes the status of the call that ran it.
mod callbacks;
mod error;
mod grammar;
mod params;
mod row;
mod sampler;
mod step;

pub use callbacks::{Constraint, CustomStage};
pub use error::{Error, Result, Status};
pub use grammar::{Grammar, Matcher, Vocab};
/// The C ABI.
pub use gsample_sys as sys;
pub use params::{ConstraintMode, LogprobMode, NanPolicy, Params, PenaltyStyle, Report, Stage, TokenKind};
pub use row::{Logprob, Row, RowReport, Rows};
pub use sampler::{Choice, Dist, Sampler};
pub use step::{Executor, ScopedThreads, Sequence, Step};

/// A token id.
pub type Token = i32;

/// The version of the library that is running, as numbers and as text.
pub fn version() -> (u32, String) {
    unsafe { (sys::gsample_version(), error::text(sys::gsample_version_string())) }
}

/// The vector instructions in use.
pub fn target() -> String {
    error::text(unsafe { sys::gsample_target() })
}
