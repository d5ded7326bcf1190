import { linearRegression, sampleCorrelation } from 'simple-statistics'
import type { Sample } from '../sample/types.ts'
import { median, quantile, sortSamples } from '../statistics/index.ts'
import { endedAtTokenCap } from '../sample/index.ts'
import { hourIn } from './local-time.ts'
import type { StudyBlock, StudyPrompt, StudyRegion, StudyTarget } from './types.ts'

/** Hours of a block of the day. */
const BLOCK_HOURS = 6
const BLOCKS = 24 / BLOCK_HOURS

function middle(values: readonly (number | undefined)[]): number | null {
  const sorted = sortSamples(values.filter((value) => value !== undefined))
  return sorted === undefined ? null : median(sorted)
}

function percentile(values: readonly (number | undefined)[], numerator: number): number | null {
  const sorted = sortSamples(values.filter((value) => value !== undefined))
  return sorted === undefined ? null : quantile(sorted, { numerator, denominator: 100 })
}

function largest(values: readonly (number | undefined)[]): number | null {
  return values.reduce<number | null>(
    (most, value) => (value === undefined || (most !== null && value <= most) ? most : value),
    null,
  )
}

function blocksOf(samples: readonly Sample[], hourOf: (ms: number) => number): StudyBlock[] {
  const blocks = Array.from({ length: BLOCKS }, (): { n: number; failed: number; ttft: number[] } => ({
    n: 0,
    failed: 0,
    ttft: [],
  }))
  for (const sample of samples) {
    const at = Date.parse(sample.started_at)
    const block = Number.isNaN(at) ? undefined : blocks[Math.floor(hourOf(at) / BLOCK_HOURS)]
    if (block === undefined) continue
    block.n += 1
    if (sample.outcome === 'error') block.failed += 1
    else if (sample.ttft_ms !== undefined) block.ttft.push(sample.ttft_ms)
  }
  return blocks.map(({ n, failed, ttft }, index) => ({
    fromHour: index * BLOCK_HOURS,
    toHour: (index + 1) * BLOCK_HOURS,
    n,
    failed,
    ttftP50: middle(ttft),
  }))
}

/** (slowest median − fastest) / fastest, over the blocks that have one; `null` for fewer than two. */
function shiftOf(blocks: readonly StudyBlock[]): number | null {
  const medians = blocks.flatMap(({ ttftP50 }) => ttftP50 ?? [])
  if (medians.length < 2) return null
  const fastest = Math.min(...medians)
  return fastest === 0 ? null : (Math.max(...medians) - fastest) / fastest
}

function promptOf(prompt: string, samples: readonly Sample[]): StudyPrompt {
  const ok = samples.filter((sample) => sample.outcome === 'ok')
  const capped = ok.filter((sample) => endedAtTokenCap(sample.finish_reason))
  return {
    prompt,
    ok: ok.length,
    promptTokensP50: middle(ok.map((sample) => sample.prompt_tokens)),
    ttftP50: middle(ok.map((sample) => sample.ttft_ms)),
    firstAnswerP50: middle(ok.map((sample) => sample.first_answer_ms)),
    firstAnswerP95: percentile(
      ok.map((sample) => sample.first_answer_ms),
      95,
    ),
    capped: capped.length,
    neverAnswered: ok.filter((sample) => sample.first_answer_ms === undefined).length,
    reasoned: ok.filter((sample) => sample.first_token_kind === 'reasoning').length,
  }
}

/** Milliseconds per 1,000 tokens: least squares through the medians of the prompts. */
function slopeOf(prompts: readonly StudyPrompt[]): number | null {
  const points = prompts.flatMap(({ promptTokensP50, ttftP50 }): [number, number][] =>
    promptTokensP50 === null || ttftP50 === null ? [] : [[promptTokensP50, ttftP50]],
  )
  if (new Set(points.map(([tokens]) => tokens)).size < 2) return null
  const { m } = linearRegression(points)
  return Number.isFinite(m) ? m * 1000 : null
}

/** Pearson's r; `null` where one of the two does not vary. */
function correlationOf(samples: readonly Sample[]): number | null {
  const pairs = samples.flatMap((sample): [number, number][] =>
    sample.tokens_per_event === undefined || sample.decode_tps === undefined
      ? []
      : [[sample.tokens_per_event, sample.decode_tps]],
  )
  if (pairs.length < 3) return null
  const r = sampleCorrelation(
    pairs.map(([first]) => first),
    pairs.map(([, second]) => second),
  )
  return Number.isFinite(r) ? r : null
}

/** Each region by itself; none where there is only one. */
function regionsOf(samples: readonly Sample[]): StudyRegion[] {
  const groups = Map.groupBy(samples, (sample) => sample.region ?? '')
  if (groups.size < 2) return []
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([region, own]) => {
      const ok = own.filter((sample) => sample.outcome === 'ok')
      const ttft = ok.map((sample) => sample.ttft_ms)
      return {
        region,
        n: own.length,
        failed: own.length - ok.length,
        ttftP50: middle(ttft),
        ttftP95: percentile(ttft, 95),
        ttftP99: percentile(ttft, 99),
      }
    })
}

const over = (values: readonly (number | undefined)[], limit: number): number =>
  values.filter((value) => value !== undefined && value > limit).length

function targetOf(samples: readonly Sample[], hourOf: (ms: number) => number): StudyTarget[] {
  const [first] = samples
  if (first === undefined) return []
  const ok = samples.filter((sample) => sample.outcome === 'ok')
  const ttft = ok.map((sample) => sample.ttft_ms)
  const total = ok.map((sample) => sample.total_ms)
  const prompts = [...Map.groupBy(samples, (sample) => sample.prompt)].map(([prompt, own]) => promptOf(prompt, own))
  const blocks = blocksOf(samples, hourOf)
  const regions = regionsOf(samples)
  return [
    {
      probe: first.probe,
      target: first.target,
      ok: ok.length,
      prompts: prompts.toSorted(
        (a, b) => (a.promptTokensP50 ?? 0) - (b.promptTokensP50 ?? 0) || (a.prompt < b.prompt ? -1 : 1),
      ),
      msPerThousandTokens: slopeOf(prompts),
      blocks,
      ...(regions.length === 0 ? {} : { regions }),
      largestShift: shiftOf(blocks),
      tail: {
        ttftOver10s: over(ttft, 10_000),
        ttftOver30s: over(ttft, 30_000),
        ttftOver60s: over(ttft, 60_000),
        totalOver60s: over(total, 60_000),
        totalOver30s: over(total, 30_000),
        slowestTtft: largest(ttft),
        slowestTotal: largest(total),
      },
      tokensPerEventP50: middle(ok.map((sample) => sample.tokens_per_event)),
      speedCorrelation: correlationOf(ok),
    },
  ]
}

/**
 * The study's tables beside the headline, per target: prompt lengths, blocks of the day, regions, tail, reasoning, tokens per
 * event.
 * @param samples - those that count
 * @param order - the targets in the order in which they are shown
 */
export function studyOf(
  samples: readonly Sample[],
  order: readonly { readonly probe: string; readonly target: string }[],
  timezone: string,
): StudyTarget[] {
  const key = (of: { readonly probe: string; readonly target: string }): string => JSON.stringify([of.probe, of.target])
  const groups = Map.groupBy(samples, key)
  const hourOf = hourIn(timezone)
  return [...new Set(order.map(key))].flatMap((each) => targetOf(groups.get(each) ?? [], hourOf))
}
