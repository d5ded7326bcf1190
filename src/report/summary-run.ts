import { formatMs } from '../units.ts'
import { markdownText } from './markdown.ts'
import { formatCount } from './numbers.ts'
import type { ListSection } from './sections.ts'
import type { Note, RunReport, RunSummary } from './types.ts'

/** `2026-10-28 05:30` in the run's zone; the text itself where it is no time. */
function localTime(iso: string, timeZone: string): string {
  const ms = Date.parse(iso)
  if (Number.isNaN(ms)) return iso
  try {
    // the Swedish locale writes ISO 8601 order
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(ms)
  } catch {
    return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
  }
}

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).format(0) !== ''
  } catch {
    return false
  }
}

function whenInWords(run: RunSummary): string {
  const zone = isZone(run.timezone) ? run.timezone : 'UTC'
  const lasted = Date.parse(run.endedAt) - Date.parse(run.startedAt)
  const duration = Number.isFinite(lasted) && lasted >= 0 ? `, ${formatMs(lasted)}` : ''
  const local = `${localTime(run.startedAt, zone)} to ${localTime(run.endedAt, zone)} ${zone}${duration}`
  return `${local} (UTC: ${run.startedAt} to ${run.endedAt})`
}

function completeInWords(run: RunSummary): string {
  if (run.interrupted) return 'no: interrupted'
  return run.complete ? 'yes' : 'no: it ended early'
}

/** Said loudly, before anything else. */
export function simulatedBanner(run: RunSummary): string[] {
  if (!run.simulated) return []
  const scale = run.timeScale === undefined ? '' : ` at time scale ×${run.timeScale}`
  return [
    '',
    '> [!CAUTION]',
    `> **SIMULATED, not measured**: samples of the built-in simulator${scale}. No provider was asked for them.`,
  ]
}

/** When it ran, how much of it, whether all of it. */
export function runSection(report: RunReport): ListSection[] {
  const { run } = report
  const samples =
    run.planned === null
      ? formatCount(run.sampled)
      : `${formatCount(run.sampled)} of ${formatCount(run.planned)} planned`
  const facts: [string, string][] = [
    ['Run', run.id === '' ? 'none' : run.id],
    ['When', whenInWords(run)],
    ['Samples', samples],
    ['Missed rounds', run.missedRounds === null ? 'unknown' : formatCount(run.missedRounds)],
    ['Complete', completeInWords(run)],
    [
      'Simulated',
      run.simulated ? `yes${run.timeScale === undefined ? '' : `, time scale ×${run.timeScale}`}: not measured` : 'no',
    ],
  ]
  return [
    {
      head: ['', '## Run', ''],
      items: facts.map(([name, fact]) => [`- ${name}: ${markdownText(fact)}`]),
      omitted: (count) => `${count} facts of the run are left out here; report.json has them.`,
    },
  ]
}

function noteLine(note: Note): string {
  const place = [note.probe, note.target, note.prompt].filter((name) => name !== undefined).join(' / ')
  return `- ${place === '' ? '' : `${markdownText(place)}: `}${markdownText(note.message)} (${markdownText(note.code)})`
}

/** What a reader should know. */
export function notesSection(report: RunReport): ListSection[] {
  if (report.notes.length === 0) return []
  return [
    {
      head: ['', '## Notes', ''],
      items: report.notes.map((note) => [noteLine(note)]),
      omitted: (count) => `${formatCount(count)} more notes are left out here; report.json has them all.`,
    },
  ]
}
