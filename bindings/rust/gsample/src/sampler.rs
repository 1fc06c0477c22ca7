//! The sampler, and distributions.
use crate::callbacks::{self, Constraint, CustomStage};
use crate::error::{done, fetched, invalid, made, number, told, Result, Status};
use crate::{sys, Logprob, LogprobMode, Matcher, Params, Row, Token};
use std::ptr::NonNull;

/// A token that was picked, with its logprob and the most likely ones.
#[derive(Clone, Debug)]
pub struct Choice {
    pub token: Token,
    pub rank: i32,
    pub logprob: f64,
    pub top: Vec<Logprob>,
}

/// One sequence's parameters, generator, history and constraint. It may go from thread to thread, and is for one at a time.
#[derive(Debug)]
pub struct Sampler {
    pub(crate) handle: NonNull<sys::gsample_sampler>,
}

unsafe impl Send for Sampler {} // the library ties nothing to a thread, and constraints and stages are Send

impl Drop for Sampler {
    fn drop(&mut self) {
        unsafe { sys::gsample_free(self.raw()) }
    }
}

impl Sampler {
    pub fn new(params: &Params) -> Result<Sampler> {
        made(|out, words| unsafe { sys::gsample_new(&**params, out, words) }).map(|handle| Sampler { handle })
    }

    /// From what `save` gave, on any machine. Set constraint and custom stage again.
    pub fn load(state: &[u8]) -> Result<Sampler> {
        made(|out, words| unsafe { sys::gsample_load(out, state.as_ptr().cast(), state.len(), words) }).map(|handle| Sampler { handle })
    }

    /// All state but constraint and custom stage.
    pub fn save(&self) -> Result<Vec<u8>> {
        fetched(|out: *mut u8, n| unsafe { sys::gsample_save(self.raw(), out.cast(), n) })
    }

    /// An independent copy with all state. Not `Clone`: it fails where the constraint cannot be cloned.
    pub fn try_clone(&self) -> Result<Sampler> {
        made(|out, _| unsafe { sys::gsample_clone(self.raw(), out) }).map(|handle| Sampler { handle })
    }

    /// Makes this the equal of `from`, in the memory that it has.
    pub fn assign(&mut self, from: &Sampler) -> Result<()> {
        done(unsafe { sys::gsample_assign(self.raw(), from.raw()) })
    }

    /// As new with the parameters in force.
    pub fn reset(&mut self) -> Result<()> {
        done(unsafe { sys::gsample_reset(self.raw()) })
    }

    /// Memory ahead, so that no pick allocates.
    pub fn reserve(&mut self, n_vocab: u32, n_tokens: usize) -> Result<()> {
        done(unsafe { sys::gsample_reserve(self.raw(), n_vocab, n_tokens) })
    }

    /// The bytes that the sampler holds.
    pub fn memory(&self) -> Result<usize> {
        long(unsafe { sys::gsample_memory(self.raw()) })
    }

    /// Other parameters from the next pick on; all state stays.
    pub fn set_params(&mut self, params: &Params) -> Result<()> {
        told(|words| unsafe { sys::gsample_set_params(self.raw(), &**params, words) }).map(|_| ())
    }

    /// The generator starts again.
    pub fn rng_seed(&mut self, seed: u64) -> Result<()> {
        done(unsafe { sys::gsample_rng_seed(self.raw(), seed) })
    }

    /// The generator's next number, in [0, 1), and takes it.
    pub fn uniform(&mut self) -> f64 {
        unsafe { sys::gsample_uniform(self.raw()) }
    }

    /// Appends to the history as prompt.
    pub fn seed(&mut self, tokens: &[Token]) -> Result<()> {
        done(unsafe { sys::gsample_seed(self.raw(), tokens.as_ptr(), tokens.len()) })
    }

    /// Appends a token that was chosen elsewhere. Never what this sampler picked.
    pub fn accept(&mut self, token: Token) -> Result<()> {
        done(unsafe { sys::gsample_accept(self.raw(), token) })
    }

