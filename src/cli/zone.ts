import { usageError } from './arguments.ts'

/** @throws SloError `USAGE` for a zone that nobody knows */
export function checkZone(command: string, zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone === '' ? undefined : zone
  } catch {
    throw usageError(command, `--tz ${zone} is no time zone`, 'write an IANA name, as Asia/Kolkata, Europe/Berlin, UTC')
  }
}
