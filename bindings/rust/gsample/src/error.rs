//! Statuses and errors, and the calls by which results of the C ABI become `Result`s.
use crate::sys;
use std::ffi::CStr;
use std::fmt;

/// How a call failed. The numbers of `GSAMPLE_ERROR_*`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub i32);

#[rustfmt::skip]
impl Status {
    pub const INVALID_ARGUMENT: Status = Status(sys::GSAMPLE_ERROR_INVALID_ARGUMENT);
    pub const OUT_OF_MEMORY: Status = Status(sys::GSAMPLE_ERROR_OUT_OF_MEMORY);
    pub const NO_CANDIDATE: Status = Status(sys::GSAMPLE_ERROR_NO_CANDIDATE);
    pub const NOT_A_NUMBER: Status = Status(sys::GSAMPLE_ERROR_NOT_A_NUMBER);
    pub const REFUSED: Status = Status(sys::GSAMPLE_ERROR_REFUSED);
    pub const INEXACT: Status = Status(sys::GSAMPLE_ERROR_INEXACT);
    pub const SYNTAX: Status = Status(sys::GSAMPLE_ERROR_SYNTAX);
    pub const UNSUPPORTED: Status = Status(sys::GSAMPLE_ERROR_UNSUPPORTED);
    pub const FORMAT: Status = Status(sys::GSAMPLE_ERROR_FORMAT);
    pub const LIMIT: Status = Status(sys::GSAMPLE_ERROR_LIMIT);
    pub const BUFFER: Status = Status(sys::GSAMPLE_ERROR_BUFFER);
    pub const IO: Status = Status(sys::GSAMPLE_ERROR_IO);
    pub const CALLBACK: Status = Status(sys::GSAMPLE_ERROR_CALLBACK);
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(unsafe { sys::gsample_status_name(self.0) }))
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What went wrong. `message` is empty where the library gives no words; `line` and `column` are a place in a text that was read, from 1,
/// or 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub status: Status,
    pub message: String,
    pub line: u32,
    pub column: u32,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn new(status: Status, message: impl Into<String>) -> Error {
        Error { status, message: message.into(), line: 0, column: 0 }
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Error {
        Error::new(status, "")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.message.is_empty() {
            return self.status.fmt(f);
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

pub(crate) fn invalid(message: &str) -> Error {
    Error::new(Status::INVALID_ARGUMENT, message)
}

/// A C string of the library's.
pub(crate) fn text(string: *const std::ffi::c_char) -> String {
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

/// 0 and above is the result, below is a status.
#[inline]
pub(crate) fn number(result: i32) -> Result<i32> {
    if result < 0 {
        return Err(Status(result).into());
    }
    Ok(result)
}

#[inline]
pub(crate) fn done(result: i32) -> Result<()> {
    number(result).map(|_| ())
}

/// Runs a call that takes a `gsample_error`; its words are of use where it succeeds, too.
pub(crate) fn told(call: impl FnOnce(*mut sys::gsample_error) -> i32) -> Result<(i32, String)> {
    let mut words = sys::gsample_error { size: size_of::<sys::gsample_error>() as u32, status: 0, line: 0, column: 0, message: [0; 256] };
    let result = call(&mut words);
    let message = text(words.message.as_ptr());
    if result < 0 {
        return Err(Error { status: Status(result), message, line: words.line.max(0) as u32, column: words.column.max(0) as u32 });
    }
    Ok((result, message))
}

/// Runs a call that makes an object.
pub(crate) fn made<T>(call: impl FnOnce(*mut *mut T, *mut sys::gsample_error) -> i32) -> Result<std::ptr::NonNull<T>> {
    let mut handle = std::ptr::null_mut();
    told(|words| call(&mut handle, words))?;
    Ok(std::ptr::NonNull::new(handle).expect("a call that succeeded made nothing"))
}

/// The two calls by which an array of unknown length is fetched: ask, then read.
pub(crate) fn fetched<T: Clone + Default>(call: impl Fn(*mut T, usize) -> i64) -> Result<Vec<T>> {
    let n = call(std::ptr::null_mut(), 0);
    number(n.min(0) as i32)?;
    let mut out = vec![T::default(); n as usize];
    if n > 0 {
        number(call(out.as_mut_ptr(), out.len()).min(0) as i32)?;
    }
    Ok(out)
}
