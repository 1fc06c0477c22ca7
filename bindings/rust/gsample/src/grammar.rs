//! Vocabulary, grammar and matcher.
use crate::error::{done, fetched, invalid, made, number, Result};
use crate::params::{c_path, c_string};
use crate::sampler::slice;
use crate::{sys, Token, TokenKind};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

/// The bytes of every token. A clone is another reference to the same; all threads may use it at once.
#[derive(Clone, Debug)]
pub struct Vocab(Arc<VocabHandle>);

#[derive(Debug)]
struct VocabHandle(NonNull<sys::gsample_vocab>);

unsafe impl Send for VocabHandle {} // the library's promise: immutable, counted, shared; set_stop asks the Arc
unsafe impl Sync for VocabHandle {}

impl Drop for VocabHandle {
    fn drop(&mut self) {
        unsafe { sys::gsample_vocab_free(self.0.as_ptr()) }
    }
}

impl Vocab {
    /// From the tokens' bytes. `kinds` may be empty: all text. `n_vocab` is the width of the rows, 0 = as many as there are tokens.
    pub fn new<T: AsRef<[u8]>>(tokens: &[T], kinds: &[TokenKind], n_vocab: u32) -> Result<Vocab> {
        let n_tokens = u32::try_from(tokens.len()).map_err(|_| invalid("too many tokens"))?;
        if !kinds.is_empty() && kinds.len() != tokens.len() {
            return Err(invalid("as many kinds as tokens are needed"));
        }
        let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
        for token in tokens {
            bytes.extend_from_slice(token.as_ref());
            offsets.push(bytes.len() as u64);
        }
        let desc = sys::gsample_vocab_desc {
            size: size_of::<sys::gsample_vocab_desc>() as u32,
            n_vocab: if n_vocab == 0 { n_tokens } else { n_vocab },
            n_tokens,
            reserved: 0,
            bytes: bytes.as_ptr(),
            offsets: offsets.as_ptr(),
            kinds: if kinds.is_empty() { std::ptr::null() } else { kinds.as_ptr().cast() },
        };
        Vocab::made(|out, words| unsafe { sys::gsample_vocab_new(&desc, out, words) })
    }

    /// From the beginning of a GGUF file.
    pub fn from_gguf(data: &[u8], n_vocab: u32) -> Result<Vocab> {
        Vocab::made(|out, words| unsafe { sys::gsample_vocab_from_gguf(data.as_ptr().cast(), data.len(), n_vocab, out, words) })
    }

    pub fn from_gguf_file(path: impl AsRef<Path>, n_vocab: u32) -> Result<Vocab> {
        let path = c_path(path.as_ref())?;
        Vocab::made(|out, words| unsafe { sys::gsample_vocab_from_gguf_file(path.as_ptr(), n_vocab, out, words) })
    }

    /// From the text of a Hugging Face tokenizer.json.
    pub fn from_tokenizer_json(json: &str, n_vocab: u32) -> Result<Vocab> {
        Vocab::made(|out, words| unsafe { sys::gsample_vocab_from_tokenizer_json(json.as_ptr().cast(), json.len(), n_vocab, out, words) })
    }

    /// The stop tokens are these and no others. Before the vocabulary is cloned and before its first grammar.
    pub fn set_stop(&mut self, tokens: &[Token]) -> Result<()> {
        let handle = Arc::get_mut(&mut self.0).ok_or_else(|| invalid("the vocabulary is shared"))?;
        done(unsafe { sys::gsample_vocab_set_stop(handle.0.as_ptr(), tokens.as_ptr(), tokens.len()) })
    }

    /// The bytes of a token; none for tokens without text.
    pub fn bytes(&self, token: Token) -> Result<&[u8]> {
        let (mut bytes, mut n) = (std::ptr::null(), 0);
        done(unsafe { sys::gsample_vocab_bytes(self.raw(), token, &mut bytes, &mut n) })?;
        Ok(unsafe { slice(bytes, n) })
    }

    /// The stop tokens, ascending.
    pub fn stops(&self) -> Result<Vec<Token>> {
        fetched(|out: *mut Token, n| unsafe { sys::gsample_vocab_stops(self.raw(), out, n) })
    }

    fn made(call: impl FnOnce(*mut *mut sys::gsample_vocab, *mut sys::gsample_error) -> i32) -> Result<Vocab> {
        made(call).map(|handle| Vocab(Arc::new(VocabHandle(handle))))
    }

    fn raw(&self) -> *mut sys::gsample_vocab {
        self.0 .0.as_ptr()
    }
}

