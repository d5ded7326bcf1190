import * as z from 'zod'
import { durationMs } from '../units.ts'

/** What the keys about earlier runs look like, apart from the others. */

const DURATION_PATTERN = String.raw`^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)\s*$`

const duration = z
  .string()
  .refine((text) => (durationMs(text) ?? 0) > 0, 'must be a time with a unit: 7d, 24h')
  .meta({ pattern: DURATION_PATTERN, examples: ['7d', '24h'] })

/** `window: 7d` or `window: { for: 7d, same: [build] }`. */
export const windowShape = z
  .union([
    duration,
    z.strictObject({
      for: duration.meta({ description: 'How far back.', pattern: DURATION_PATTERN, examples: ['7d'] }),
      same: z
        .array(z.string().min(1))
        .min(1)
        .exactOptional()
        .meta({ description: 'Labels that must be the same, too.', examples: [['build']] }),
    }),
  ])
  .meta({
    description:
      'Rows of earlier runs count, back to this time: same probe, target, prompt and model. Simulated and real rows never mix.',
    examples: ['7d'],
  })

/** `baseline: current`, `{ target: current }`, `{ file: last.csv }` or `{ history: 30d }`. */
export const baselineShape = z
  .union([
    z.string().min(1),
    z.strictObject({ target: z.string().min(1).meta({ description: 'Another target of the same probe, same run.' }) }),
    z.strictObject({
      file: z.string().min(1).meta({ description: 'The samples.csv of earlier runs; relative to slo.yaml.' }),
    }),
    z.strictObject({
      history: duration.meta({
        description: 'The passing runs of samples.csv, back to this time.',
        pattern: DURATION_PATTERN,
        examples: ['30d'],
      }),
    }),
  ])
  .meta({
    description:
      'What `baseline` in the limit means: another target of the same run, a CSV of earlier runs, or the passing runs of the history.',
    examples: ['current', { file: 'baseline.csv' }, { history: '30d' }],
  })

export const floorShape = z
  .string()
  .min(1)
  .meta({ description: 'With a baseline: differences below this never fail.', examples: ['50ms', '2 tok/s'] })

export const failAfterShape = z
  .int()
  .min(1)
  .max(100)
  .meta({
    description: 'Runs in a row that must breach before one fails; those before only warn. Default: 1.',
    examples: [2],
  })

const globs = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)])

const acknowledgement = z.strictObject({
  where: z
    .strictObject({
      probe: globs.exactOptional().meta({ description: 'A glob or a list of them.' }),
      target: globs.exactOptional().meta({ description: 'A glob or a list of them.' }),
      prompt: globs.exactOptional().meta({ description: 'A glob or a list of them.' }),
    })
    .exactOptional()
    .meta({ description: 'Which cells. Default: all of the budget.' }),
  until: z
    .string()
    .refine(isDay, 'must be a day: 2026-12-31')
    .meta({
      description: 'The last day on which it holds, in `timezone`.',
      pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
      examples: ['2026-12-31'],
    }),
  reason: z.string().min(1).meta({ description: 'Why it is accepted; shown with every finding.' }),
  up_to: z
    .string()
    .min(1)
    .exactOptional()
    .meta({ description: 'Accepted up to this value; beyond it the budget fails as ever.', examples: ['40s', '3%'] }),
})

/** A day of the calendar as `2026-12-31`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00.000Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** `acknowledge: { where, until, reason, up_to }`, or a list of them. */
export const acknowledgeShape = z.union([acknowledgement, z.array(acknowledgement).min(1)]).meta({
  description:
    'A breach that is known: judged and shown as ever, it fails nothing until that day and up to that value.',
})

export type AcknowledgementInput = z.infer<typeof acknowledgement>
export type BaselineInput = z.infer<typeof baselineShape>
export type WindowInput = z.infer<typeof windowShape>
