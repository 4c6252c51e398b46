//! Trigonometric functions and their inverses.

// The constants are given as published, with more digits than fit.
#![allow(clippy::excessive_precision)]

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use crate::math::polynomial::poly;

const SIN: [f64; 6] = [
    1.589_623_015_765_465_680_60e-10,
    -2.505_074_776_285_780_728_66e-8,
    2.755_731_362_138_572_452_13e-6,
    -1.984_126_982_958_953_859_96e-4,
    8.333_333_333_322_118_588_78e-3,
    -1.666_666_666_666_663_072_95e-1,
];
const COS: [f64; 6] = [
    -1.135_853_652_138_768_173_00e-11,
    2.087_570_084_197_473_167_78e-9,
    -2.755_731_417_929_673_881_12e-7,
    2.480_158_728_885_170_453_48e-5,
    -1.388_888_888_887_305_641_16e-3,
    4.166_666_666_666_659_292_18e-2,
];

/// Maximum argument for which subtracting a multiple of the three-part constant π/4 is accurate enough.
const REDUCE_LIMIT: f64 = (1u64 << 29) as f64;

/// Returns the octant of an angle, rounded up to an even number, and the rest of the angle.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn octant(x: f64) -> (u64, f64) {
    const PI4A: f64 = 7.853_981_256_484_985_351_56e-1;
    const PI4B: f64 = 3.774_894_707_930_798_176_68e-8;
    const PI4C: f64 = 2.695_151_429_079_059_526_45e-15;
    let mut j = (x * (4.0 / PI)) as u64;
    j += j & 1;
    let y = j as f64;
    (j & 7, ((x - y * PI4A) - y * PI4B) - y * PI4C)
}

fn sin_series(z: f64) -> f64 {
    let zz = z * z;
    z + z * zz * poly(zz, &SIN)
}

fn cos_series(z: f64) -> f64 {
    let zz = z * z;
    1.0 - 0.5 * zz + zz * zz * poly(zz, &COS)
}

/// Returns the sine of an angle in radians.
#[must_use]
pub fn sin(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() || x.abs() >= REDUCE_LIMIT {
        return libm::sin(x);
    }
    let (mut j, z) = octant(x.abs());
    let mut negative = x < 0.0;
    if j > 3 {
        j -= 4;
        negative = !negative;
    }
    let y = if j == 1 || j == 2 { cos_series(z) } else { sin_series(z) };
    if negative { -y } else { y }
}

/// Returns the cosine of an angle in radians.
#[must_use]
pub fn cos(x: f64) -> f64 {
    if !x.is_finite() || x.abs() >= REDUCE_LIMIT {
        return libm::cos(x);
    }
    let (mut j, z) = octant(x.abs());
    let mut negative = false;
    if j > 3 {
        j -= 4;
        negative = true;
    }
    if j > 1 {
        negative = !negative;
    }
    let y = if j == 1 || j == 2 { sin_series(z) } else { cos_series(z) };
    if negative { -y } else { y }
}

/// Returns the tangent of an angle in radians.
#[must_use]
pub fn tan(x: f64) -> f64 {
    const P: [f64; 3] =
        [-1.309_369_391_813_837_342_05e4, 1.153_516_648_385_874_161_40e6, -1.795_652_519_764_848_779_88e7];
    const Q: [f64; 5] = [
        1.0,
        1.368_129_634_706_929_546_78e4,
        -1.320_892_344_402_109_674_47e6,
        2.500_838_018_233_579_158_39e7,
        -5.386_957_559_294_546_298_81e7,
    ];
    if x == 0.0 || !x.is_finite() || x.abs() >= REDUCE_LIMIT {
        return libm::tan(x);
    }
    let (j, z) = octant(x.abs());
    let zz = z * z;
    let mut y = if zz > 1e-14 { z + z * (zz * poly(zz, &P) / poly(zz, &Q)) } else { z };
    if j & 2 == 2 {
        y = -1.0 / y;
    }
    if x < 0.0 { -y } else { y }
}

/// Returns the arc tangent in 0…0.66.
fn small_atan(x: f64) -> f64 {
    const P: [f64; 5] = [
        -8.750_608_600_031_904_122_785e-1,
        -1.615_753_718_733_365_076_637e1,
        -7.500_855_792_314_704_667_340e1,
        -1.228_866_684_490_136_173_410e2,
        -6.485_021_904_942_025_371_773e1,
    ];
    const Q: [f64; 6] = [
        1.0,
        2.485_846_490_142_306_297_962e1,
        1.650_270_098_316_988_542_046e2,
        4.328_810_604_912_902_668_951e2,
        4.853_903_996_359_136_964_868e2,
        1.945_506_571_482_613_964_425e2,
    ];
    let z = x * x;
    let z = z * poly(z, &P) / poly(z, &Q);
    x * z + x
}

fn positive_atan(x: f64) -> f64 {
    const MORE_BITS: f64 = 6.123_233_995_736_765_886_130e-17;
    const TAN_3_PI_8: f64 = 2.414_213_562_373_095_048_80;
    if x <= 0.66 {
        small_atan(x)
    } else if x > TAN_3_PI_8 {
        FRAC_PI_2 - small_atan(1.0 / x) + MORE_BITS
    } else {
        FRAC_PI_4 + small_atan((x - 1.0) / (x + 1.0)) + 0.5 * MORE_BITS
    }
}

/// Returns the arc tangent, in -π/2…π/2.
#[must_use]
pub fn atan(x: f64) -> f64 {
    if x == 0.0 {
        x
    } else if x > 0.0 {
        positive_atan(x)
    } else {
        -positive_atan(-x)
    }
}

/// Returns the arc sine, in -π/2…π/2; NaN outside -1…1.
#[must_use]
pub fn asin(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    let magnitude = x.abs();
    if magnitude > 1.0 || x.is_nan() {
        return f64::NAN;
    }
    let rest = (1.0 - magnitude * magnitude).sqrt();
    let angle =
        if magnitude > 0.7 { FRAC_PI_2 - positive_atan(rest / magnitude) } else { positive_atan(magnitude / rest) };
    if x < 0.0 { -angle } else { angle }
}

/// Returns the arc cosine, in 0…π; NaN outside -1…1.
#[must_use]
pub fn acos(x: f64) -> f64 {
    FRAC_PI_2 - asin(x)
}

/// Returns the arc tangent of `y / x`, in the quadrant of the point.
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() || x == 0.0 || y == 0.0 || x.is_infinite() || y.is_infinite() {
        return y.atan2(x);
    }
    let angle = atan(y / x);
    if x >= 0.0 || x.is_nan() {
        angle
    } else if angle <= 0.0 {
        angle + PI
    } else {
        angle - PI
    }
}
