//! What the Rust binding adds to the C ABI: owners, results, callbacks that fail and panic, threads; and every function once.
use gsample::*;
use gsample_tests::recipe;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::Arc;

const ROW: [f32; 4] = [1.0, 3.0, 2.0, 0.0];

fn greedy() -> Params {
    Params::preset("greedy").unwrap()
}

fn fails<T>(status: Status, result: Result<T>) -> Error {
    let error = result.err().expect("this should fail");
    assert_eq!(error.status, status, "{error}");
    error
}

// ---- Values

#[test]
fn params() -> Result<()> {
    let mut params = Params::default();
    assert_eq!(params.top_k, 64);
    assert!(fails(Status::INVALID_ARGUMENT, params.set("top_k", "many")).to_string().contains("top_k"));
    fails(Status::INVALID_ARGUMENT, params.set("top_k", "1\0"));
    fails(Status::INVALID_ARGUMENT, Params::preset("nobody"));
    params.set_order(&[Stage::TopK, Stage::Temperature])?;
    fails(Status::INVALID_ARGUMENT, params.set_order(&[Stage::TopK; 33]));
    assert!(params.describe()?.ends_with("order=top_k,temperature"), "{params}");
    let report = params.from_generation_config(r#"{"do_sample": true, "top_k": 7, "num_beams": 4}"#)?;
    assert_eq!((params.top_k, report.left_out, report.message.contains("num_beams")), (7, 1, true));
    assert_eq!(fails(Status::FORMAT, params.from_generation_config("{\n  nothing")).line, 2);
    fails(Status::IO, params.from_gguf_file("/nowhere"));
    fails(Status::FORMAT, params.from_gguf(b"not a GGUF file at all, by any means"));
    params.top_p = -1.0;
    assert!(fails(Status::INVALID_ARGUMENT, Sampler::new(&params)).to_string().contains("top_p"));
    assert_eq!((Status::IO.to_string(), format!("{:?}", Status::REFUSED)), ("IO".into(), "REFUSED".into()));
    assert!(!target().is_empty());
    Ok(())
}

#[test]
fn rows() -> Result<()> {
    let row = Row::from(&ROW[..]);
    assert_eq!((row.best()?, row.masked(&[0b1100])?.best()?), (1, 2));
    fails(Status::INVALID_ARGUMENT, row.masked(&[1, 1]));
    fails(Status::INVALID_ARGUMENT, Row::f32(&[]).best());
    assert_eq!((row.check()?.max, Row::f16(&[0x3c00, 0x4000]).check()?.max, Row::bf16(&[0x3c00, 0x4000]).best()?), (3.0, 2.0, 1));
    let items = row.logprobs(&[2])?;
    let choice = Sampler::new(&greedy())?.choose(&row, LogprobMode::Raw, 9)?;
    assert_eq!((choice.token, choice.rank, choice.top.len()), (1, 1, 4));
    assert_eq!((choice.top[1].logprob, items[0].rank), (items[0].logprob, 2));
    fails(Status::INVALID_ARGUMENT, row.logprobs(&[4]));
    Ok(())
}

#[test]
fn state() -> Result<()> {
    let mut sampler = Sampler::new(&Params::default())?;
    sampler.reserve(4, 100)?;
    sampler.seed(&[1, 2, 3])?;
    let (mut copy, mut loaded) = (sampler.try_clone()?, Sampler::load(&sampler.save()?)?);
    for _ in 0..20 {
        let token = sampler.pick(&ROW)?;
        assert_eq!((copy.pick(&ROW)?, loaded.pick(&ROW)?), (token, token));
    }
    sampler.rng_seed(u64::MAX)?;
    copy.assign(&sampler)?;
    assert_eq!(sampler.uniform(), copy.uniform());
    sampler.reset()?;
    sampler.set_params(&greedy())?;
    sampler.stop(&[2])?;
    sampler.dry_breaker(&[1, 2])?;
    assert!(!sampler.shaped() && sampler.memory()? > 0 && sampler.candidates_needed().is_some());
    sampler.bias(&[(1, f32::NEG_INFINITY)])?;
    assert!(sampler.shaped());
    assert_eq!(sampler.pick(&ROW)?, 2);
    sampler.accept(1)?;
    fails(Status::INVALID_ARGUMENT, sampler.bias(&[(-1, 1.0)]));
    fails(Status::FORMAT, Sampler::load(b"nothing"));
    Ok(())
}

#[test]
fn a_sampler_is_send_and_not_sync() {
    // Both blanket implementations fit a type that is Sync, and then the call below could not be resolved.
    trait NotSync<T> {
        fn holds() {}
    }
    impl<T: ?Sized> NotSync<()> for T {}
    #[allow(dead_code)]
    struct IsSync;
    impl<T: ?Sized + Sync> NotSync<IsSync> for T {}
    <Sampler as NotSync<_>>::holds();
    <Matcher as NotSync<_>>::holds();
    fn send<T: Send>() {}
    fn shared<T: Send + Sync>() {}
    send::<Sampler>();
    send::<Matcher>();
    send::<Step>();
    shared::<Vocab>();
    shared::<Grammar>();
    shared::<Dist>();
}

// ---- Callbacks

struct Even(Arc<AtomicI32>);

impl Constraint for Even {
    const MASK: bool = true;
    const FIRST_BYTES: bool = true;
    const CAN_STOP: bool = true;
    fn allows(&mut self, token: Token) -> Result<bool> {
        Ok(token % 2 == 0)
    }
    fn accept(&mut self, _: Token) -> Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
    fn mask(&mut self, words: &mut [u32]) -> Result<()> {
        words.fill(0x55555555);
        Ok(())
    }
    fn first_bytes(&mut self, table: &mut [u8; 256]) -> Result<()> {
        table.fill(1);
        Ok(())
    }
    fn first_byte(&mut self, token: Token) -> Result<Option<u8>> {
        Ok(Some(token as u8))
    }
    fn can_stop(&mut self) -> Result<bool> {
        Ok(true)
    }
    fn try_clone(&self) -> Result<Even> {
        Ok(Even(self.0.clone()))
    }
}

#[test]
fn constraints() -> Result<()> {
    let accepted = Arc::new(AtomicI32::new(0));
    for mode in [ConstraintMode::Lazy, ConstraintMode::MaskFirst, ConstraintMode::MaskLast] {
        let mut params = greedy();
        params.constraint_mode = mode as i32;
        let mut sampler = Sampler::new(&params)?;
        sampler.constrain(Even(accepted.clone()), &[1])?;
        assert_eq!(sampler.pick(&ROW)?, 1); // asleep until then
        let mut copy = sampler.try_clone()?;
        assert_eq!((sampler.pick(&ROW)?, copy.pick(&ROW)?, Arc::strong_count(&accepted)), (2, 2, 3));
        fails(Status::REFUSED, sampler.accept(3));
        sampler.unconstrain()?;
        assert_eq!((sampler.pick(&ROW)?, Arc::strong_count(&accepted)), (1, 2));
    }
    assert_eq!((accepted.load(Ordering::Relaxed), Arc::strong_count(&accepted)), (6, 1));
    Ok(())
}

#[test]
fn a_constraint_that_is_refused_is_dropped() -> Result<()> {
    let accepted = Arc::new(AtomicI32::new(0));
    fails(Status::INVALID_ARGUMENT, Sampler::new(&greedy())?.constrain(Even(accepted.clone()), &[-1]));
    assert_eq!(Arc::strong_count(&accepted), 1);
    Ok(())
}

struct Fails(Option<Error>);

impl Constraint for Fails {
    fn allows(&mut self, _: Token) -> Result<bool> {
        Err(self.0.clone().expect("a panic in a callback"))
    }
    fn accept(&mut self, _: Token) -> Result<()> {
        Ok(())
    }
}

#[test]
fn callbacks_that_fail_or_panic() -> Result<()> {
    let enough = Error::new(Status::LIMIT, "enough");
    for (error, status) in [(Some(enough), Status::LIMIT), (Some(Status(7).into()), Status::CALLBACK), (None, Status::CALLBACK)] {
        let mut sampler = Sampler::new(&greedy())?;
        sampler.constrain(Fails(error), &[])?;
        fails(status, sampler.pick(&ROW));
        fails(Status::UNSUPPORTED, sampler.try_clone());
        sampler.unconstrain()?;
        assert_eq!(sampler.pick(&ROW)?, 1);
    }
    Ok(())
}

#[test]
fn custom_stages() -> Result<()> {
    let mut params = Params::default();
    for (key, value) in [("order", "custom,temperature"), ("top_k", "0"), ("top_p", "1")] {
        params.set(key, value)?;
    }
    let mut sampler = Sampler::new(&params)?;
    let only = 3;
    sampler.set_custom(move |tokens: &[Token], logits: &mut [f32]| {
        for (token, logit) in tokens.iter().zip(logits) {
            if *token != only {
                *logit = f32::NEG_INFINITY;
            }
        }
        Ok(())
    })?;
    assert_eq!((sampler.pick(&ROW)?, sampler.try_clone()?.pick(&ROW)?), (3, 3));
    sampler.set_custom(|_: &[Token], _: &mut [f32]| -> Result<()> { panic!("a panic in a stage") })?;
    fails(Status::CALLBACK, sampler.pick(&ROW));
    sampler.unset_custom()
}

// ---- Grammar, distribution

#[test]
fn grammars() -> Result<()> {
    let kinds = [TokenKind::Text, TokenKind::Text, TokenKind::Text, TokenKind::Stop];
    let mut vocab = Vocab::new(&["a", "b", "c", ""], &kinds, 0)?;
    vocab.set_stop(&[3])?;
    let shared = vocab.clone();
    fails(Status::INVALID_ARGUMENT, vocab.set_stop(&[3]));
    fails(Status::INVALID_ARGUMENT, Vocab::new(&["a"], &kinds, 0));
    assert_eq!((shared.bytes(1)?, shared.bytes(3)?, vocab.stops()?), (&b"b"[..], &b""[..], vec![3]));
    assert_eq!(fails(Status::SYNTAX, Grammar::from_gbnf(&vocab, "root ::=\n \"a")).line, 2);
    let grammar = Grammar::from_gbnf_rule(&vocab, "start ::= \"ab\" \"c\"*", "start")?;
    grammar.clone().warm()?;
    let mut matcher = Matcher::new(&Grammar::from_regex(&vocab, "b+a")?)?;
    drop((vocab, shared));
    let mut words = [0];
    matcher.mask(&mut words)?;
    assert_eq!((words, matcher.allows(1)?, matcher.allows(0)?, matcher.can_stop()?), ([0b10], true, false, false));
    matcher.accept(1)?;
    let mut copy = matcher.try_clone()?;
    copy.accept(0)?;
    assert!(copy.can_stop()?);
    fails(Status::REFUSED, copy.accept(1));
    copy.rollback(1)?;
    copy.reset()?;
    let mut sampler = Sampler::new(&greedy())?;
    sampler.constrain_matcher(Matcher::new(&grammar)?, &[])?;
    let picked: Result<Vec<Token>> = (0..4).map(|_| sampler.pick(&ROW)).collect();
    assert_eq!(picked?, [0, 1, 2, 2]);
    assert!(
        Vocab::from_gguf(b"", 0).is_err() && Vocab::from_gguf_file("/nowhere", 0).is_err() && Vocab::from_tokenizer_json("{", 0).is_err()
    );
    Ok(())
}

#[test]
fn distributions() -> Result<()> {
    let (mut sampler, mut p, mut q) = (Sampler::new(&Params::default())?, Dist::new()?, Dist::new()?);
    assert!(p.ids().is_empty() && p.weights().is_empty());
    p.from_row(&mut sampler, &Row::f32(&ROW))?;
    q.from_candidates(&mut sampler, &[3, 2, 1, 0], &[0.0, 2.0, 3.0, 1.0], 4, true)?;
    assert_eq!((p.ids(), p.weights()), (q.ids(), q.weights()));
    assert!((p.chance(1) - p.weights()[0] / p.total()).abs() < 1e-12);
    let mut copy = sampler.try_clone()?;
    assert_eq!(p.draw(&mut sampler)?, copy.pick(&ROW)?);
    q.set(&[1], &[1.0])?;
    assert_eq!(p.residual(&q)?.chance(1), 0.0);
    fails(Status::INVALID_ARGUMENT, q.set(&[1, 2], &[1.0]));
    fails(Status::INVALID_ARGUMENT, q.from_candidates(&mut sampler, &[1], &[], 4, true));
    Ok(())
}

// ---- The step

#[test]
fn threads_change_nothing() -> Result<()> {
    const N: usize = 16;
    let logits: Vec<f32> = (0..N as u64).flat_map(|i| recipe("cubic", 1000, 3, i)).collect();
    let mut tokens = Vec::new();
    for threads in [1, 4] {
        let mut step = Step::new(threads)?;
        let mut samplers: Vec<Sampler> = (0..N).map(|_| Sampler::new(&Params::default())).collect::<Result<_>>()?;
        samplers[3].constrain(Fails(None), &[])?; // its failure is its own
        let rows = logits.chunks(1000).map(|row| Rows::f32(row, 1000));
        let mut sequences: Vec<Sequence> =
            samplers.iter_mut().zip(rows).map(|(sampler, rows)| Ok(Sequence::new(sampler, rows?))).collect::<Result<_>>()?;
        let failed = if threads == 1 { step.decide(&mut sequences)? } else { step.decide_on(&ScopedThreads(threads), &mut sequences)? };
        assert_eq!((failed, sequences[3].error.as_ref().unwrap().status), (1, Status::CALLBACK));
        tokens.push(sequences.iter().map(|sequence| sequence.tokens.clone()).collect::<Vec<_>>());
    }
    assert_eq!(tokens[0], tokens[1]);
    assert_eq!(tokens[0].iter().map(Vec::len).sum::<usize>(), N - 1);
    let mut sampler = Sampler::new(&greedy())?;
    let mut one = [Sequence::new(&mut sampler, Rows::f32(&ROW, 4)?)];
    fails(Status::INVALID_ARGUMENT, Step::new(1)?.decide_on(&ScopedThreads(2), &mut one)); // fewer slots than workers
    Ok(())
}

#[test]
fn an_executor_that_panics() -> Result<()> {
    struct Panics;
    unsafe impl Executor for Panics {
        fn n_workers(&self) -> u32 {
            1
        }
        fn parallel_for(&self, _: usize, _: &(dyn Fn(u32, usize) + Sync)) {
            panic!("a panic in an executor")
        }
    }
    let mut sampler = Sampler::new(&greedy())?;
    let mut sequences = [Sequence::new(&mut sampler, Rows::f32(&ROW, 4)?)];
    let status = match Step::new(1)?.decide_on(&Panics, &mut sequences) {
        Ok(_) => sequences[0].error.clone().expect("an error").status,
        Err(error) => error.status,
    };
    assert_eq!((status, sequences[0].tokens.len()), (Status::CALLBACK, 0));
    Ok(())
}

#[test]
fn drafts() -> Result<()> {
    let logits: Vec<f32> = (0..3).flat_map(|i| recipe("cubic", 1000, 9, i)).collect();
    let mut plain = Sampler::new(&Params::default())?;
    let expected: Vec<Token> = logits.chunks(1000).map(|row| plain.pick(row)).collect::<Result<_>>()?;
    let (mut a, mut b, mut c) = (Sampler::new(&Params::default())?, Sampler::new(&Params::default())?, Sampler::new(&Params::default())?);
    let rows = Rows::f32(&logits, 1000)?;
    let (mut dist, wrong) = (Dist::new()?, [expected[0], expected[1] + 1]);
    dist.from_row(&mut c, &Row::f32(&logits[..1000]))?;
    let sure = [dist.ids()[0]];
    let mask = vec![u32::MAX; 2 * 32];
    let mut sequences = [
        Sequence::new(&mut a, rows).drafts(&expected[..2]).logprobs(LogprobMode::Raw, 2),
        Sequence::new(&mut b, rows).drafts(&wrong),
        Sequence::new(&mut c, Rows::f32(&logits[..2000], 1000)?).drafts(&sure).draft_dists(&[&dist]).masks(&mask),
    ];
    assert_eq!(Step::new(1)?.decide(&mut sequences)?, 0);
    assert_eq!((&sequences[0].tokens, &sequences[1].tokens[..], sequences[2].tokens[0]), (&expected, &expected[..2], sure[0]));
    let choices = sequences[0].choices();
    assert_eq!(
        choices.iter().map(|choice| (choice.token, choice.top.len())).collect::<Vec<_>>(),
        expected.iter().map(|&t| (t, 2)).collect::<Vec<_>>()
    );
    let mut one = [Sequence::new(&mut a, rows).drafts(&wrong[..1])];
    fails(Status::INVALID_ARGUMENT, Step::new(1)?.decide(&mut one));
    fails(Status::INVALID_ARGUMENT, Rows::f32(&logits, 7));
    Ok(())
}

// ---- Speed

#[test]
fn call_cost() -> Result<()> {
    let mut best = [f64::MAX; 2];
    let mut sampler = Sampler::new(&greedy())?;
    let mut raw = std::ptr::null_mut();
    let params = greedy();
    assert_eq!(unsafe { sys::gsample_new(&*params, &mut raw, std::ptr::null_mut()) }, 0);
    for _ in 0..300 {
        sampler.reset()?;
        unsafe { sys::gsample_reset(raw) };
        let start = std::time::Instant::now();
        for _ in 0..500 {
            assert_eq!(unsafe { sys::gsample_pick(raw, ROW.as_ptr(), ROW.len()) }, 1);
        }
        best[0] = best[0].min(start.elapsed().as_nanos() as f64 / 500.0);
        let start = std::time::Instant::now();
        for _ in 0..500 {
            assert_eq!(sampler.pick(&ROW)?, 1);
        }
        best[1] = best[1].min(start.elapsed().as_nanos() as f64 / 500.0);
    }
    unsafe { sys::gsample_free(raw) };
    println!("rust: a pick from 4 logits takes {:.0} ns in C and {:.0} ns here", best[0], best[1]);
    assert!(best[1] - best[0] <= 100.0);
    Ok(())
}
