import { line } from 'd3-shape'
import { trim } from '../../units.ts'
import { ABSENT, formatCount, formatTableMs } from '../numbers.ts'
import { dots } from './dots.ts'
import { figure } from './frame.ts'
import type { Key } from './frame.ts'
import { fromZero, logTimes } from './scales.ts'
import { htmlTable, left, right } from './table.ts'
import type { TargetView } from './target-view.ts'

/** TTFT against prompt tokens. */
export function tokensChart(view: TargetView): string {
  const { charts, study } = view
  const points = charts.points.flatMap((point) => (point.tokens === null ? [] : [{ ...point, tokens: point.tokens }]))
  if (points.length === 0) return ''
  const x = fromZero(
    'prompt tokens',
    'x',
    points.map(({ tokens }) => tokens),
    (value) => (value >= 1000 ? `${trim(value / 1000, 1)}k` : trim(value, 0)),
  )
  const y = logTimes(
    'time to first token, log scale',
    'y',
    points.map(({ ttft }) => ttft),
  )
  const requests = dots(points.map(({ tokens, ttft, prompt }) => ({ x: x.of(tokens), y: y.of(ttft), series: prompt })))
  const medians = study.prompts.flatMap(({ promptTokensP50, ttftP50 }): [number, number][] =>
    promptTokensP50 === null || ttftP50 === null ? [] : [[promptTokensP50, ttftP50]],
  )
  const path = line()(medians.map(([tokens, ttft]) => [Math.round(x.of(tokens)), Math.round(y.of(ttft))]))
  const slope =
    study.msPerThousandTokens === null
      ? 'One prompt length: no slope'
      : `${formatTableMs(study.msPerThousandTokens)} per 1,000 more prompt tokens, by the medians`
  return figure({
    id: `${view.id}-tokens`,
    title: 'Time to first token against prompt tokens',
    description: `${study.prompts.map((each) => `${each.prompt}: ${each.promptTokensP50 === null ? 'tokens unknown' : `${formatCount(each.promptTokensP50)} tokens`}, median ${formatTableMs(each.ttftP50)}`).join('; ')}. ${slope}.`,
    x: x.axis,
    y: y.axis,
    keys: charts.prompts.map(({ prompt }, index): Key => ({ name: prompt, series: index, mark: 'dot' })),
    marks: `${requests}<path class="line s0" d="${path ?? ''}"/>`,
    table: htmlTable(
      'Medians by prompt',
      [left('prompt'), right('prompt tokens'), right('TTFT')],
      study.prompts.map((each) => [
        each.prompt,
        each.promptTokensP50 === null ? ABSENT : formatCount(each.promptTokensP50),
        formatTableMs(each.ttftP50),
      ]),
    ),
  })
}
