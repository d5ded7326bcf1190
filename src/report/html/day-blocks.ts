import { knownZone } from '../local-time.ts'
import { formatCount, formatShare, formatTableMs } from '../numbers.ts'
import { blockName, shiftInWords } from '../summary-study.ts'
import { escaped } from './escape.ts'
import { BOTTOM, coordinate, figure, LEFT, RIGHT } from './frame.ts'
import { fromZero, shortMs } from './scales.ts'
import { htmlTable, left, right } from './table.ts'
import type { TargetView } from './target-view.ts'

/** Median TTFT by block of the day. */
export function blocksChart(view: TargetView): string {
  const { study, report } = view
  const zone = knownZone(report.run.timezone)
  const told = study.blocks.filter(({ ttftP50 }) => ttftP50 !== null)
  if (told.length === 0) return ''
  const y = fromZero(
    'median time to first token',
    'y',
    told.map(({ ttftP50 }) => ttftP50 ?? 0),
    shortMs,
  )
  const width = (RIGHT - LEFT) / study.blocks.length
  const places = study.blocks.map((block, index) => ({ block, at: LEFT + width * (index + 0.5) }))
  const bars = places.flatMap(({ block, at }) =>
    block.ttftP50 === null
      ? []
      : [
          `<rect class="dot s0" x="${coordinate(at - width / 3)}" width="${coordinate((width / 3) * 2)}" y="${coordinate(y.of(block.ttftP50))}" height="${coordinate(Math.max(0, BOTTOM - y.of(block.ttftP50)))}"/><text x="${coordinate(at)}" y="${coordinate(y.of(block.ttftP50) - 5)}" text-anchor="middle">${escaped(formatTableMs(block.ttftP50))}</text>`,
        ],
  )
  const shift =
    study.largestShift === null
      ? 'one block only: no shift'
      : `the slowest block's median is ${shiftInWords(study.largestShift)} above the fastest's`
  return figure({
    id: `${view.id}-blocks`,
    title: `Blocks of the day, ${zone}`,
    description: `Median TTFT over all prompts; ${shift}.`,
    x: { label: `hours, ${zone}`, ticks: places.map(({ block, at }) => ({ at, text: blockName(block) })) },
    y: y.axis,
    keys: [],
    marks: bars.join('\n'),
    table: htmlTable(
      'Blocks of the day',
      [left('hours'), right('n'), right('failed'), right('error rate'), right('median TTFT')],
      study.blocks.map((block) => [
        blockName(block),
        formatCount(block.n),
        formatCount(block.failed),
        formatShare(block.failed, block.n),
        formatTableMs(block.ttftP50),
      ]),
    ),
  })
}
