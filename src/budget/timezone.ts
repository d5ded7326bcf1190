import type { BudgetDocument } from './document.ts'
import { nearestWord } from './nearest-word.ts'
import type { BudgetProblem } from './types.ts'

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** The nearest zone, by its city where the continent is left out. */
function nearestZone(name: string): string | undefined {
  // Runtimes list some zones under an old name only, though they know the new one.
  const zones = ['UTC', 'Asia/Kolkata', 'Europe/Kyiv', ...Intl.supportedValuesOf('timeZone')]
  const city = name.split('/').at(-1) ?? name
  const cities = new Map(zones.map((zone) => [zone.split('/').at(-1) ?? zone, zone]))
  return nearestWord(name, zones) ?? cities.get(nearestWord(city, [...cities.keys()]) ?? '')
}

/** At most one: the zone is none that this runtime knows. Anything but a text is the structure's matter. */
export function timezoneProblems(value: unknown, document: BudgetDocument): BudgetProblem[] {
  if (typeof value !== 'string' || value === '' || isTimezone(value)) return []
  const nearest = nearestZone(value)
  const hint = nearest === undefined ? 'write an IANA name: UTC, Asia/Kolkata' : `did you mean \`${nearest}\`?`
  return [
    document.problem(
      'error',
      'unknown-timezone',
      `\`${value}\` is no time zone`,
      document.valueSpan(['timezone']),
      hint,
    ),
  ]
}
