import type { FailuresRule, RateMetric, ValueMetric } from '../budget/types.ts'
import { endedAtTokenCap } from '../sample/index.ts'
import type { Sample } from '../sample/types.ts'
import { sortSamples } from '../statistics/index.ts'
import type { SortedSamples } from '../statistics/index.ts'
import { lastSilenceMs, observe } from './censoring.ts'
import { favourableValue } from './client-delay.ts'

/** A prompt of which more than one token in twenty (5 %) came from the cache is a hit. */
const CACHED_ONE_IN = 20

/** What budgets ask of samples: budgets that ask the same share the answer. */
export type Question =
  | { readonly kind: 'value'; readonly metric: ValueMetric; readonly failures: FailuresRule }
  | { readonly kind: 'rate'; readonly metric: RateMetric; readonly stallOverMs: number }

/** Whether times are taken as stamped (`null`), or moved to the end of their bound that helps limits from above or from below. */
export type Favoured = '<' | '>' | null

/** Kinds of places: with a value; cut off by our timeout; failed without a number, and counted all the same. */
export const VALUE = 0
export const CENSORED = 1
export const FAILED = 2

/** What samples answer to a {@link Question}, in columns: one place for each sample that counts, in the order of the samples. */
export class Observed {
  /** Indices of the samples. */
  readonly at: Uint32Array
  readonly kinds: Uint8Array
  /** The metric's number, or where it was cut off; NaN where there is none. */
  readonly values: Float64Array
  /** 1 where a rate's sample is in its numerator; 0 elsewhere. */
  readonly hits: Uint8Array
  readonly censored: number
  readonly failed: number
  /** Samples that count and did not succeed, whatever they say of the metric. */
  readonly unsuccessful: number
  readonly #ranked = new Map<boolean, SortedSamples | undefined>()

  constructor(samples: readonly Sample[], question: Question, favoured: Favoured) {
    const size = samples.length
    const at = new Uint32Array(size)
    const kinds = new Uint8Array(size)
    const values = new Float64Array(size)
    const hits = new Uint8Array(size)
    let places = 0
    let censored = 0
    let failed = 0
    let unsuccessful = 0
    samples.forEach((sample, index) => {
      const seen = question.kind === 'value' ? valueOf(sample, question, favoured) : rateOf(sample, question, favoured)
      if (seen === undefined) return
      at[places] = index
      kinds[places] = seen.kind
      values[places] = seen.value ?? NaN
      if (seen.hit === true) hits[places] = 1
      if (seen.kind === CENSORED) censored += 1
      if (seen.kind === FAILED) failed += 1
      if (sample.outcome === 'error') unsuccessful += 1
      places += 1
    })
    this.at = at.subarray(0, places)
    this.kinds = kinds.subarray(0, places)
    this.values = values.subarray(0, places)
    this.hits = hits.subarray(0, places)
    this.censored = censored
    this.failed = failed
    this.unsuccessful = unsuccessful
  }

  /** How many samples count: n. */
  get size(): number {
    return this.at.length
  }

  /** Samples with a number of their own. */
  get known(): number {
    return this.size - this.censored - this.failed
  }

  /** The numbers of one kind of places, those that have one. */
  numbers(kind: typeof VALUE | typeof CENSORED): Float64Array {
    return this.values.filter((value, place) => this.kinds[place] === kind && !Number.isNaN(value))
  }

  /** The values in order; places without one stand at the end that `upper` limits call worse, so that ranks are right. */
  ranked(upper: boolean): SortedSamples | undefined {
    if (!this.#ranked.has(upper)) {
      const worst = upper ? Infinity : -Infinity
      this.#ranked.set(
        upper,
        sortSamples(this.values.map((value, place) => (this.kinds[place] === VALUE ? value : worst))),
      )
    }
    return this.#ranked.get(upper)
  }
}

interface Seen {
  readonly kind: typeof VALUE | typeof CENSORED | typeof FAILED
  readonly value: number | null | undefined
  readonly hit?: boolean
}

const SEEN_FAILED: Seen = { kind: FAILED, value: null }

function valueOf(
  sample: Sample,
  { metric, failures }: Extract<Question, { readonly kind: 'value' }>,
  favoured: Favoured,
): Seen | undefined {
  const seen = observe(sample, metric)
  const moved = (value: number): number =>
    favoured === null ? value : favourableValue(sample, metric, value, favoured)
  switch (seen.kind) {
    case 'value':
      return { kind: VALUE, value: moved(seen.value) }
    case 'censored':
      return { kind: CENSORED, value: seen.cutAt === null ? null : moved(seen.cutAt) }
    case 'failed':
      return failures === 'exceed' ? SEEN_FAILED : undefined
    case 'absent':
      return undefined
  }
}

/** The longest gap of a sample, with the one that it died in; `undefined` where it has none. */
function longestGapMs(sample: Sample): number | undefined {
  const silence = lastSilenceMs(sample)
  if (silence === undefined) return sample.gap_max_ms
  return Math.max(silence, sample.gap_max_ms ?? 0)
}

/** `undefined` where the sample is not in the rate's denominator. */
function rateOf(
  sample: Sample,
  { metric, stallOverMs }: Extract<Question, { readonly kind: 'rate' }>,
  favoured: Favoured,
): Seen | undefined {
  const ok = sample.outcome === 'ok'
  const counted = (counts: boolean, hit: boolean, value?: number): Seen | undefined =>
    counts ? { kind: VALUE, value, hit } : undefined
  switch (metric) {
    case 'error_rate':
      return counted(true, !ok)
    case 'answered_rate':
      return counted(ok, sample.first_answer_ms !== undefined)
    case 'length_rate':
      return counted(ok, endedAtTokenCap(sample.finish_reason))
    case 'cache_hit_rate': {
      const { cached_tokens: cached } = sample
      return counted(ok && cached !== undefined, (cached ?? 0) * CACHED_ONE_IN > (sample.prompt_tokens ?? Infinity))
    }
    case 'stall_rate': {
      const measured = longestGapMs(sample)
      // a shorter gap is the better one, whichever way the rate is limited
      const gap =
        measured === undefined || favoured === null ? measured : favourableValue(sample, 'gap_max', measured, '<')
      const stalled = sample.outcome === 'error' && sample.error_kind === 'stall_timeout'
      return counted(sample.ttft_ms !== undefined, stalled || (gap ?? 0) > stallOverMs, gap)
    }
  }
}