    /// The whole table of biases; -inf bans.
    pub fn bias(&mut self, biases: &[(Token, f32)]) -> Result<()> {
        let (tokens, values): (Vec<Token>, Vec<f32>) = biases.iter().copied().unzip();
        done(unsafe { sys::gsample_bias(self.raw(), tokens.as_ptr(), values.as_ptr(), tokens.len()) })
    }

    /// The tokens after which a step ends this sequence.
    pub fn stop(&mut self, tokens: &[Token]) -> Result<()> {
        done(unsafe { sys::gsample_stop(self.raw(), tokens.as_ptr(), tokens.len()) })
    }

    /// One sequence more across which DRY sees no repetition; an empty one forgets all.
    pub fn dry_breaker(&mut self, tokens: &[Token]) -> Result<()> {
        done(unsafe { sys::gsample_dry_breaker(self.raw(), tokens.as_ptr(), tokens.len()) })
    }

    /// Sets the constraint. It sleeps until `after` has been accepted.
    pub fn constrain(&mut self, constraint: impl Constraint, after: &[Token]) -> Result<()> {
        done(unsafe { sys::gsample_constrain(self.raw(), &callbacks::constraint(constraint, after)) })
    }

    /// Sets a matcher as constraint.
    pub fn constrain_matcher(&mut self, matcher: Matcher, after: &[Token]) -> Result<()> {
        let mut constraint = matcher.into_constraint()?;
        constraint.after = after.as_ptr();
        constraint.n_after = after.len() as u32;
        done(unsafe { sys::gsample_constrain(self.raw(), &constraint) })
    }

    pub fn unconstrain(&mut self) -> Result<()> {
        done(unsafe { sys::gsample_constrain(self.raw(), std::ptr::null()) })
    }

    /// Sets the custom stage: a [`CustomStage`], a closure for one.
    pub fn set_custom(&mut self, stage: impl CustomStage) -> Result<()> {
        done(unsafe { sys::gsample_set_custom(self.raw(), &callbacks::custom(stage)) })
    }

    pub fn unset_custom(&mut self) -> Result<()> {
        done(unsafe { sys::gsample_set_custom(self.raw(), std::ptr::null()) })
    }

    /// Whether a pick may differ from [`Row::best`].
    pub fn shaped(&self) -> bool {
        unsafe { sys::gsample_shaped(self.raw()) > 0 }
    }

    /// How many of a row's best suffice for [`Dist::from_candidates`]; `None`: the whole row is needed.
    pub fn candidates_needed(&self) -> Option<usize> {
        usize::try_from(unsafe { sys::gsample_candidates_needed(self.raw()) }).ok().filter(|&n| n > 0)
    }

    /// One token from a row of floats, recorded as answer.
    #[inline]
    pub fn pick(&mut self, logits: &[f32]) -> Result<Token> {
        number(unsafe { sys::gsample_pick(self.raw(), logits.as_ptr(), logits.len()) })
    }

    /// The same from a row of any type, with a mask.
    #[inline]
    pub fn pick_row(&mut self, row: &Row) -> Result<Token> {
        number(unsafe { sys::gsample_pick_row(self.raw(), &row.raw, std::ptr::null_mut()) })
    }

    /// The same with logprobs: the token's, and those of the `n_top` most likely.
    pub fn choose(&mut self, row: &Row, mode: LogprobMode, n_top: u32) -> Result<Choice> {
        let mut top = vec![Logprob { logprob: 0.0, token: 0, rank: 0 }; n_top as usize];
        let mut choice = choice_of(mode, &mut top);
        done(unsafe { sys::gsample_pick_row(self.raw(), &row.raw, &mut choice) })?;
        top.truncate(choice.n_written as usize);
        Ok(Choice { token: choice.token, rank: choice.rank, logprob: choice.logprob, top })
    }

    pub(crate) fn raw(&self) -> *mut sys::gsample_sampler {
        self.handle.as_ptr()
    }
}

