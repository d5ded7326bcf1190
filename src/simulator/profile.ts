import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { SimulatorError } from './errors.ts'

const table = z
  .array(z.tuple([z.number().min(0).max(1), z.number().positive()]))
  .min(2)
  .refine((knots) => knots[0]?.[0] === 0 && knots.at(-1)?.[0] === 1, 'the first probability must be 0, the last 1')
  .refine(
    (knots) =>
      knots.every((knot, i) => i === 0 || (knot[0] >= (knots[i - 1]?.[0] ?? 0) && knot[1] >= (knots[i - 1]?.[1] ?? 0))),
    'probabilities and values must ascend',
  )

const length = z.strictObject({
  /** Tokens of the prompt that the tables of this entry hold for. */
  promptTokens: z.number().int().positive(),
  /** Milliseconds to the first token. */
  ttftMs: table,
  /** Tokens of reasoning before the answer, were there no cap; absent: the model does not reason. */
  reasoningTokens: table.optional(),
})

const profileSchema = z.strictObject({
  $schema: z.string().optional(),
  /** What is published, what is assumed. */
  notes: z.array(z.string()),
  /** `promptTokens = fixed + perWord × words of all messages`, rounded. */
  promptTokens: z.strictObject({ fixed: z.number().min(0), perWord: z.number().positive() }),
  /** The cap where the request sets none. */
  maxTokens: z.number().int().positive(),
  /** Ascending by `promptTokens`. */
  lengths: z
    .record(z.string(), length)
    .refine((lengths) => Object.keys(lengths).length > 0, 'at least one prompt length')
    .refine((lengths) => {
      const sizes = Object.values(lengths).map((entry) => entry.promptTokens)
      return sizes.every((size, i) => i === 0 || size > (sizes[i - 1] ?? 0))
    }, 'prompt lengths must ascend by promptTokens')
    .refine((lengths) => {
      const reasons = new Set(Object.values(lengths).map((entry) => entry.reasoningTokens !== undefined))
      return reasons.size === 1
    }, 'either every prompt length reasons or none does'),
  /** Tokens per second between the first token and the last. */
  tokensPerSecond: table,
  answerTokens: table,
  tokensPerEvent: table,
  /** When the response's headers and its first, role-only event come, as shares of TTFT. */
  headersShare: z.number().min(0).max(1),
  roleShare: z.number().min(0).max(1),
  /** Failures by the name of a fault; what is left of the probability succeeds. */
  errors: z.array(
    z.strictObject({ fault: z.string(), probability: z.number().min(0).max(1), afterMs: z.number().min(0) }),
  ),
})

/** How one provider behaves: distributions and shares, see the fields of a file in `fixtures/profiles/`. */
export type Profile = z.infer<typeof profileSchema> & { readonly name: string }

/** The profile of every target that has none of its own. */
export const defaultProfile = 'default'

/** Where the profiles of the package are. */
const profilesFolder = fileURLToPath(new URL('../../fixtures/profiles/', import.meta.url))

/** Names of the profiles there are, sorted. */
export function profileNames(profilesDir: string = profilesFolder): readonly string[] {
  return readdirSync(profilesDir)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort()
}

/**
 * Checks a profile.
 * @param source - names it in errors
 * @throws SimulatorError `PROFILE_INVALID`, with every problem
 */
export function parseProfile(text: string, name: string, source: string): Profile {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new SimulatorError('PROFILE_INVALID', `${source} is not JSON: ${(error as Error).message}`, undefined, error)
  }
  const parsed = profileSchema.safeParse(json)
  if (!parsed.success) {
    throw new SimulatorError('PROFILE_INVALID', `${source} is no profile:\n${z.prettifyError(parsed.error)}`)
  }
  const sum = parsed.data.errors.reduce((total, error) => total + error.probability, 0)
  if (sum > 1) throw new SimulatorError('PROFILE_INVALID', `${source}: the probabilities of its errors sum to ${sum}`)
  return { ...parsed.data, name }
}

/**
 * A profile by its name, or by the path of a file (with `/`, `\` or the ending `.json`; relative to the working directory).
 * @throws SimulatorError `PROFILE_INVALID`; for an unknown name the hint lists the profiles there are
 */
export function loadProfile(nameOrPath: string, profilesDir: string = profilesFolder): Profile {
  const isPath = /[/\\]|\.json$/.test(nameOrPath)
  const names = isPath ? [] : profileNames(profilesDir)
  if (!isPath && !names.includes(nameOrPath)) {
    throw new SimulatorError(
      'PROFILE_INVALID',
      `there is no simulator profile ${JSON.stringify(nameOrPath)}`,
      `the profiles are ${names.join(', ')}; or give the path of a profile file, as ./my-model.json`,
    )
  }
  const path = isPath ? resolve(nameOrPath) : join(profilesDir, `${nameOrPath}.json`)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new SimulatorError(
      'PROFILE_INVALID',
      `cannot read the simulator profile ${path}: ${(error as Error).message}`,
      `is it in ${dirname(path)}? A name without a path is one of ${profileNames(profilesFolder).join(', ')}`,
      error,
    )
  }
  return parseProfile(text, basename(path, '.json'), path)
}
