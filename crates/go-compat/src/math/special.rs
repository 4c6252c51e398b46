//! The gamma, inverse error and Bessel functions.

// The constants are given as published, with more digits than fit.
#![allow(clippy::excessive_precision)]

use std::f64::consts::{LN_2, PI, SQRT_2};

use libm::{exp, log};

use crate::math::polynomial::poly;
use crate::math::power::pow;
use crate::math::trigonometric::sin;

/// Returns the two factors of Stirling's formula.
fn stirling(x: f64) -> (f64, f64) {
    const S: [f64; 5] = [
        7.873_113_957_930_936_283_97e-4,
        -2.295_499_616_133_781_263_80e-4,
        -2.681_326_178_057_812_328_25e-3,
        3.472_222_216_054_586_673_10e-3,
        8.333_333_333_334_822_571_26e-2,
    ];
    const SQRT_TWO_PI: f64 = 2.506_628_274_631_000_502_417;
    const MAX_STIRLING: f64 = 143.01608;
    if x > 200.0 {
        return (f64::INFINITY, 1.0);
    }
    let w = 1.0 / x;
    let w = 1.0 + w * poly(w, &S);
    let power = exp(x);
    let (y1, y2) = if x > MAX_STIRLING {
        let v = pow(x, 0.5 * x - 0.25);
        (v, v / power)
    } else {
        (pow(x, x - 0.5) / power, 1.0)
    };
    (y1, SQRT_TWO_PI * w * y2)
}

/// Returns the gamma function.
#[must_use]
pub fn gamma(x: f64) -> f64 {
    const P: [f64; 7] = [
        1.601_195_224_767_518_614_07e-4,
        1.191_351_470_065_863_849_13e-3,
        1.042_137_975_617_615_699_35e-2,
        4.763_678_004_571_372_314_64e-2,
        2.074_482_276_484_359_751_50e-1,
        4.942_148_268_014_971_007_53e-1,
        9.999_999_999_999_999_967_96e-1,
    ];
    const Q: [f64; 8] = [
        -2.315_818_733_241_201_298_19e-5,
        5.396_055_804_933_033_978_42e-4,
        -4.456_419_138_517_972_404_94e-3,
        1.181_397_852_220_604_355_52e-2,
        3.582_363_986_054_986_533_73e-2,
        -2.345_917_957_182_433_485_68e-1,
        7.143_049_170_302_730_740_85e-2,
        1.000_000_000_000_000_003_20e0,
    ];
    const EULER: f64 = 0.577_215_664_901_532_860_606_512_090_082_402_43;
    if x.is_nan() || x == f64::NEG_INFINITY || (x < 0.0 && x.fract() == 0.0) {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return x;
    }
    if x == 0.0 {
        return f64::INFINITY.copysign(x);
    }
    if x.abs() > 33.0 {
        return if x >= 0.0 {
            let (y1, y2) = stirling(x);
            y1 * y2
        } else {
            reflected_gamma(x)
        };
    }
    let (mut x, mut z) = (x, 1.0);
    let small = |x: f64, z: f64| if x == 0.0 { f64::INFINITY } else { z / ((1.0 + EULER * x) * x) };
    while x >= 3.0 {
        x -= 1.0;
        z *= x;
    }
    while x < 0.0 {
        if x > -1e-9 {
            return small(x, z);
        }
        z /= x;
        x += 1.0;
    }
    while x < 2.0 {
        if x < 1e-9 {
            return small(x, z);
        }
        z /= x;
        x += 1.0;
    }
    if x == 2.0 {
        return z;
    }
    x -= 2.0;
    z * poly(x, &P) / poly(x, &Q)
}

/// Returns Γ(x) for x below -33.
fn reflected_gamma(x: f64) -> f64 {
    let q = x.abs();
    let mut p = q.floor();
    let sign = if p % 2.0 == 0.0 { -1.0 } else { 1.0 };
    let mut z = q - p;
    if z > 0.5 {
        p += 1.0;
        z = q - p;
    }
    let z = q * sin(PI * z);
    if z == 0.0 {
        return f64::INFINITY * sign;
    }
    let (s1, s2) = stirling(q);
    let d = z.abs() * s1 * s2;
    sign * if d.is_infinite() { PI / z.abs() / s1 / s2 } else { PI / d }
}

