import * as z from 'zod'
import { SloError } from '../errors.ts'
import { durationMs } from '../units.ts'
import type { ProbeOptions } from './options.ts'
import { problemLines } from './option-problems.ts'
import { promptSource } from './prompts.ts'
import { plainBody } from './request-body.ts'
import { duration, optional, positiveDuration, target, timeouts } from './target-schema.ts'
import { targetSpec } from './target-spec.ts'
import type { Probe, PromptSource } from './types.ts'

const NAME_RULE = 'a name has no control characters, no spaces at its ends, and is not "all" (pools are called so)'
const name = z
  .string()
  .min(1)
  .max(200)
  // oxlint-disable-next-line no-control-regex -- control characters are what this rule keeps out
  .refine((value) => value === value.trim() && !/[\u0000-\u001f\u007f]/.test(value) && value !== 'all', NAME_RULE)
const message = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })
const path = z.union([z.string().min(1), z.instanceof(URL)])
const prompt = z.union([
  z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function'),
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ops-notes'), words: z.int().min(1).max(1_000_000) }),
    z.strictObject({ type: z.literal('text'), text: z.string().min(1) }),
    z.strictObject({ type: z.literal('file'), path }),
    z.strictObject({ type: z.literal('messages'), messages: z.array(message).min(1) }),
    z.strictObject({ type: z.literal('jsonl'), path }),
  ]),
])
const count = z.int().min(1).max(1_000_000)
const options = z.strictObject({
  targets: z.record(z.string(), target),
  prompts: z.record(z.string(), prompt),
  schedule: z
    .strictObject({
      every: duration,
      rounds: optional(count),
      for: optional(positiveDuration),
      seed: optional(z.int().min(0)),
    })
    .refine((value) => (value.rounds === undefined) !== (value.for === undefined), 'give one of rounds and for'),
  request: optional(
    z.strictObject({
      maxTokens: optional(count),
      temperature: optional(z.number().min(0)),
      cache: optional(z.enum(['cold', 'warm'])),
      body: optional(z.record(z.string(), z.unknown())),
    }),
  ),
  timeouts: optional(timeouts),
  warmup: optional(z.int().min(0).max(1000)),
  labels: optional(z.record(z.string().min(1), z.string().optional())),
})

function nameProblems(kind: string, value: string): readonly string[] {
  const parsed = name.safeParse(value)
  return parsed.success ? [] : [`  ${kind}: ${parsed.error.issues[0]?.message ?? NAME_RULE}`]
}

function shapeProblems(declared: ProbeOptions): readonly string[] {
  return [
    ...(Object.keys(declared.targets).length === 0 ? ['  targets: give at least one'] : []),
    ...(Object.keys(declared.prompts).length === 0 ? ['  prompts: give at least one'] : []),
    ...Object.keys(declared.targets).flatMap((key) => nameProblems(`targets.${key}`, key)),
    ...Object.keys(declared.prompts).flatMap((key) => nameProblems(`prompts.${key}`, key)),
  ]
}

function definedLabels(labels: ProbeOptions['labels']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** A probe made plain, and the sources of its prompts, which stay where they were made. */
export interface DefinedProbe {
  readonly probe: Probe
  readonly sources: ReadonlyMap<string, PromptSource>
}

/**
 * Checks the options of one `probe()` call and makes them plain.
 * @param place - the spec file, relative to `root`, and the project's root
 * @throws SloError `PROBE_INVALID`, every problem in one message
 */
export function defineProbe(
  probeName: string,
  declared: ProbeOptions,
  place: { readonly file: string; readonly root: string },
): DefinedProbe {
  const title = `probe ${JSON.stringify(probeName)}`
  const parsed = options.safeParse(declared)
  const problems = [
    ...nameProblems('name', probeName),
    ...(parsed.success ? [] : problemLines(parsed.error)),
    ...(typeof declared?.targets === 'object' && typeof declared.prompts === 'object' ? shapeProblems(declared) : []),
  ]
  if (problems.length > 0) {
    throw new SloError('PROBE_INVALID', `${title} in ${place.file}:\n${problems.join('\n')}`, {
      hint: 'the options are listed in docs/spec-api.md',
    })
  }
  const sources = new Map(
    Object.entries(declared.prompts).map(([promptName, value]) => [
      promptName,
      promptSource(value, place.root, `${title}: prompts.${promptName}`),
    ]),
  )
  const { schedule, request } = declared
  return {
    sources,
    probe: {
      name: probeName,
      file: place.file,
      targets: Object.entries(declared.targets).map(([key, target]) =>
        targetSpec(key, target, declared.timeouts, place.root),
      ),
      prompts: [...sources].map(([key, source]) => ({ name: key, kind: source.kind, fingerprint: source.fingerprint })),
      request: {
        maxTokens: request?.maxTokens ?? 2000,
        temperature: request?.temperature ?? null,
        cache: request?.cache ?? 'cold',
        ...plainBody(request?.body),
      },
      schedule: {
        everyMs: durationMs(schedule.every) ?? 0,
        rounds: schedule.rounds ?? null,
        forMs: schedule.for === undefined ? null : (durationMs(schedule.for) ?? null),
        seed: schedule.seed ?? null,
      },
      warmup: declared.warmup ?? 1,
      labels: definedLabels(declared.labels),
    },
  }
}
