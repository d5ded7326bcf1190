import { z } from 'zod'

import type { RunLine } from './types.ts'

const cell = { probe: z.string(), target: z.string(), prompt: z.string() }
const selection = z.looseObject({
  cells: z.array(z.looseObject(cell)),
  skipped: z.array(z.looseObject({ ...cell, budget: z.string() })),
})
const texts = z.record(z.string(), z.string())

/** Fields of later versions are kept, and passed over. */
const runLine = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('start'),
    run_id: z.string(),
    plan: z.string(),
    started_at: z.string(),
    seeds: z.record(z.string(), z.number()),
    planned: z.number().nullable(),
    cells: z.array(z.looseObject({ ...cell, planned: z.number().nullable() })),
    overrides: texts,
    versions: texts,
    currencies: z.array(z.looseObject({ probe: z.string(), target: z.string(), currency: z.string() })),
    selection: selection.exactOptional(),
  }),
  z.looseObject({ type: z.literal('resume'), run_id: z.string(), resumed_at: z.string(), present: z.number() }),
  z.looseObject({
    type: z.literal('end'),
    run_id: z.string(),
    ended_at: z.string(),
    sampled: z.number(),
    missed_rounds: z.number(),
    complete: z.boolean(),
    interrupted: z.boolean(),
    reason: z.string().exactOptional(),
    passed: z.boolean().exactOptional(),
    stopped_early: z.boolean().exactOptional(),
    notes: z.array(
      z.looseObject({
        code: z.string(),
        message: z.string(),
        probe: z.string().exactOptional(),
        target: z.string().exactOptional(),
        prompt: z.string().exactOptional(),
      }),
    ),
  }),
])

/** A line of `runs.jsonl`, or `null` where the text is none: damaged, or of a type that this version does not know. */
export function parseRunLine(text: string): RunLine | null {
  try {
    const parsed = runLine.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** One line of `runs.jsonl`, LF at its end. */
export function encodeRunLine(line: RunLine): string {
  return `${JSON.stringify(line)}\n`
}
