//! Constraints and custom stages in Rust. An `Err` of theirs becomes the status of the call that asked; a panic becomes CALLBACK and never
//! unwinds through C.
use crate::error::{Error, Result, Status};
use crate::{sys, Token};
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// What may come next. See `gsample_constraint`.
pub trait Constraint: Send + Sized + 'static {
    /// May this token come next?
    fn allows(&mut self, token: Token) -> Result<bool>;

    /// The token has been chosen. Failing here undoes the pick.
    fn accept(&mut self, token: Token) -> Result<()>;

    /// Set it to true where `mask` is there.
    const MASK: bool = false;

    /// Sets the bits of all allowed tokens in words that come zeroed.
    fn mask(&mut self, _words: &mut [u32]) -> Result<()> {
        Err(Status::UNSUPPORTED.into())
    }

    /// Set it to true where `first_bytes` and `first_byte` are there.
    const FIRST_BYTES: bool = false;

    /// `table[b]` = 1 where an allowed token may begin with byte b.
    fn first_bytes(&mut self, _table: &mut [u8; 256]) -> Result<()> {
        Err(Status::UNSUPPORTED.into())
    }

    /// The token's first byte, `None` where it has none.
    fn first_byte(&mut self, _token: Token) -> Result<Option<u8>> {
        Ok(None)
    }

    /// Set it to true where `can_stop` is there.
    const CAN_STOP: bool = false;

    /// May the text end here?
    fn can_stop(&mut self) -> Result<bool> {
        Err(Status::UNSUPPORTED.into())
    }

    /// An independent copy. Without it the sampler cannot be cloned.
    fn try_clone(&self) -> Result<Self> {
        Err(Status::UNSUPPORTED.into())
    }
}

/// A stage of your own, where `order` has [`Stage::Custom`](crate::Stage::Custom). Closures that can be cloned are stages.
pub trait CustomStage: Send + Sized + 'static {
    /// May change `logits[i]`, the logit of `tokens[i]`; -inf drops a token.
    fn apply(&mut self, tokens: &[Token], logits: &mut [f32]) -> Result<()>;

    /// An independent copy. Without it the sampler cannot be cloned.
    fn try_clone(&self) -> Result<Self> {
        Err(Status::UNSUPPORTED.into())
    }
}

impl<F: FnMut(&[Token], &mut [f32]) -> Result<()> + Clone + Send + 'static> CustomStage for F {
    fn apply(&mut self, tokens: &[Token], logits: &mut [f32]) -> Result<()> {
        self(tokens, logits)
    }
    fn try_clone(&self) -> Result<F> {
        Ok(self.clone())
    }
}

/// Runs what a callback does: what it returns, its error's status, or CALLBACK for a panic.
pub(crate) fn guarded(body: impl FnOnce() -> Result<i32>) -> i32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(result)) => result,
        Ok(Err(Error { status, .. })) if status.0 < 0 => status.0,
        _ => sys::GSAMPLE_ERROR_CALLBACK,
    }
}

// `user` is the C of a Box, and the library calls the callbacks of one `user` one at a time.
unsafe extern "C" fn allows<C: Constraint>(user: *mut c_void, token: i32) -> i32 {
    guarded(|| (*user.cast::<C>()).allows(token).map(i32::from))
}
unsafe extern "C" fn accept<C: Constraint>(user: *mut c_void, token: i32) -> i32 {
    guarded(|| (*user.cast::<C>()).accept(token).map(|()| 0))
}
unsafe extern "C" fn first_bytes<C: Constraint>(user: *mut c_void, table: *mut u8) -> i32 {
    guarded(|| (*user.cast::<C>()).first_bytes(&mut *table.cast::<[u8; 256]>()).map(|()| 0))
}
unsafe extern "C" fn first_byte<C: Constraint>(user: *mut c_void, token: i32) -> i32 {
    guarded(|| (*user.cast::<C>()).first_byte(token).map(|byte| byte.map_or(sys::GSAMPLE_ERROR_INVALID_ARGUMENT, i32::from)))
}
unsafe extern "C" fn mask<C: Constraint>(user: *mut c_void, words: *mut u32, n_words: usize) -> i32 {
    guarded(|| (*user.cast::<C>()).mask(std::slice::from_raw_parts_mut(words, n_words)).map(|()| 0))
}
unsafe extern "C" fn can_stop<C: Constraint>(user: *mut c_void) -> i32 {
    guarded(|| (*user.cast::<C>()).can_stop().map(i32::from))
}
unsafe extern "C" fn clone_constraint<C: Constraint>(user: *mut c_void, out: *mut *mut c_void) -> i32 {
    guarded(|| {
        *out = Box::into_raw(Box::new((*user.cast::<C>()).try_clone()?)).cast();
        Ok(0)
    })
}
unsafe extern "C" fn apply<S: CustomStage>(user: *mut c_void, tokens: *const i32, logits: *mut f32, n: usize) -> i32 {
    guarded(|| {
        let (tokens, logits) = (std::slice::from_raw_parts(tokens, n), std::slice::from_raw_parts_mut(logits, n));
        (*user.cast::<S>()).apply(tokens, logits).map(|()| 0)
    })
}
unsafe extern "C" fn clone_stage<S: CustomStage>(user: *mut c_void, out: *mut *mut c_void) -> i32 {
    guarded(|| {
        *out = Box::into_raw(Box::new((*user.cast::<S>()).try_clone()?)).cast();
        Ok(0)
    })
}
unsafe extern "C" fn destroy<T>(user: *mut c_void) {
    guarded(|| {
        drop(Box::from_raw(user.cast::<T>()));
        Ok(0)
    });
}

/// The C struct of a constraint, which owns it from here on.
pub(crate) fn constraint<C: Constraint>(constraint: C, after: &[Token]) -> sys::gsample_constraint {
    sys::gsample_constraint {
        size: size_of::<sys::gsample_constraint>() as u32,
        n_after: after.len() as u32,
        user: Box::into_raw(Box::new(constraint)).cast(),
        after: after.as_ptr(),
        allows: Some(allows::<C>),
        accept: Some(accept::<C>),
        first_bytes: if C::FIRST_BYTES { Some(first_bytes::<C>) } else { None },
        first_byte: if C::FIRST_BYTES { Some(first_byte::<C>) } else { None },
        mask: if C::MASK { Some(mask::<C>) } else { None },
        can_stop: if C::CAN_STOP { Some(can_stop::<C>) } else { None },
        clone: Some(clone_constraint::<C>),
        destroy: Some(destroy::<C>),
    }
}

/// The C struct of a stage, which owns it from here on.
pub(crate) fn custom<S: CustomStage>(stage: S) -> sys::gsample_custom {
    sys::gsample_custom {
        size: size_of::<sys::gsample_custom>() as u32,
        reserved: 0,
        user: Box::into_raw(Box::new(stage)).cast(),
        apply: Some(apply::<S>),
        clone: Some(clone_stage::<S>),
        destroy: Some(destroy::<S>),
    }
}
