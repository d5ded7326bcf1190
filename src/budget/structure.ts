import * as z from 'zod'
import { durationMs } from '../units.ts'
import { acknowledgeShape, baselineShape, failAfterShape, floorShape, windowShape } from './structure-history.ts'

/** The largest `min_samples` that anybody can mean. */
const MOST_SAMPLES = 1_000_000_000

/** `95%` as 0.95; `undefined` where it is no confidence. */
export function confidenceOf(text: string): number | undefined {
  const percent = /^\s*(\d+(?:\.\d{1,4})?)\s*%\s*$/.exec(text)?.[1]
  const value = Number(percent ?? Number.NaN)
  return value >= 50 && value < 100 ? Number((value / 100).toPrecision(12)) : undefined
}

const limit = z.string().meta({
  description: 'What must hold: a statistic of a metric, a rate, or a share, and the limit with its unit.',
  examples: ['p99 ttft < 10s', 'error_rate < 1%', 'p5 decode_tps > 5', 'share(ttft > 60s) < 0.5%', 'mean cost < 0.01'],
})
const severity = z
  .enum(['fail', 'warn'])
  .meta({ description: 'What a breach does: fail the test, or pass with a warning. Default: fail.' })
const onInconclusive = z.enum(['fail', 'warn', 'skip']).meta({
  description:
    'What too little data does: fail the test, pass with a warning, or skip it. Never more than severity. Default: fail.',
})
const per = z.enum(['cell', 'target', 'prompt', 'probe']).meta({
  description:
    'What is judged on its own: each cell (probe × target × prompt), or the pool of all cells of a target, a prompt or a probe. Default: cell.',
})
const minSamples = z
  .int()
  .min(1)
  .max(MOST_SAMPLES)
  .meta({
    description:
      'Fewer samples than this are inconclusive. Default: what the limit needs (p99 and 1%: 100), at least 10.',
    examples: [100, 300],
  })
const failures = z.enum(['exclude', 'exceed']).meta({
  description:
    'Failed requests without a latency: left to error_rate (exclude), or beyond every limit (exceed). Default: exclude.',
})
const confidence = z
  .string()
  .refine((text) => confidenceOf(text) !== undefined, 'must be a percentage from 50% to 99.9999%, as 95%')
  .meta({
    description:
      'A pass needs proof at this confidence (exact binomial bounds), a breach too; inconclusive otherwise. Default: the measured value decides.',
    examples: ['95%', '99%'],
    pattern: String.raw`^\s*\d+(\.\d+)?\s*%\s*$`,
  })
const globs = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).meta({
  description: 'A glob (* ? {a,b}) or a list of them. "!glob", in quotes, takes away.',
  examples: ['glm-*', ['*', '!deepseek-*']],
})
const where = z
  .strictObject({ probe: globs.exactOptional(), target: globs.exactOptional(), prompt: globs.exactOptional() })
  .meta({ description: 'Which cells the entry applies to. Default: all.' })

/** One entry of `overrides:`. */
export const overrideShape = z
  .strictObject({
    where: where.meta({ description: 'Where the exception holds. May name only what `per` keeps apart.' }),
    limit: limit.exactOptional(),
    severity: severity.exactOptional(),
    min_samples: minSamples.exactOptional(),
  })
  .meta({ description: 'An exception. The last one that matches wins.' })

/** One entry of `budgets:`. */
export const budgetShape = z
  .strictObject({
    limit,
    id: z
      .string()
      .regex(/^\S(?:.*\S)?$/, 'must be one line with no space at its ends')
      .exactOptional()
      .meta({ description: 'Name of the budget in tests and reports; unique. Default: the limit.' }),
    where: where.exactOptional(),
    per: per.exactOptional(),
    overrides: z.array(overrideShape).exactOptional().meta({ description: 'Exceptions, for some cells.' }),
    severity: severity.exactOptional(),
    on_inconclusive: onInconclusive.exactOptional(),
    min_samples: minSamples.exactOptional(),
    failures: failures.exactOptional(),
    confidence: confidence.exactOptional(),
    window: windowShape.exactOptional(),
    baseline: baselineShape.exactOptional(),
    floor: floorShape.exactOptional(),
    fail_after: failAfterShape.exactOptional(),
    acknowledge: acknowledgeShape.exactOptional(),
    stall_over: z
      .string()
      .refine((text) => (durationMs(text) ?? 0) > 0, 'must be a time with a unit: 5s, 500ms')
      .meta({
        description: 'For stall_rate: a longer gap between tokens is a stall. Default: 5s.',
        examples: ['5s'],
        pattern: String.raw`^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)\s*$`,
      })
      .exactOptional(),
  })
  .meta({ description: 'A budget: a limit that holds on every cell it matches.' })

/** The map under `defaults:`. */
export const defaultsShape = z
  .strictObject({
    severity: severity.exactOptional(),
    on_inconclusive: onInconclusive.exactOptional(),
    per: per.exactOptional(),
    min_samples: minSamples.exactOptional(),
    failures: failures.exactOptional(),
    confidence: confidence.exactOptional(),
  })
  .meta({ description: 'Values for every budget that does not set its own.' })

/** The whole file. */
export const fileShape = z
  .strictObject({
    version: z.literal(1).meta({ description: 'Version of this format: 1.' }),
    timezone: z
      .string()
      .min(1)
      .exactOptional()
      .meta({
        description: 'IANA name, for the blocks of the day in reports. Default: UTC.',
        examples: ['Asia/Kolkata', 'UTC'],
      }),
    stop_early: z.boolean().exactOptional().meta({
      description:
        'End the run as soon as no missing request can change any verdict. Such a run serves no window and no baseline. Default: false.',
    }),
    defaults: defaultsShape.exactOptional(),
    budgets: z
      .array(budgetShape)
      .min(1)
      .meta({ description: 'The budgets. Every budget that matches a cell applies to it.' }),
  })
  .meta({ title: 'slo.yaml', description: 'Latency budgets of vitest-slo.' })

export type DefaultsInput = z.infer<typeof defaultsShape>
export type WhereInput = z.infer<typeof where>

/** A level of the file: which keys it takes, and which ones a later version will. */
export interface Level {
  readonly name: string
  readonly keys: readonly string[]
  readonly later: readonly string[]
}

const FILE_LEVEL: Level = { name: 'the file', keys: Object.keys(fileShape.shape), later: [] }
const DEFAULTS_LEVEL: Level = { name: 'defaults', keys: Object.keys(defaultsShape.shape), later: [] }
const BUDGET_LEVEL: Level = {
  name: 'a budget',
  keys: Object.keys(budgetShape.shape),
  later: [],
}
const OVERRIDE_LEVEL: Level = { name: 'an override', keys: Object.keys(overrideShape.shape), later: [] }
const WHERE_LEVEL: Level = { name: 'where', keys: Object.keys(where.shape), later: [] }

/** The level that a path of the file leads to. */
export function levelAt(path: readonly PropertyKey[]): Level {
  const last = path.at(-1)
  if (last === undefined) return FILE_LEVEL
  if (last === 'defaults') return DEFAULTS_LEVEL
  if (last === 'where') return WHERE_LEVEL
  return path.includes('overrides') ? OVERRIDE_LEVEL : BUDGET_LEVEL
}
