/** Times of day in a zone. */

/** The zone, or UTC where nobody knows it. */
export function knownZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).format(0) === '' ? 'UTC' : timeZone
  } catch {
    return 'UTC'
  }
}

/**
 * The hour of the day, 0 to 23, of instants in a zone.
 * @returns a function of milliseconds since 1970
 */
export function hourIn(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: knownZone(timeZone), hour: '2-digit', hourCycle: 'h23' })
  // zones shift at full quarters of an hour only
  const known = new Map<number, number>()
  return (ms) => {
    const quarter = Math.floor(ms / 900_000)
    let hour = known.get(quarter)
    if (hour === undefined) {
      hour = Number(format.format(quarter * 900_000))
      known.set(quarter, hour)
    }
    return hour
  }
}

/** `2026-10-28 05:30` in the zone; the text itself where it is no time. */
export function localTime(iso: string, timeZone: string): string {
  const ms = Date.parse(iso)
  if (Number.isNaN(ms)) return iso === '' ? 'unknown' : iso
  // the Swedish locale writes ISO 8601 order
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: knownZone(timeZone),
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(ms)
}
