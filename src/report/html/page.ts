import { titleOf } from '../summary.ts'
import { formatCount } from '../numbers.ts'
import { sortFindings } from '../summary-verdicts.ts'
import type { RunReport } from '../types.ts'
import type { ChartData } from './chart-data.ts'
import { escaped, named } from './escape.ts'
import { historySection } from './history.ts'
import { adviceSection, healthSection, numbersSection, runSection, targetSection, verdictSection } from './sections.ts'
import { STYLE } from './style.ts'
import type { TargetView } from './target-view.ts'

function views(report: RunReport, data: ChartData): TargetView[] {
  return data.targets.flatMap((charts, index) => {
    const study = report.study?.find((each) => each.probe === charts.probe && each.target === charts.target)
    const cells = report.cells.filter((cell) => cell.probe === charts.probe && cell.target === charts.target)
    return study === undefined ? [] : [{ id: `t${index}`, charts, study, cells, report }]
  })
}

function banner(report: RunReport): string {
  if (!report.run.simulated) return ''
  const told = report.notes.find((note) => note.code === 'simulated')?.message ?? 'SIMULATED, not measured'
  return `<p class="banner">${named(told, 2000)}</p>`
}

function counts(report: RunReport): string {
  const sorted = sortFindings(report.findings)
  const parts = [
    [sorted.failed.length, 'failed', 'bad'],
    [sorted.inconclusive.length, 'inconclusive', 'warn'],
    [sorted.warned.length, sorted.warned.length === 1 ? 'warning' : 'warnings', 'warn'],
    [sorted.passed.length, 'passed', 'good'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word, style]) => `<span class="${style}">${formatCount(count)} ${word}</span>`)
    .join(' · ')
}

/**
 * The text of `report.html`: one file, nothing remote, no script. Verdict first, then numbers, then a section a target with its charts.
 * @param data - of the same run
 */
export function renderHtml(report: RunReport, data: ChartData): string {
  const targets = views(report, data)
  // pictographs are missing from many fonts; the counts below carry the colour
  const title = titleOf(report).replace(/^[\p{Extended_Pictographic}\uFE0F ]+/u, '')
  const left = (report.study?.length ?? 0) - targets.length
  const links = targets.map(({ id, study }) => `<li><a href="#${id}">${named(study.target)}</a></li>`).join('')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
${banner(report)}
<p class="counts">${counts(report)}</p>
<p class="soft">Run ${named(report.run.id)}, ${formatCount(report.run.sampled)} ${report.run.sampled === 1 ? 'sample' : 'samples'}</p>
<nav aria-label="Sections"><ul><li><a href="#verdicts">Verdicts</a></li>${(report.history ?? []).length === 0 ? '' : '<li><a href="#history">Runs</a></li>'}<li><a href="#numbers">Numbers</a></li>${links}${(report.advice ?? []).length === 0 ? '' : '<li><a href="#advice">Timeouts</a></li>'}<li><a href="#client">This client</a></li><li><a href="#run">The run</a></li></ul></nav>
</header>
<main>
${verdictSection(report)}
${historySection(report)}
${numbersSection(report)}
${targets.map(targetSection).join('\n')}
${left > 0 ? `<p>${formatCount(left)} more targets have no charts here: report.json has their numbers.</p>` : ''}
${adviceSection(report)}
${healthSection(data.health)}
${runSection(report)}
</main>
<footer><p>vitest-slo. The same in summary.md, report.json and junit.xml beside this file; every sample in samples.csv.</p></footer>
</body>
</html>
`
}