/// A compiled grammar bound to a vocabulary. A clone is another reference to the same; all threads may use it at once.
#[derive(Debug)]
pub struct Grammar(NonNull<sys::gsample_grammar>);

unsafe impl Send for Grammar {} // the library's promise: immutable, counted, shared
unsafe impl Sync for Grammar {}

impl Clone for Grammar {
    fn clone(&self) -> Grammar {
        unsafe { sys::gsample_grammar_retain(self.0.as_ptr()) };
        Grammar(self.0)
    }
}

impl Drop for Grammar {
    fn drop(&mut self) {
        unsafe { sys::gsample_grammar_free(self.0.as_ptr()) }
    }
}

impl Grammar {
    /// From GBNF, starting with the rule "root".
    pub fn from_gbnf(vocab: &Vocab, text: &str) -> Result<Grammar> {
        Grammar::from_gbnf_rule(vocab, text, "root")
    }

    pub fn from_gbnf_rule(vocab: &Vocab, text: &str, root: &str) -> Result<Grammar> {
        let root = c_string(root)?;
        made(|out, words| unsafe {
            sys::gsample_grammar_from_gbnf(vocab.raw(), text.as_ptr().cast(), text.len(), root.as_ptr(), out, words)
        })
        .map(Grammar)
    }

    /// The whole text must match an ECMA-262 expression.
    pub fn from_regex(vocab: &Vocab, text: &str) -> Result<Grammar> {
        made(|out, words| unsafe { sys::gsample_grammar_from_regex(vocab.raw(), text.as_ptr().cast(), text.len(), out, words) })
            .map(Grammar)
    }

    /// Builds ahead what a first mask would build.
    pub fn warm(&self) -> Result<()> {
        done(unsafe { sys::gsample_grammar_warm(self.0.as_ptr()) })
    }
}

/// Where one sequence stands in a grammar; [`Sampler::constrain_matcher`](crate::Sampler::constrain_matcher) takes it over.
#[derive(Debug)]
pub struct Matcher(NonNull<sys::gsample_matcher>);

unsafe impl Send for Matcher {} // the library ties nothing to a thread

impl Drop for Matcher {
    fn drop(&mut self) {
        unsafe { sys::gsample_matcher_free(self.0.as_ptr()) }
    }
}

impl Matcher {
    pub fn new(grammar: &Grammar) -> Result<Matcher> {
        made(|out, _| unsafe { sys::gsample_matcher_new(grammar.0.as_ptr(), out) }).map(Matcher)
    }

    /// Another matcher at the same place.
    pub fn try_clone(&self) -> Result<Matcher> {
        made(|out, _| unsafe { sys::gsample_matcher_clone(self.0.as_ptr(), out) }).map(Matcher)
    }

    /// Back to the start.
    pub fn reset(&mut self) -> Result<()> {
        done(unsafe { sys::gsample_matcher_reset(self.0.as_ptr()) })
    }

    pub fn allows(&self, token: Token) -> Result<bool> {
        number(unsafe { sys::gsample_matcher_allows(self.0.as_ptr(), token) }).map(|yes| yes > 0)
    }

    /// Whether the text may end here.
    pub fn can_stop(&self) -> Result<bool> {
        number(unsafe { sys::gsample_matcher_can_stop(self.0.as_ptr()) }).map(|yes| yes > 0)
    }

    pub fn accept(&mut self, token: Token) -> Result<()> {
        done(unsafe { sys::gsample_matcher_accept(self.0.as_ptr(), token) })
    }

    /// Takes back the last n accepted tokens.
    pub fn rollback(&mut self, n: usize) -> Result<()> {
        done(unsafe { sys::gsample_matcher_rollback(self.0.as_ptr(), n) })
    }

    /// What is allowed, a bit a token, into exactly `(n_vocab + 31) / 32` words.
    pub fn mask(&mut self, words: &mut [u32]) -> Result<()> {
        done(unsafe { sys::gsample_matcher_mask(self.0.as_ptr(), words.as_mut_ptr(), words.len()) })
    }

    pub(crate) fn into_constraint(self) -> Result<sys::gsample_constraint> {
        let mut constraint: sys::gsample_constraint = unsafe { std::mem::zeroed() };
        constraint.size = size_of::<sys::gsample_constraint>() as u32;
        done(unsafe { sys::gsample_matcher_constraint(self.0.as_ptr(), &mut constraint) })?;
        std::mem::forget(self); // the constraint frees it
        Ok(constraint)
    }
}
