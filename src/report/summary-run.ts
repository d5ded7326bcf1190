import { formatMs } from '../units.ts'
import { knownZone, localTime } from './local-time.ts'
import { markdownText } from './markdown.ts'
import { formatCount } from './numbers.ts'
import type { ListSection } from './sections.ts'
import type { Note, RunReport, RunSummary } from './types.ts'

const MAX_NOTE = 2000

function whenInWords(run: RunSummary): string {
  const zone = knownZone(run.timezone)
  const lasted = Date.parse(run.endedAt) - Date.parse(run.startedAt)
  const duration = Number.isFinite(lasted) && lasted >= 0 ? `, ${formatMs(lasted)}` : ''
  const local = `${localTime(run.startedAt, zone)} to ${localTime(run.endedAt, zone)} ${zone}${duration}`
  return `${local} (UTC: ${run.startedAt} to ${run.endedAt})`
}

function completeInWords(run: RunSummary): string {
  if (run.interrupted === true) return 'no: interrupted'
  if (run.complete === null) return 'unknown'
  if (run.stoppedEarly === true) return 'stopped early: every verdict was certain'
  return run.complete ? 'yes' : 'no: it ended early'
}

/** Said loudly, before anything else; in the words of the note that knows how many samples it concerns. */
export function simulatedBanner(report: RunReport): string[] {
  if (!report.run.simulated) return []
  const scale = report.run.timeScale === undefined ? '' : ` at time scale ×${report.run.timeScale}`
  const told = report.notes.find((note) => note.code === 'simulated')?.message
  const words = told ?? `SIMULATED, not measured: samples came from the built-in simulator${scale}`
  return ['', '> [!CAUTION]', `> **${markdownText(words, MAX_NOTE)}**`]
}

/** When it ran, how much of it, whether all of it. */
export function factsOfRun({ run }: RunReport): (readonly [string, string])[] {
  const samples =
    run.planned === null
      ? `${formatCount(run.sampled)}, planned: unknown`
      : `${formatCount(run.sampled)} of ${formatCount(run.planned)} planned`
  return [
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
}

/** The same as a section. */
export function runSection(report: RunReport): ListSection[] {
  return [
    {
      head: ['', '## Run', ''],
      items: factsOfRun(report).map(([name, fact]) => [`- ${name}: ${markdownText(fact)}`]),
      omitted: (count) => `${count} facts of the run are left out here; report.json has them.`,
    },
  ]
}

function noteLine(note: Note): string {
  const place = [note.probe, note.target, note.prompt].filter((name) => name !== undefined).join(' / ')
  return `- ${place === '' ? '' : `${markdownText(place)}: `}${markdownText(note.message, MAX_NOTE)} (${markdownText(note.code)})`
}

/** What a reader should know. */
export function notesSection(report: RunReport): ListSection[] {
  // the banner has said it
  const notes = report.notes.filter((note) => note.code !== 'simulated')
  if (notes.length === 0) return []
  return [
    {
      head: ['', '## Notes', ''],
      items: notes.map((note) => [noteLine(note)]),
      omitted: (count) => `${formatCount(count)} more notes are left out here; report.json has them all.`,
    },
  ]
}
