import { dirname, resolve } from 'node:path'
import { messageOf } from '../errors.ts'
import { readRunLines, readSamples } from '../sample/index.ts'
import type { RunEnd, RunLine, Sample } from '../sample/types.ts'
import type { Finding, JudgeInput } from '../verdict/types.ts'
import { isAborted } from './selected.ts'
import type { LoadedBudgets } from './preflight.ts'

export type Baselines = NonNullable<JudgeInput['baselines']>

/** Whether a run may serve as a baseline: whole, judged, nothing breached. */
export function isPassing(findings: readonly Finding[], complete: boolean): boolean {
  return (
    complete &&
    findings.length > 0 &&
    findings.every(
      ({ verdict, severity, onInconclusive, failAfter, acknowledged }) =>
        verdict === 'pass' ||
        // what is forgiven for now is still no example to others
        (failAfter === undefined &&
          acknowledged === undefined &&
          (verdict === 'fail' ? severity !== 'fail' : onInconclusive !== 'fail')),
    )
  )
}

function ends(lines: readonly RunLine[]): ReadonlyMap<string, RunEnd> {
  return new Map(lines.flatMap((line) => (line.type === 'end' ? [[line.run_id, line] as const] : [])))
}

/** The passing runs of a folder; what nobody has judged is not taken. */
export function historyOf(rows: readonly Sample[], lines: readonly RunLine[], runId: string): Baselines {
  const known = ends(lines)
  const samples = rows.filter((row) => {
    const end = known.get(row.run_id)
    return row.run_id !== runId && !isAborted(row) && end?.passed === true && end.complete && end.stopped_early !== true
  })
  return [{ file: null, samples }]
}

/** Runs of a named CSV. Somebody chose it, so runs that nobody knows of are taken; those that are known to have failed are not. */
async function fileBaseline(dir: string, file: string): Promise<Baselines[number]> {
  const path = resolve(dir, file)
  const [rows, { lines }] = await Promise.all([readSamples(path), readRunLines(dirname(path))])
  const known = ends(lines)
  const samples = rows.filter((row) => {
    const end = known.get(row.run_id)
    return !isAborted(row) && end?.passed !== false && end?.stopped_early !== true
  })
  return { file, samples }
}

/** The CSVs that budgets name, read before the first request: one that cannot be read is a problem then, not after a night. */
export async function readBaselineFiles({
  parsed,
  dir,
}: LoadedBudgets): Promise<{ readonly baselines: Baselines; readonly problems: readonly string[] }> {
  const files = new Set(
    parsed.file.budgets.flatMap(({ baseline }) => (baseline?.kind === 'file' ? [baseline.file] : [])),
  )
  const baselines: Baselines[number][] = []
  const problems: string[] = []
  for (const file of files) {
    try {
      const read = await fileBaseline(dir, file)
      if (read.samples.length > 0) baselines.push(read)
      else
        problems.push(
          `baseline ${file}: it holds no run that may serve\n  runs that failed or stopped early are not taken`,
        )
    } catch (error) {
      problems.push(`baseline ${file}: ${messageOf(error)}\n  the path is relative to ${parsed.file.file}`)
    }
  }
  return { baselines, problems }
}
