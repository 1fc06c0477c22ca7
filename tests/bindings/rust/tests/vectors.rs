//! The project's vectors through the Rust binding. GSAMPLE_VECTORS: where tests/golden/vectors.json is.
use gsample::{sys, Constraint, Params, Result, Row, Sampler, Token};
use gsample_tests::{recipe, splitmix64, Json};

/// Allows token t iff t % m < r.
struct Rule {
    m: Token,
    r: Token,
}

impl Constraint for Rule {
    fn allows(&mut self, token: Token) -> Result<bool> {
        Ok(token % self.m < self.r)
    }
    fn accept(&mut self, _: Token) -> Result<()> {
        Ok(())
    }
}

fn sampler_of(case: &Json) -> Result<Sampler> {
    let mut params = Params::default();
    for pair in case.get("params").list() {
        params.set(pair.list()[0].text(), pair.list()[1].text())?;
    }
    let mut sampler = Sampler::new(&params)?;
    let biases: Vec<_> = case.get("bias").list().iter().map(|b| (b.list()[0].number(), f32::from_bits(b.list()[1].number()))).collect();
    sampler.bias(&biases)?;
    for breaker in case.get("breakers").list() {
        sampler.dry_breaker(&breaker.numbers::<Token>())?;
    }
    sampler.seed(&case.get("prompt").numbers::<Token>())?;
    if let [m, r] = case.get("rule").numbers()[..] {
        sampler.constrain(Rule { m, r }, &case.get("after").numbers::<Token>())?;
    }
    Ok(sampler)
}

fn pick(sampler: &mut Sampler, case: &Json, p: u64) -> Result<Token> {
    let (n, dtype, kind, row_seed): (usize, u32, _, u64) =
        (case.get("n_vocab").number(), case.get("dtype").number(), case.get("kind").text(), case.get("row_seed").number());
    let (mut floats, mut halves) = (Vec::new(), Vec::new());
    if kind == "raw" {
        let (seed, bits) = (splitmix64(row_seed + p), if dtype == sys::GSAMPLE_F16 { 0xcfff } else { 0xc1ff });
        halves = (0..n as u64).map(|i| (splitmix64(seed.wrapping_add(i)) >> 48) as u16 & bits).collect();
    } else {
        floats = recipe(kind, n, row_seed, p);
    }
    for patch in case.get("patch").list() {
        let (column, bits): (usize, u32) = (patch.list()[0].number(), patch.list()[1].number());
        if dtype == sys::GSAMPLE_F32 {
            floats[column] = f32::from_bits(bits);
        } else {
            halves[column] = bits as u16;
        }
    }
    let row = match dtype {
        sys::GSAMPLE_F32 => Row::f32(&floats),
        sys::GSAMPLE_F16 => Row::f16(&halves),
        _ => Row::bf16(&halves),
    };
    let mask_seed: u64 = case.get("mask_seed").number();
    if mask_seed == 0 {
        return if dtype == sys::GSAMPLE_F32 { sampler.pick(&floats) } else { sampler.pick_row(&row) };
    }
    let mut words = vec![0u32; n.div_ceil(32)];
    for i in (0..n).filter(|&i| splitmix64(mask_seed + i as u64) & 3 != 0) {
        words[i / 32] |= 1 << (i % 32);
    }
    sampler.pick_row(&row.masked(&words)?)
}

#[test]
fn vectors() -> Result<()> {
    let path = std::env::var("GSAMPLE_VECTORS").unwrap_or("../../golden/vectors.json".into());
    let file = Json::parse(&std::fs::read_to_string(path).expect("the vectors"));
    assert_eq!(file.get("semantics").number::<u32>(), sys::GSAMPLE_SEMANTICS);
    let mut fold = 1469598103934665603u64;
    for case in file.get("vectors").list() {
        let (mut sampler, forced) = (sampler_of(case)?, case.get("forced").numbers::<Token>());
        for (p, &expected) in case.get("tokens").numbers::<Token>().iter().enumerate() {
            if let Some(&token) = forced.get(p).filter(|&&token| token >= 0) {
                let _ = sampler.accept(token); // some are there to be refused
            }
            let got = pick(&mut sampler, case, p as u64).unwrap_or_else(|error| error.status.0);
            assert_eq!(got, expected, "{}, pick {p}", case.get("name").text());
            fold = (fold ^ got as u32 as u64).wrapping_mul(1099511628211);
        }
        assert_eq!((sampler.uniform() * 9007199254740992.0) as u64, case.get("next").number::<u64>(), "{}", case.get("name").text());
    }
    assert_eq!(format!("0x{fold:016x}"), file.get("fold64").text());
    Ok(())
}
