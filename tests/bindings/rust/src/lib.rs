//! What the tests share: a reader of JSON, for the project's vectors, and the recipe of their rows (tests/golden/vectors_file.h).

#[derive(Debug)]
pub enum Json {
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Objects, lists, texts without escapes and numbers: what the vectors are made of.
    pub fn parse(text: &str) -> Json {
        value(&mut text.as_bytes())
    }
    pub fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(members) => &members.iter().find(|(name, _)| name == key).unwrap_or_else(|| panic!("{key} is missing")).1,
            _ => panic!("no object has {key}"),
        }
    }
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => panic!("{self:?} is no list"),
        }
    }
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => panic!("{self:?} is no text"),
        }
    }
    pub fn number<T: std::str::FromStr>(&self) -> T {
        match self {
            Json::Number(digits) => digits.parse().ok().unwrap_or_else(|| panic!("{digits} does not fit")),
            _ => panic!("{self:?} is no number"),
        }
    }
    pub fn numbers<T: std::str::FromStr>(&self) -> Vec<T> {
        self.list().iter().map(Json::number).collect()
    }
}

fn skip(input: &mut &[u8]) -> u8 {
    *input = input.trim_ascii_start();
    *input.first().expect("the text ends too soon")
}

fn take(input: &mut &[u8], while_: impl Fn(u8) -> bool) -> String {
    let n = input.iter().position(|&c| !while_(c)).unwrap_or(input.len());
    let (taken, rest) = input.split_at(n);
    *input = rest;
    String::from_utf8(taken.to_vec()).unwrap()
}

fn items<T>(input: &mut &[u8], end: u8, item: impl Fn(&mut &[u8]) -> T) -> Vec<T> {
    let mut out = Vec::new();
    *input = &input[1..];
    while skip(input) != end {
        out.push(item(input));
        if skip(input) == b',' {
            *input = &input[1..];
        }
    }
    *input = &input[1..];
    out
}

fn string(input: &mut &[u8]) -> String {
    assert_eq!(skip(input), b'"');
    *input = &input[1..];
    let text = take(input, |c| c != b'"');
    *input = &input[1..];
    text
}

fn value(input: &mut &[u8]) -> Json {
    match skip(input) {
        b'{' => Json::Object(items(input, b'}', |input| {
            let key = string(input);
            assert_eq!(skip(input), b':');
            *input = &input[1..];
            (key, value(input))
        })),
        b'[' => Json::List(items(input, b']', value)),
        b'"' => Json::Text(string(input)),
        _ => Json::Number(take(input, |c| c == b'-' || c.is_ascii_digit())),
    }
}

pub fn splitmix64(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E3779B97F4A7C15);
    let x = (x ^ x >> 30).wrapping_mul(0xBF58476D1CE4E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D049BB133111EB);
    x ^ x >> 31
}

/// The logits of row `pick`. Every step is rounded to f32, as Rust does.
pub fn recipe(kind: &str, n: usize, row_seed: u64, pick: u64) -> Vec<f32> {
    let seed = splitmix64(row_seed.wrapping_add(pick));
    let logit = |i| {
        let u = (splitmix64(seed.wrapping_add(i)) >> 40) as f32 * (0.5f32).powi(24);
        match kind {
            "cubic" => u * u * u * 24.0 - 6.0,
            "flat" => u * 0.5,
            "ties16" => (u * 16.0).floor() - 8.0,
            "peaked" => {
                let u16th = (0..4).fold(u, |a, _| a * a);
                u16th * 60.0 - 20.0
            }
            _ => panic!("no rows are called {kind}"),
        }
    };
    (0..n as u64).map(logit).collect()
}
