//! Views of rows of logits.
use crate::error::{done, invalid, number, Result};
use crate::{sys, Token};
use std::marker::PhantomData;

pub type Logprob = sys::gsample_logprob;
pub type RowReport = sys::gsample_row_report;

/// A row of logits, borrowed, with or without a mask. A `&[f32]` becomes one by `into()`.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub(crate) raw: sys::gsample_row,
    memory: PhantomData<&'a [f32]>,
}

impl<'a> Row<'a> {
    fn new<T>(dtype: u32, logits: &'a [T]) -> Row<'a> {
        let n_vocab = u32::try_from(logits.len()).unwrap_or(0); // what is too wide is refused as what is empty
        let size = size_of::<sys::gsample_row>() as u32;
        let raw = sys::gsample_row { size, dtype, n_vocab, reserved: 0, logits: logits.as_ptr().cast(), mask: std::ptr::null() };
        Row { raw, memory: PhantomData }
    }

    pub fn f32(logits: &'a [f32]) -> Row<'a> {
        Row::new(sys::GSAMPLE_F32, logits)
    }

    /// Halves of IEEE 754, as their bits.
    pub fn f16(logits: &'a [u16]) -> Row<'a> {
        Row::new(sys::GSAMPLE_F16, logits)
    }

    /// bfloat16, as their bits.
    pub fn bf16(logits: &'a [u16]) -> Row<'a> {
        Row::new(sys::GSAMPLE_BF16, logits)
    }

    /// The same row with only those tokens whose bit is set; `(n_vocab + 31) / 32` words.
    pub fn masked(self, words: &'a [u32]) -> Result<Row<'a>> {
        if words.len() != (self.raw.n_vocab as usize).div_ceil(32) {
            return Err(invalid("a mask has a word for every 32 tokens of the row"));
        }
        Ok(Row { raw: sys::gsample_row { mask: words.as_ptr(), ..self.raw }, ..self })
    }

    /// The first token in the order of tokens: an argmax without a sampler.
    pub fn best(&self) -> Result<Token> {
        number(unsafe { sys::gsample_best(&self.raw) })
    }

    /// Counts what is not a finite number.
    pub fn check(&self) -> Result<RowReport> {
        let mut report: RowReport = unsafe { std::mem::zeroed() };
        report.size = size_of::<RowReport>() as u32;
        done(unsafe { sys::gsample_row_check(&self.raw, &mut report) })?;
        Ok(report)
    }

    /// Logprob and rank of any tokens.
    pub fn logprobs(&self, tokens: &[Token]) -> Result<Vec<Logprob>> {
        let mut items: Vec<Logprob> = tokens.iter().map(|&token| Logprob { logprob: 0.0, token, rank: 0 }).collect();
        done(unsafe { sys::gsample_logprobs(&self.raw, items.as_mut_ptr(), items.len()) })?;
        Ok(items)
    }
}

impl<'a> From<&'a [f32]> for Row<'a> {
    fn from(logits: &'a [f32]) -> Row<'a> {
        Row::f32(logits)
    }
}

/// The rows of a sequence in a step, one after the other, `n_vocab` logits each.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub(crate) dtype: u32,
    pub(crate) n_vocab: u32,
    pub(crate) n_rows: u32,
    pub(crate) stride: i64,
    pub(crate) logits: *const std::ffi::c_void,
    memory: PhantomData<&'a [f32]>,
}

unsafe impl Send for Rows<'_> {} // it is a slice

impl<'a> Rows<'a> {
    fn new<T>(dtype: u32, logits: &'a [T], n_vocab: usize) -> Result<Rows<'a>> {
        let fits = n_vocab > 0 && n_vocab <= i32::MAX as usize && logits.len() % n_vocab == 0;
        let n_rows = if fits { u32::try_from(logits.len() / n_vocab).ok() } else { None };
        let n_rows = n_rows.ok_or_else(|| invalid("rows of n_vocab logits each are needed"))?;
        let stride = (n_vocab * size_of::<T>()) as i64;
        Ok(Rows { dtype, n_vocab: n_vocab as u32, n_rows, stride, logits: logits.as_ptr().cast(), memory: PhantomData })
    }

    pub fn f32(logits: &'a [f32], n_vocab: usize) -> Result<Rows<'a>> {
        Rows::new(sys::GSAMPLE_F32, logits, n_vocab)
    }

    pub fn f16(logits: &'a [u16], n_vocab: usize) -> Result<Rows<'a>> {
        Rows::new(sys::GSAMPLE_F16, logits, n_vocab)
    }

    pub fn bf16(logits: &'a [u16], n_vocab: usize) -> Result<Rows<'a>> {
        Rows::new(sys::GSAMPLE_BF16, logits, n_vocab)
    }
}