pub(crate) fn choice_of(mode: LogprobMode, top: &mut [Logprob]) -> sys::gsample_choice {
    sys::gsample_choice {
        size: size_of::<sys::gsample_choice>() as u32,
        logprob_mode: mode as u32,
        n_top: top.len() as u32,
        n_written: 0,
        token: 0,
        rank: 0,
        logprob: 0.0,
        top: top.as_mut_ptr(),
    }
}

fn long(result: i64) -> Result<usize> {
    usize::try_from(result).map_err(|_| Status(result as i32).into())
}

/// Token ids with weights, most likely first.
#[derive(Debug)]
pub struct Dist {
    pub(crate) handle: NonNull<sys::gsample_dist>,
}

unsafe impl Send for Dist {} // it is plain memory
unsafe impl Sync for Dist {} // and what takes &self only reads

impl Drop for Dist {
    fn drop(&mut self) {
        unsafe { sys::gsample_dist_free(self.raw()) }
    }
}

impl Dist {
    /// An empty one.
    pub fn new() -> Result<Dist> {
        made(|out, _| unsafe { sys::gsample_dist_new(out) }).map(|handle| Dist { handle })
    }

    pub fn set(&mut self, tokens: &[Token], weights: &[f64]) -> Result<()> {
        if tokens.len() != weights.len() {
            return Err(invalid("as many weights as tokens are needed"));
        }
        done(unsafe { sys::gsample_dist_set(self.raw(), tokens.as_ptr(), weights.as_ptr(), tokens.len()) })
    }

    /// What a pick from this row would draw from. Nothing is accepted.
    pub fn from_row(&mut self, sampler: &mut Sampler, row: &Row) -> Result<()> {
        done(unsafe { sys::gsample_dist_from_row(self.raw(), sampler.raw(), &row.raw) })
    }

    /// The same from some of the row's tokens with their logits.
    pub fn from_candidates(&mut self, sampler: &mut Sampler, tokens: &[Token], logits: &[f32], n_vocab: u32, exact: bool) -> Result<()> {
        if tokens.len() != logits.len() {
            return Err(invalid("as many logits as tokens are needed"));
        }
        done(unsafe {
            let (dist, sampler) = (self.raw(), sampler.raw());
            sys::gsample_dist_from_candidates(dist, sampler, tokens.as_ptr(), logits.as_ptr(), tokens.len(), n_vocab, exact.into())
        })
    }

    pub fn ids(&self) -> &[Token] {
        unsafe { slice(sys::gsample_dist_ids(self.raw()), sys::gsample_dist_size(self.raw())) }
    }

    pub fn weights(&self) -> &[f64] {
        unsafe { slice(sys::gsample_dist_weights(self.raw()), sys::gsample_dist_size(self.raw())) }
    }

    pub fn total(&self) -> f64 {
        unsafe { sys::gsample_dist_total(self.raw()) }
    }

    /// The probability of a token.
    pub fn chance(&self, token: Token) -> f64 {
        unsafe { sys::gsample_dist_chance(self.raw(), token) }
    }

    /// One token, by the sampler's generator. Nothing is accepted.
    pub fn draw(&self, sampler: &mut Sampler) -> Result<Token> {
        number(unsafe { sys::gsample_dist_draw(self.raw(), sampler.raw()) })
    }

    /// max(0, self - q): what a rejected draft is replaced from.
    pub fn residual(&self, q: &Dist) -> Result<Dist> {
        let out = Dist::new()?;
        done(unsafe { sys::gsample_dist_residual(self.raw(), q.raw(), out.raw()) })?;
        Ok(out)
    }

    pub(crate) fn raw(&self) -> *mut sys::gsample_dist {
        self.handle.as_ptr()
    }
}

/// An array of the library's; that of nothing may be NULL.
pub(crate) unsafe fn slice<'a, T>(data: *const T, n: usize) -> &'a [T] {
    if n == 0 {
        return &[];
    }
    std::slice::from_raw_parts(data, n)
}
