import { nearestWord } from '../budget/index.ts'
import { SloError } from '../errors.ts'
import { parseDuration } from '../units.ts'

/** The variables that change a run, read once. Durations in milliseconds. */
export interface RunEnvironment {
  readonly run: boolean
  readonly simulate: boolean
  /** `null`: not set. */
  readonly timeScale: number | null
  readonly rounds: number | null
  readonly everyMs: number | null
  readonly forMs: number | null
  readonly seed: number | null
  readonly budgets: string | null
  readonly out: string | null
  readonly fresh: boolean
  readonly region: string | null
  /** Those that change the schedule or the targets, as set, for the run's record. */
  readonly overrides: Readonly<Record<string, string>>
}

type Variables = Readonly<Record<string, string | undefined>>

/** Every variable of ours; another one whose name is near to one of these is taken for a slip of the pen. */
const KNOWN = [
  'SLO_RUN',
  'SLO_SIMULATE',
  'SLO_TIME_SCALE',
  'SLO_ROUNDS',
  'SLO_EVERY',
  'SLO_FOR',
  'SLO_SEED',
  'SLO_BUDGETS',
  'SLO_OUT',
  'SLO_FRESH',
  'SLO_REGION',
] as const

function refuseMisspelt(variables: Variables): void {
  for (const key of Object.keys(variables)) {
    if (!key.startsWith('SLO_') || variables[key] === undefined || KNOWN.some((known) => known === key)) continue
    const squeezed = key.replace(/^SLO_/, '').replaceAll('_', '')
    const meant =
      KNOWN.find((known) => known.replace(/^SLO_/, '').replaceAll('_', '') === squeezed) ??
      nearestWord(
        key.slice(4),
        KNOWN.map((known) => known.slice(4)),
      )
    if (meant === undefined) continue
    const name = meant.startsWith('SLO_') ? meant : `SLO_${meant}`
    throw new SloError('CONFIG_INVALID', `${key} is no variable of vitest-slo`, { hint: `did you mean ${name}?` })
  }
}

const RECORDED = ['SLO_SIMULATE', 'SLO_TIME_SCALE', 'SLO_ROUNDS', 'SLO_EVERY', 'SLO_FOR', 'SLO_SEED'] as const
const YES = new Set(['1', 'true', 'yes', 'on'])
const NO = new Set(['', '0', 'false', 'no', 'off'])

function value(variables: Variables, key: string): string | null {
  const raw = variables[key]?.trim()
  return raw === undefined || raw === '' ? null : raw
}

function flag(variables: Variables, key: string): boolean {
  const raw = (variables[key] ?? '').trim().toLowerCase()
  if (YES.has(raw)) return true
  if (NO.has(raw)) return false
  throw new SloError('CONFIG_INVALID', `${key}=${raw} is neither yes nor no`, {
    hint: `write ${key}=1, or leave it out`,
  })
}

function number(variables: Variables, key: string, check: (n: number) => boolean, rule: string): number | null {
  const raw = value(variables, key)
  if (raw === null) return null
  const parsed = Number(raw)
  if (Number.isFinite(parsed) && check(parsed)) return parsed
  throw new SloError('CONFIG_INVALID', `${key}=${raw} must be ${rule}`)
}

function duration(variables: Variables, key: string): number | null {
  const raw = value(variables, key)
  return raw === null ? null : parseDuration(raw, key)
}

/**
 * Reads the `SLO_` variables.
 * @throws SloError `CONFIG_INVALID` for a value that makes no sense, `ENV_CONFLICT` for two that contradict each other
 */
export function readEnvironment(variables: Variables): RunEnvironment {
  refuseMisspelt(variables)
  const simulate = flag(variables, 'SLO_SIMULATE')
  const timeScale = number(variables, 'SLO_TIME_SCALE', (n) => n >= 1 && n <= 10_000, 'a number from 1 to 10000')
  if (timeScale !== null && !simulate) {
    throw new SloError('ENV_CONFLICT', 'SLO_TIME_SCALE is set without SLO_SIMULATE=1', {
      hint: 'a real provider cannot be sped up: set SLO_SIMULATE=1 as well, or leave SLO_TIME_SCALE out',
    })
  }
  const rounds = number(variables, 'SLO_ROUNDS', (n) => Number.isInteger(n) && n >= 1, 'a whole number from 1')
  const forMs = duration(variables, 'SLO_FOR')
  if (rounds !== null && forMs !== null) {
    throw new SloError('ENV_CONFLICT', 'SLO_ROUNDS and SLO_FOR are both set', {
      hint: 'one of them ends the run: leave the other out',
    })
  }
  return {
    run: flag(variables, 'SLO_RUN'),
    simulate,
    timeScale,
    rounds,
    everyMs: duration(variables, 'SLO_EVERY'),
    forMs,
    seed: number(variables, 'SLO_SEED', (n) => Number.isSafeInteger(n) && n >= 0, 'a whole number from 0'),
    budgets: value(variables, 'SLO_BUDGETS'),
    out: value(variables, 'SLO_OUT'),
    fresh: flag(variables, 'SLO_FRESH'),
    region: value(variables, 'SLO_REGION'),
    overrides: Object.fromEntries(
      RECORDED.flatMap((key) => {
        const set = value(variables, key)
        return set === null ? [] : [[key, set]]
      }),
    ),
  }
}
