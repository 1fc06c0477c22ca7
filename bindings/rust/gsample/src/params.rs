//! Parameters, and the words of the ABI as enumerations.
use crate::error::{done, fetched, told, Result};
use crate::sys;
use std::ffi::{c_char, CString};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::path::Path;

macro_rules! words {
    ($(#[$about:meta])* $name:ident: $type:ty { $($word:ident = $value:ident),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr($type)]
        pub enum $name {
            $($word = sys::$value),+
        }
    };
}

words!(
    /// A stage of the chain, for [`Params::set_order`].
    Stage: i32 {
        Penalties = GSAMPLE_STAGE_PENALTIES, Dry = GSAMPLE_STAGE_DRY, TopNSigma = GSAMPLE_STAGE_TOP_N_SIGMA, TopK = GSAMPLE_STAGE_TOP_K,
        TypicalP = GSAMPLE_STAGE_TYPICAL_P, TopP = GSAMPLE_STAGE_TOP_P, MinP = GSAMPLE_STAGE_MIN_P, Xtc = GSAMPLE_STAGE_XTC,
        Temperature = GSAMPLE_STAGE_TEMPERATURE, Mirostat = GSAMPLE_STAGE_MIROSTAT, AdaptiveP = GSAMPLE_STAGE_ADAPTIVE_P,
        Custom = GSAMPLE_STAGE_CUSTOM,
    }
);
words!(
    /// What penalties count: `params.penalty_style`.
    PenaltyStyle: i32 { Window = GSAMPLE_PENALTY_WINDOW, Answer = GSAMPLE_PENALTY_ANSWER }
);
words!(
    /// What a NaN does: `params.nan_policy`.
    NanPolicy: i32 { Error = GSAMPLE_NAN_ERROR, Banned = GSAMPLE_NAN_BANNED }
);
words!(
    /// How chain and constraint meet: `params.constraint_mode`.
    ConstraintMode: i32 {
        Lazy = GSAMPLE_CONSTRAINT_LAZY, MaskFirst = GSAMPLE_CONSTRAINT_MASK_FIRST, MaskLast = GSAMPLE_CONSTRAINT_MASK_LAST,
    }
);
words!(
    /// Of which distribution a logprob speaks.
    LogprobMode: u32 {
        None = GSAMPLE_LOGPROB_NONE, Raw = GSAMPLE_LOGPROB_RAW, RawLogit = GSAMPLE_LOGPROB_RAW_LOGIT, Processed = GSAMPLE_LOGPROB_PROCESSED,
    }
);
words!(
    /// What a token of a vocabulary is.
    TokenKind: u8 {
        Text = GSAMPLE_TOKEN_TEXT, Control = GSAMPLE_TOKEN_CONTROL, Stop = GSAMPLE_TOKEN_STOP, Unused = GSAMPLE_TOKEN_UNUSED,
    }
);

/// How many settings of a file were not honoured, and a sentence that names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub left_out: u32,
    pub message: String,
}

/// What a sampler is made of: the fields of `gsample_params`, by name.
///
/// ```no_run
/// let mut params = gsample::Params::default();
/// params.temperature = 0.8;
/// params.set("repetition_penalty", "1.1")?;
/// # Ok::<(), gsample::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Params(sys::gsample_params);

impl Default for Params {
    fn default() -> Params {
        let mut raw: sys::gsample_params = unsafe { std::mem::zeroed() };
        raw.size = size_of::<sys::gsample_params>() as u32;
        unsafe { sys::gsample_params_init(&mut raw) };
        Params(raw)
    }
}

impl Deref for Params {
    type Target = sys::gsample_params;
    fn deref(&self) -> &sys::gsample_params {
        &self.0
    }
}

impl DerefMut for Params {
    fn deref_mut(&mut self) -> &mut sys::gsample_params {
        &mut self.0
    }
}

impl Params {
    /// The defaults of another system: "llama.cpp", "vllm", "hf", "ollama", "openai", "golem", or "greedy".
    pub fn preset(name: &str) -> Result<Params> {
        let (mut params, name) = (Params::default(), c_string(name)?);
        told(|words| unsafe { sys::gsample_params_preset(&mut params.0, name.as_ptr(), words) })?;
        Ok(params)
    }

    /// One parameter by its name, here or in other systems.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let (key, value) = (c_string(key)?, c_string(value)?);
        told(|words| unsafe { sys::gsample_params_set(&mut self.0, key.as_ptr(), value.as_ptr(), words) }).map(|_| ())
    }

    /// The stages of a pick, in this order; those beyond the 32nd do not fit and are INVALID_ARGUMENT.
    pub fn set_order(&mut self, stages: &[Stage]) -> Result<()> {
        let mut order = [0; 32];
        done(if stages.len() > order.len() { sys::GSAMPLE_ERROR_INVALID_ARGUMENT } else { 0 })?;
        for (to, from) in order.iter_mut().zip(stages) {
            *to = *from as i32;
        }
        self.0.order = order;
        Ok(())
    }

    /// All parameters as one line of key=value.
    pub fn describe(&self) -> Result<String> {
        let mut bytes = fetched(|out: *mut u8, n| unsafe { sys::gsample_params_describe(&self.0, out as *mut c_char, n) })?;
        bytes.pop(); // the NUL
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Takes what a model recommends, from the beginning of its GGUF file.
    pub fn from_gguf(&mut self, data: &[u8]) -> Result<Report> {
        report(told(|words| unsafe { sys::gsample_params_from_gguf(&mut self.0, data.as_ptr().cast(), data.len(), words) }))
    }

    pub fn from_gguf_file(&mut self, path: impl AsRef<Path>) -> Result<Report> {
        let path = c_path(path.as_ref())?;
        report(told(|words| unsafe { sys::gsample_params_from_gguf_file(&mut self.0, path.as_ptr(), words) }))
    }

    /// Takes what the text of a generation_config.json says.
    pub fn from_generation_config(&mut self, json: &str) -> Result<Report> {
        report(told(|words| unsafe { sys::gsample_params_from_generation_config(&mut self.0, json.as_ptr().cast(), json.len(), words) }))
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe().map_err(|_| fmt::Error)?)
    }
}

fn report(result: Result<(i32, String)>) -> Result<Report> {
    result.map(|(left_out, message)| Report { left_out: left_out as u32, message })
}

pub(crate) fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| crate::error::invalid("a NUL in a text"))
}

pub(crate) fn c_path(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| crate::error::invalid("a NUL in a path"))
}
