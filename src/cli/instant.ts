import { SloError } from '../errors.ts'
import { isoTime } from '../units.ts'

/**
 * An instant as others write it, in our spelling: ISO 8601 (UTC where no zone is given), seconds or milliseconds since 1970; `''` for none.
 * @throws SloError `SAMPLES_UNREADABLE`
 */
export function instantOf(text: string | undefined, place: string): string {
  const trimmed = text?.trim() ?? ''
  if (trimmed === '') return ''
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) {
    const number = Number(trimmed)
    return isoTime(number < 1e11 ? number * 1000 : number)
  }
  const spelled = trimmed.replace(/^(\d{4}-\d\d-\d\d) /, '$1T').replace(/ ?([+-]\d\d:?\d\d|Z)$/, '$1')
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(spelled)
  const isDate = /^\d{4}-\d\d-\d\d$/.test(spelled)
  const time = Date.parse(hasZone || isDate ? spelled : `${spelled}Z`)
  if (!Number.isNaN(time)) return isoTime(time)
  throw new SloError('SAMPLES_UNREADABLE', `${place}: started_at is ${JSON.stringify(trimmed)}, not a time`, {
    hint: 'times are ISO 8601, or seconds or milliseconds since 1970',
  })
}