/// Returns the inverse error function, by Wichura's algorithm AS 241.
#[must_use]
pub fn erfinv(x: f64) -> f64 {
    const A: [f64; 8] = [
        8.870_940_696_254_551_483_020_0e2,
        1.181_949_334_706_229_440_427_8e4,
        2.378_204_138_211_438_573_125_2e4,
        1.623_586_251_516_757_538_425_2e4,
        4.854_886_889_384_388_679_464_8e3,
        6.970_626_653_438_959_823_846_5e2,
        4.707_268_811_238_397_801_228_5e1,
        1.197_532_311_567_091_256_457_8e0,
    ];
    const B: [f64; 8] = [
        5.226_495_278_852_854_561_0e3,
        2.872_908_573_572_194_267_4e4,
        3.930_789_580_009_271_061_0e4,
        2.121_379_430_158_659_586_7e4,
        5.394_196_021_424_751_107_7e3,
        6.871_870_074_920_579_083_0e2,
        4.231_333_070_160_091_125_2e1,
        1.0,
    ];
    const C: [f64; 8] = [
        7.745_450_142_783_414_076_40e-4,
        2.272_384_498_926_918_458_33e-2,
        2.417_807_251_774_506_117_70e-1,
        1.270_458_252_452_368_382_58e0,
        3.647_848_324_763_204_605_04e0,
        5.769_497_221_460_691_405_50e0,
        4.630_337_846_156_545_295_90e0,
        1.423_437_110_749_683_577_34e0,
    ];
    const D: [f64; 8] = [
        1.485_985_001_984_035_590_549_787_6e-9,
        7.744_145_906_515_770_916_557_721_8e-4,
        2.149_416_038_425_287_677_709_729_7e-2,
        2.094_506_521_051_274_912_828_844_2e-1,
        9.754_783_200_178_742_718_689_483_7e-1,
        2.370_766_162_602_453_236_597_122_5e0,
        2.903_651_444_541_994_617_313_329_5e0,
        SQRT_2,
    ];
    const E: [f64; 8] = [
        2.010_334_399_292_288_132_65e-7,
        2.711_555_568_743_487_578_15e-5,
        1.242_660_947_388_078_438_60e-3,
        2.653_218_952_657_612_309_30e-2,
        2.965_605_718_285_048_912_30e-1,
        1.784_826_539_917_291_335_80e0,
        5.463_784_911_164_114_369_90e0,
        6.657_904_643_501_103_777_20e0,
    ];
    const F: [f64; 8] = [
        2.891_024_605_872_965_461_538_222e-15,
        2.010_321_207_683_943_062_279_931e-7,
        2.611_088_405_080_593_625_138_020e-5,
        1.112_800_997_078_859_844_711_555e-3,
        2.103_693_768_272_068_968_719_679e-2,
        1.936_480_946_950_659_106_176_712e-1,
        8.482_908_416_595_164_588_112_026e-1,
        SQRT_2,
    ];
    if x.is_nan() || x.abs() > 1.0 {
        return f64::NAN;
    }
    if x.abs() == 1.0 {
        return f64::INFINITY.copysign(x);
    }
    let z = x.abs();
    let inverse = if z <= 0.85 {
        let r = 0.180_625 - 0.25 * z * z;
        z * poly(r, &A) / poly(r, &B)
    } else {
        let r = (LN_2 - log(1.0 - z)).sqrt();
        if r <= 5.0 { poly(r - 1.6, &C) / poly(r - 1.6, &D) } else { poly(r - 5.0, &E) / poly(r - 5.0, &F) }
    };
    inverse.copysign(x)
}

/// Maximum order of Bessel functions that are evaluated exactly: the results of higher orders are zero or infinite for
/// usual arguments.
const MAX_ORDER: i64 = 1_000_000;

/// Returns the Bessel function of the first kind.
#[must_use]
pub fn jn(n: i64, x: f64) -> f64 {
    match i32::try_from(n) {
        Ok(order) if n.abs() <= MAX_ORDER => libm::jn(order, x),
        _ if x.is_nan() => x,
        _ => 0.0,
    }
}

/// Returns the Bessel function of the second kind.
#[must_use]
pub fn yn(n: i64, x: f64) -> f64 {
    match i32::try_from(n) {
        Ok(order) if n.abs() <= MAX_ORDER => libm::yn(order, x),
        _ if x.is_nan() || x < 0.0 => f64::NAN,
        _ => f64::NEG_INFINITY,
    }
}
