import betaCdf from '@stdlib/stats-base-dists-beta-cdf'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cumulativeWeights, harrellDavis, sortSamples } from './index.ts'
import { incompleteBeta } from './incomplete-beta.ts'

function sorted(values: readonly number[]) {
  const found = sortSamples(values)
  if (found === undefined) throw new Error('no values')
  return found
}

const NORMAL = [
  56.8547922357333, 47.1765091430196, 51.8156420566867, 53.1643130248052, 52.021341615705, 49.4693774195426,
  57.5576099871947, 49.5267048079345, 60.0921185693852, 49.6864295047379, 56.5243482711174, 61.4332269635055,
  43.0556964944383, 48.6060561659131, 49.3333933180317, 53.1797519903504, 48.5787353929196, 36.7177228954761,
  37.7976653571224, 56.600566728651, 48.4668070296076, 41.0934578301, 49.1404132212019, 56.073373495863,
  59.4759673063248, 47.847654341969, 48.7136530861554, 41.1841845740261, 52.3004867741564, 46.8000256201994,
  52.2772506162061, 53.5241866861441, 55.1755176098496, 46.9553681229639, 52.5247756164899, 41.4149566046333,
  46.0777049581025, 45.7454620291174, 37.9289617502668, 50.1806130344613, 51.0299930010013, 48.1947135072567,
  53.7908161784976, 46.3664758646171, 43.1585947779035, 52.1640901294436, 45.9430341190666, 57.2205063086063,
  47.8427689869333, 53.278239417011, 51.6096263260197, 46.0808052955981, 57.8786375989599, 53.2144965285866,
  50.448803232998, 51.3827537364573, 53.3964440802764, 50.4491644328954, 35.0345495842353, 51.4244147676533,
  48.1638267862951, 50.926152824328, 52.9091186368275, 56.9986841364634, 46.3635397026277, 56.5127131602207,
  51.6792405987604, 55.1925304934881, 54.6036428414532, 53.6043908143343, 44.7844053071607, 49.5490680669465,
  53.1175908099977, 45.2323832111383, 47.2858559271307, 52.9049824884084, 53.840893689173, 52.3188379427008,
  45.5711185129516, 44.5010955067607, 57.5635350490246, 51.2896071876602, 50.4422011457979, 49.3955173123046,
  44.0283555241974, 53.0599844902019, 48.9143007712674, 49.0862164683404, 54.6667316428558, 54.1088655525412,
  56.9605818796714, 47.6191303847266, 53.2517428036315, 56.95555228195, 44.4460556027605, 45.6960370656108,
  44.3413065957311, 42.703930002488, 50.3999127662058, 53.266021698246,
]

const NORMAL_QUANTILES = {
  '0.01': 35.8665470068393,
  '0.05': 40.256109743906,
  '0.1': 43.4009039307175,
  '0.2': 45.9689878385665,
  '0.3': 47.7625064694369,
  '0.4': 49.1990768488069,
  '0.5': 50.6054603836255,
  '0.6': 52.0229524453141,
  '0.7': 53.0902667378516,
  '0.8': 54.3124094550212,
  '0.9': 56.7677005553656,
  '0.95': 57.8450445439088,
  '0.99': 60.7696586964613,
}

describe('the incomplete beta function', () => {
  it('is that of @stdlib', () => {
    const shape = fc.double({ min: 0.5, max: 3000, noNaN: true })
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), shape, shape, (x, a, b) => {
        expect(Math.abs(incompleteBeta(x, a, b) - betaCdf(x, a, b))).toBeLessThan(1e-9)
      }),
      { seed: 1 },
    )
  })
})

describe('Harrell–Davis', () => {
  // The example in SciPy's documentation of `mstats.hdquantiles`, with its printed results.
  it.each([
    [0.25, 3.1505820231763066],
    [0.5, 5.194344084883956],
    [0.75, 7.430626414674935],
  ])('q = %d of SciPy’s nine numbers is %d', (q, published) => {
    expect(harrellDavis(sorted([1.2, 2.5, 3.7, 4.0, 5.1, 6.3, 7.0, 8.2, 9.4]), q)).toBeCloseTo(published, 12)
  })

  // 0, 25, 50, 75, 100 and 100 normal numbers (R: set.seed(42); rnorm(100, 50, 5)), with what R's `Hmisc::hdquantile` gives for them, as
  // published with the tests of Perfolizer (AndreyAkinshin/perfolizer, HarrellDavisQuantileEstimatorTests.cs).
  it('has the published deciles of five numbers', () => {
    const published = [
      4.81290947065674, 13.7443607731199, 25.1415863187833, 37.4702805366232, 50, 62.5297194633768, 74.8584136812167,
      86.2556392268801, 95.1870905293433,
    ]
    published.forEach((value, at) => {
      expect(harrellDavis(sorted([0, 25, 50, 75, 100]), (at + 1) / 10)).toBeCloseTo(value, 10)
    })
  })

  it.each(Object.entries(NORMAL_QUANTILES))('q = %s of 100 normal numbers is the published %d', (q, published) => {
    expect(harrellDavis(sorted(NORMAL), Number(q))).toBeCloseTo(published, 10)
  })

  // Wilcox, "Introduction to Robust Estimation and Hypothesis Testing" (2005), 3.1; the digits as in Pingouin's test of `harrelldavis`.
  it('has the published median of the self-awareness data', () => {
    const data = [77, 87, 88, 114, 151, 210, 219, 246, 253, 262, 296, 299, 306, 376, 428, 515, 666, 1310, 2611]
    expect(harrellDavis(sorted(data), 0.5)).toBeCloseTo(271.72120054908913, 10)
  })

  it('has the weights of the definition, deciles too', () => {
    for (const n of [2, 9, 40, 288]) {
      for (let decile = 1; decile <= 9; decile += 1) {
        const q = decile / 10
        const weights = cumulativeWeights(n, q)
        for (let i = 0; i <= n; i += 1)
          expect(weights[i]).toBeCloseTo(betaCdf(i / n, (n + 1) * q, (n + 1) * (1 - q)), 10)
      }
    }
  })

  it('of a symmetric sample is symmetric, and moves with shift and scale', () => {
    const values = sorted([1, 2, 4, 7, 11])
    const moved = sorted([1, 2, 4, 7, 11].map((value) => 3 * value + 5))
    expect(harrellDavis(moved, 0.9)).toBeCloseTo(3 * harrellDavis(values, 0.9) + 5, 10)
    expect(harrellDavis(sorted([-2, -1, 0, 1, 2]), 0.5)).toBeCloseTo(0, 12)
  })
})
