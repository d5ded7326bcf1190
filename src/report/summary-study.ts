import { markdownText } from './markdown.ts'
import type { Column } from './markdown.ts'
import { ABSENT, formatCount, formatShare, formatTableMs } from './numbers.ts'
import { tableSection } from './sections.ts'
import type { ListSection } from './sections.ts'
import { knownZone } from './local-time.ts'
import type { RunReport, StudyRegion, StudyTarget } from './types.ts'
import { trim } from '../units.ts'

const right = (title: string): Column => ({ title, right: true })
const names: readonly Column[] = [{ title: 'Probe' }, { title: 'Target' }]
const nameCells = ({ probe, target }: StudyTarget): string[] => [markdownText(probe), markdownText(target)]
const omitted = (count: number): string =>
  `${formatCount(count)} more rows are left out here; report.json has them all.`
const count = (value: number | null): string => (value === null ? ABSENT : formatCount(value))
const hour = (value: number): string => String(value).padStart(2, '0')

/** `00–06`, as tables and pages call a block. */
export function blockName(block: { readonly fromHour: number; readonly toHour: number }): string {
  return `${hour(block.fromHour)}–${hour(block.toHour)}`
}

/** A signed ratio as percent: `14 %`; a dash where there is none. */
export function shiftInWords(shift: number | null): string {
  return shift === null ? ABSENT : `${trim(shift * 100, 1)} %`
}

function promptSection(study: readonly StudyTarget[]): ListSection {
  const columns = [
    ...names,
    { title: 'Prompt' },
    ...['prompt tokens p50', 'TTFT p50', 'TTFT per 1,000 prompt tokens'].map(right),
  ]
  const rows = study.flatMap((target) =>
    target.prompts.map((prompt, index) => [
      ...nameCells(target),
      markdownText(prompt.prompt),
      count(prompt.promptTokensP50),
      formatTableMs(prompt.ttftP50),
      index === 0 ? formatTableMs(target.msPerThousandTokens) : '',
    ]),
  )
  const method = 'Per 1,000 tokens: least squares through the medians of the prompt lengths.'
  return tableSection(['', '## Prompt lengths', '', method], columns, rows, omitted)
}

function blockSection(study: readonly StudyTarget[], zone: string): ListSection[] {
  if (study.every(({ blocks }) => blocks.every(({ n }) => n === 0))) return []
  const columns = [
    ...names,
    ...(study[0]?.blocks ?? []).map((block) => right(blockName(block))),
    right('largest shift'),
    right('n a block'),
  ]
  const rows = study.map((target) => {
    const sizes = target.blocks.map(({ n }) => n)
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)]
    return [
      ...nameCells(target),
      ...target.blocks.map(({ ttftP50 }) => formatTableMs(ttftP50)),
      shiftInWords(target.largestShift),
      least === most ? formatCount(most) : `${formatCount(least)}–${formatCount(most)}`,
    ]
  })
  const method = 'Median TTFT; the shift is (slowest block − fastest) / fastest.'
  return [
    tableSection(['', `## Blocks of the day (${markdownText(knownZone(zone))})`, '', method], columns, rows, omitted),
  ]
}

/** Columns of a target's regions, behind its names. */
export const REGION_COLUMNS: readonly Column[] = [
  { title: 'Region' },
  ...['n', 'failed', 'error rate', 'TTFT p50', 'p95', 'p99'].map(right),
]

/** A row for {@link REGION_COLUMNS}, plain text. */
export function regionRow({ region, n, failed, ttftP50, ttftP95, ttftP99 }: StudyRegion): string[] {
  return [
    region === '' ? 'not named' : region,
    formatCount(n),
    formatCount(failed),
    formatShare(failed, n),
    formatTableMs(ttftP50),
    formatTableMs(ttftP95),
    formatTableMs(ttftP99),
  ]
}

/** Of targets that were asked from several regions. */
function regionSection(study: readonly StudyTarget[]): ListSection[] {
  const rows = study.flatMap((target) =>
    (target.regions ?? []).map((region) => [
      ...nameCells(target),
      ...regionRow(region).map((cell) => markdownText(cell)),
    ]),
  )
  if (rows.length === 0) return []
  return [tableSection(['', '## Regions, over all prompts'], [...names, ...REGION_COLUMNS], rows, omitted)]
}

function tailSection(study: readonly StudyTarget[]): ListSection {
  const columns = [
    ...names,
    ...['successes', 'TTFT > 10 s', '> 30 s', '> 60 s', 'total > 60 s', 'slowest TTFT', 'slowest total'].map(right),
  ]
  const rows = study.map((target) => [
    ...nameCells(target),
    formatCount(target.ok),
    formatCount(target.tail.ttftOver10s),
    formatCount(target.tail.ttftOver30s),
    formatCount(target.tail.ttftOver60s),
    formatCount(target.tail.totalOver60s),
    formatTableMs(target.tail.slowestTtft),
    formatTableMs(target.tail.slowestTotal),
  ])
  return tableSection(['', '## Tail'], columns, rows, omitted)
}

/** Of targets that reason, or that end at the cap or without an answer. */
function reasoningSection(study: readonly StudyTarget[]): ListSection[] {
  const told = study.filter(({ prompts }) =>
    prompts.some(({ reasoned, capped, neverAnswered }) => reasoned + capped + neverAnswered > 0),
  )
  if (told.length === 0) return []
  const columns = [
    ...names,
    { title: 'Prompt' },
    ...['first answer p50', 'p95', 'stopped at the cap', 'never answered', 'of'].map(right),
  ]
  const rows = told.flatMap((target) =>
    target.prompts.map((prompt) => [
      ...nameCells(target),
      markdownText(prompt.prompt),
      formatTableMs(prompt.firstAnswerP50),
      formatTableMs(prompt.firstAnswerP95),
      `${formatCount(prompt.capped)} (${formatShare(prompt.capped, prompt.ok)})`,
      `${formatCount(prompt.neverAnswered)} (${formatShare(prompt.neverAnswered, prompt.ok)})`,
      formatCount(prompt.ok),
    ]),
  )
  return [tableSection(['', '## Reasoning and answers'], columns, rows, omitted)]
}

function eventSection(study: readonly StudyTarget[]): ListSection[] {
  if (study.every(({ tokensPerEventP50 }) => tokensPerEventP50 === null)) return []
  const columns = [...names, right('tokens per event p50'), right('correlation with tok/s')]
  const rows = study.map((target) => [
    ...nameCells(target),
    target.tokensPerEventP50 === null ? ABSENT : trim(target.tokensPerEventP50, 2),
    target.speedCorrelation === null ? ABSENT : target.speedCorrelation.toFixed(2),
  ])
  return [tableSection(['', '## Tokens per event'], columns, rows, omitted)]
}

/** The study's own tables. */
export function studySections(report: RunReport): ListSection[] {
  const study = report.study ?? []
  if (study.length === 0) return []
  return [
    promptSection(study),
    ...blockSection(study, report.run.timezone),
    ...regionSection(study),
    tailSection(study),
    ...reasoningSection(study),
    ...eventSection(study),
  ]
}
