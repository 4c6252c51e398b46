//! Hyperbolic functions and their inverses.

// The constants are given as published, with more digits than fit.
#![allow(clippy::excessive_precision)]

use std::f64::consts::LN_2;

use libm::{exp, log, log1p};

use crate::math::polynomial::poly;

/// Returns the hyperbolic sine.
#[must_use]
pub fn sinh(x: f64) -> f64 {
    const P: [f64; 4] = [
        -0.263_056_321_339_749_706_281_948_9e2,
        -0.289_421_135_598_956_380_728_466_036_6e4,
        -0.899_127_202_203_950_935_539_801_351_1e5,
        -0.630_767_364_049_771_699_118_478_725_1e6,
    ];
    const Q: [f64; 4] = [
        1.0,
        -0.173_678_953_558_233_699_533_450_911e3,
        0.152_151_737_879_001_907_069_648_517_6e5,
        -0.630_767_364_049_771_699_121_207_727_7e6,
    ];
    let magnitude = x.abs();
    let result = if magnitude > 21.0 {
        exp(magnitude) * 0.5
    } else if magnitude > 0.5 {
        let ex = exp(magnitude);
        (ex - 1.0 / ex) * 0.5
    } else {
        let square = magnitude * magnitude;
        poly(square, &P) * magnitude / poly(square, &Q)
    };
    if x.is_sign_negative() { -result } else { result }
}

/// Returns the hyperbolic cosine.
#[must_use]
pub fn cosh(x: f64) -> f64 {
    let ex = exp(x.abs());
    if x.abs() > 21.0 { ex * 0.5 } else { (ex + 1.0 / ex) * 0.5 }
}

/// Returns the hyperbolic tangent.
#[must_use]
pub fn tanh(x: f64) -> f64 {
    const P: [f64; 3] =
        [-9.643_991_794_250_522_386_28e-1, -9.928_772_310_019_185_865_64e1, -1.614_687_684_417_084_479_52e3];
    const Q: [f64; 4] =
        [1.0, 1.128_116_784_916_329_314_02e2, 2.235_488_390_601_004_485_83e3, 4.844_063_053_251_254_860_48e3];
    const MAX_LOG: f64 = 8.802_969_193_111_305_429_598_8e1;
    let z = x.abs();
    if z > 0.5 * MAX_LOG {
        1f64.copysign(x)
    } else if z >= 0.625 {
        (1.0 - 2.0 / (exp(2.0 * z) + 1.0)).copysign(x)
    } else if x == 0.0 {
        x
    } else {
        let s = x * x;
        x + x * s * poly(s, &P) / poly(s, &Q)
    }
}

const NEAR_ZERO: f64 = 1.0 / LARGE;
const LARGE: f64 = (1u64 << 28) as f64;

/// Returns the inverse hyperbolic sine.
#[must_use]
pub fn asinh(x: f64) -> f64 {
    if !x.is_finite() {
        return x;
    }
    let z = x.abs();
    let result = if z > LARGE {
        log(z) + LN_2
    } else if z > 2.0 {
        log(2.0 * z + 1.0 / ((z * z + 1.0).sqrt() + z))
    } else if z < NEAR_ZERO {
        z
    } else {
        log1p(z + z * z / (1.0 + (1.0 + z * z).sqrt()))
    };
    if x < 0.0 { -result } else { result.copysign(x) }
}

/// Returns the inverse hyperbolic cosine; NaN below 1.
#[must_use]
pub fn acosh(x: f64) -> f64 {
    if x < 1.0 || x.is_nan() {
        f64::NAN
    } else if x == 1.0 {
        0.0
    } else if x >= LARGE {
        log(x) + LN_2
    } else if x > 2.0 {
        log(2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt()))
    } else {
        let t = x - 1.0;
        log1p(t + (2.0 * t + t * t).sqrt())
    }
}

/// Returns the inverse hyperbolic tangent; NaN outside -1…1.
#[must_use]
pub fn atanh(x: f64) -> f64 {
    let z = x.abs();
    let result = if z > 1.0 || x.is_nan() {
        return f64::NAN;
    } else if z == 1.0 {
        f64::INFINITY
    } else if z < NEAR_ZERO {
        z
    } else if z < 0.5 {
        let twice = z + z;
        0.5 * log1p(twice + twice * z / (1.0 - z))
    } else {
        0.5 * log1p((z + z) / (1.0 - z))
    };
    result.copysign(x)
}
