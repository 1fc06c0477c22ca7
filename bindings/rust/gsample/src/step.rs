//! A step of an engine: every sequence gets its tokens in one call, on threads of the engine's.
use crate::callbacks::guarded;
use crate::error::{done, invalid, number, Error, Result, Status};
use crate::sampler::choice_of;
use crate::{sys, Choice, Dist, Logprob, LogprobMode, Rows, Sampler, Token};
use std::ffi::c_void;
use std::ptr::{null, null_mut, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads for a step.
///
/// # Safety
/// `parallel_for` calls `body(worker, i)` at most once for each i below n, with `worker` below `n_workers()` and never the same worker in
/// two calls at once, and returns when all calls have.
pub unsafe trait Executor {
    fn n_workers(&self) -> u32;
    fn parallel_for(&self, n: usize, body: &(dyn Fn(u32, usize) + Sync));
}

/// An executor that starts threads for each step, the calling one included, and joins them.
#[derive(Clone, Copy, Debug)]
pub struct ScopedThreads(pub u32);

unsafe impl Executor for ScopedThreads {
    fn n_workers(&self) -> u32 {
        self.0.max(1)
    }

    fn parallel_for(&self, n: usize, body: &(dyn Fn(u32, usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let work = |worker| loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= n {
                break;
            }
            body(worker, i);
        };
        std::thread::scope(|scope| {
            for worker in 1..self.n_workers().min(u32::try_from(n).unwrap_or(u32::MAX)) {
                scope.spawn(move || work(worker));
            }
            work(0);
        });
    }
}

/// One sequence in a step: what it brings, and what came of it.
#[derive(Debug)]
pub struct Sequence<'a> {
    sampler: &'a mut Sampler,
    rows: Rows<'a>,
    masks: &'a [u32],
    drafts: &'a [Token],
    draft_dists: Option<Vec<*const sys::gsample_dist>>,
    logprobs: Option<(LogprobMode, u32)>,
    choices: Vec<sys::gsample_choice>,
    top: Vec<Logprob>,
    /// The tokens that came; the last was drawn, those before are drafts that stood.
    pub tokens: Vec<Token>,
    /// Why the sequence ended early, if it did. The sampler has accepted just `tokens` then.
    pub error: Option<Error>,
}

// The pointers are to what the lifetime 'a holds (distributions, which are Sync) and into its own vectors.
unsafe impl Send for Sequence<'_> {}

impl<'a> Sequence<'a> {
    /// As many rows as drafts and one more: one where it does not speculate.
    pub fn new(sampler: &'a mut Sampler, rows: Rows<'a>) -> Sequence<'a> {
        let (choices, top, tokens) = (Vec::new(), Vec::new(), Vec::new());
        Sequence { sampler, rows, masks: &[], drafts: &[], draft_dists: None, logprobs: None, choices, top, tokens, error: None }
    }

    /// A mask for each row, or one for all.
    pub fn masks(mut self, words: &'a [u32]) -> Sequence<'a> {
        self.masks = words;
        self
    }

    /// Guessed tokens, certain.
    pub fn drafts(mut self, drafts: &'a [Token]) -> Sequence<'a> {
        self.drafts = drafts;
        self
    }

    /// What each draft was drawn from.
    pub fn draft_dists(mut self, dists: &[&'a Dist]) -> Sequence<'a> {
        self.draft_dists = Some(dists.iter().map(|dist| dist.raw().cast_const()).collect());
        self
    }

    /// Asks for logprobs, see [`choices`](Sequence::choices).
    pub fn logprobs(mut self, mode: LogprobMode, n_top: u32) -> Sequence<'a> {
        self.logprobs = Some((mode, n_top));
        self
    }

    /// The choices of the tokens that came, where logprobs were asked for.
    pub fn choices(&self) -> Vec<Choice> {
        let n_top = self.logprobs.map_or(0, |(_, n_top)| n_top as usize);
        let of = |(i, c): (usize, &sys::gsample_choice)| Choice {
            token: c.token,
            rank: c.rank,
            logprob: c.logprob,
            top: self.top[i * n_top..][..c.n_written as usize].to_vec(),
        };
        self.choices.iter().take(self.tokens.len()).enumerate().map(of).collect()
    }

    fn raw(&mut self) -> Result<sys::gsample_sequence> {
        let (n_rows, words) = (self.rows.n_rows as usize, (self.rows.n_vocab as usize).div_ceil(32));
        if n_rows != 0 && n_rows != self.drafts.len() + 1 {
            return Err(invalid("a sequence needs one row more than drafts"));
        }
        if self.draft_dists.as_ref().is_some_and(|dists| dists.len() != self.drafts.len()) {
            return Err(invalid("a sequence needs as many distributions as drafts"));
        }
        if !(self.masks.is_empty() || self.masks.len() == words || self.masks.len() == words * n_rows) {
            return Err(invalid("a mask has a word for every 32 tokens, and there is one for each row, or one for all"));
        }
        self.error = None;
        self.tokens.clear();
        self.tokens.resize(n_rows, 0);
        self.choices.clear();
        if let Some((mode, n_top)) = self.logprobs {
            self.top.clear();
            self.top.resize(n_rows * n_top as usize, Logprob { logprob: 0.0, token: 0, rank: 0 });
            for i in 0..n_rows {
                let top = &mut self.top[i * n_top as usize..][..n_top as usize];
                self.choices.push(choice_of(mode, top));
            }
        }
        Ok(sys::gsample_sequence {
            size: size_of::<sys::gsample_sequence>() as u32,
            dtype: self.rows.dtype,
            n_vocab: self.rows.n_vocab,
            n_rows: self.rows.n_rows,
            sampler: self.sampler.raw(),
            logits: self.rows.logits,
            row_stride: self.rows.stride,
            masks: if self.masks.is_empty() { null() } else { self.masks.as_ptr() },
            mask_stride: if self.masks.len() > words { (words * 4) as i64 } else { 0 },
            drafts: self.drafts.as_ptr(),
            draft_dists: self.draft_dists.as_ref().map_or(null(), |dists| dists.as_ptr()),
            tokens: self.tokens.as_mut_ptr(),
            choices: if self.choices.is_empty() { null_mut() } else { self.choices.as_mut_ptr() },
            n_drafts: if n_rows == 0 { 0 } else { self.drafts.len() as u32 },
            n_tokens: 0,
            status: 0,
            reserved: 0,
        })
    }
}

/// The memory of steps, for as many workers.
#[derive(Debug)]
pub struct Step {
    workspace: NonNull<sys::gsample_workspace>,
    raw: Vec<sys::gsample_sequence>,
}

unsafe impl Send for Step {} // what `raw` points to is of use in a step only

impl Drop for Step {
    fn drop(&mut self) {
        unsafe { sys::gsample_workspace_free(self.workspace.as_ptr()) }
    }
}

impl Step {
    pub fn new(n_workers: u32) -> Result<Step> {
        let mut workspace = null_mut();
        done(unsafe { sys::gsample_workspace_new(n_workers, &mut workspace) })?;
        Ok(Step { workspace: NonNull::new(workspace).ok_or(Status::OUT_OF_MEMORY)?, raw: Vec::new() })
    }

    /// Decides on the calling thread. Returns how many sequences failed.
    pub fn decide(&mut self, sequences: &mut [Sequence]) -> Result<usize> {
        self.run(sequences, null())
    }

    /// Decides on the executor's threads, with the same tokens.
    pub fn decide_on<E: Executor>(&mut self, executor: &E, sequences: &mut [Sequence]) -> Result<usize> {
        let raw = sys::gsample_executor {
            size: size_of::<sys::gsample_executor>() as u32,
            n_workers: executor.n_workers(),
            user: (executor as *const E).cast_mut().cast(),
            parallel_for: Some(parallel_for::<E>),
        };
        self.run(sequences, &raw)
    }

    fn run(&mut self, sequences: &mut [Sequence], executor: *const sys::gsample_executor) -> Result<usize> {
        self.raw.clear();
        for sequence in sequences.iter_mut() {
            self.raw.push(sequence.raw()?);
        }
        let failed = unsafe { sys::gsample_decide(self.raw.as_mut_ptr(), self.raw.len(), executor, self.workspace.as_ptr()) };
        for (sequence, raw) in sequences.iter_mut().zip(self.raw.drain(..)) {
            sequence.tokens.truncate(if failed < 0 { 0 } else { raw.n_tokens as usize });
            sequence.error = if raw.status < 0 { Some(Status(raw.status).into()) } else { None };
        }
        number(failed).map(|n| n as usize)
    }
}

type Body = unsafe extern "C" fn(arg: *mut c_void, worker: u32, i: usize);

/// What a body is called with, on any thread.
struct Argument(*mut c_void);
unsafe impl Sync for Argument {}
impl Argument {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

unsafe extern "C" fn parallel_for<E: Executor>(user: *mut c_void, n: usize, body: Option<Body>, arg: *mut c_void) -> i32 {
    guarded(|| {
        let (body, arg) = (body.ok_or(Status::INVALID_ARGUMENT)?, Argument(arg));
        (*user.cast::<E>()).parallel_for(n, &|worker, i| body(arg.get(), worker, i));
        Ok(0)
    })
}
