import * as z from 'zod'
import { SloError } from '../errors.ts'
import { durationMs } from '../units.ts'
import type { DurationText } from '../units.ts'

/** Options of `slo()`. */
export interface SloOptions {
  /** Globs of the files that declare probes, relative to the root. @default ['**\/*.probe.{ts,mts,js,mjs}'] */
  readonly include?: readonly string[] | undefined
  /** The budgets' file, relative to the root; `SLO_BUDGETS` wins. @default 'slo.yaml' */
  readonly budgets?: string | undefined
  /** Where samples and reports go, relative to the root; `SLO_OUT` wins. @default 'slo-report' */
  readonly outDir?: string | undefined
  /** Never go on with an unfinished run; `SLO_FRESH=1` does the same. @default false */
  readonly fresh?: boolean | undefined
  /** How old the last row of an unfinished run may be for it to go on. @default the larger of '1h' and 2 × `every` */
  readonly resumeWithin?: DurationText | undefined
  /** The run ends cleanly when the sum of `cost` reaches this; one currency only. @default none */
  readonly maxCost?: number | undefined
  /** `strict` leaves out of `junit.xml` what the Jenkins schema does not know. @default { strict: false } */
  readonly junit?: { readonly strict?: boolean | undefined } | undefined
}

/** The same, checked, with defaults; durations in milliseconds. */
export interface ResolvedSloOptions {
  readonly include: readonly string[]
  /** `null`: the default file, which may be missing. */
  readonly budgets: string | null
  readonly outDir: string
  readonly fresh: boolean
  readonly resumeWithinMs: number | null
  readonly maxCost: number | null
  readonly junit: { readonly strict: boolean }
}

const schema = z.strictObject({
  include: z.array(z.string().min(1)).min(1).optional(),
  budgets: z.string().min(1).optional(),
  outDir: z.string().min(1).optional(),
  fresh: z.boolean().optional(),
  resumeWithin: z
    .string()
    .refine((value) => durationMs(value) !== undefined, 'not a duration; write 1h, 30m')
    .optional(),
  maxCost: z.number().positive().optional(),
  junit: z.strictObject({ strict: z.boolean().optional() }).optional(),
})

/** @throws SloError `CONFIG_INVALID`, every wrong option in one message */
export function resolveSloOptions(options: SloOptions): ResolvedSloOptions {
  const parsed = schema.safeParse(options)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(
      (issue) => `  ${issue.path.map(String).join('.') || 'options'}: ${issue.message}`,
    )
    throw new SloError('CONFIG_INVALID', `slo() in vitest.config.ts:\n${lines.join('\n')}`)
  }
  const { include, budgets, outDir, fresh, resumeWithin, maxCost, junit } = parsed.data
  return {
    include: include ?? ['**/*.probe.{ts,mts,js,mjs}'],
    budgets: budgets ?? null,
    outDir: outDir ?? 'slo-report',
    fresh: fresh ?? false,
    resumeWithinMs: resumeWithin === undefined ? null : (durationMs(resumeWithin) ?? null),
    maxCost: maxCost ?? null,
    junit: { strict: junit?.strict ?? false },
  }
}
