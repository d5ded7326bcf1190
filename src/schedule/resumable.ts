import type { RunLine, RunStart, Sample } from '../sample/types.ts'

/** An unfinished run that the next sitting goes on with. */
export interface ResumableRun {
  readonly runId: string
  readonly start: RunStart
  /** Its samples, `aborted` ones left out: what need not be asked again. May hold all that was planned. */
  readonly samples: Sample[]
  /** The first `seq` that no row has, `aborted` rows included. */
  readonly nextSeq: number
}

export interface ResumeQuery {
  /** The plan's hash. */
  readonly plan: string
  /** Wall-clock milliseconds. */
  readonly now: number
  /** A run whose last row (its start, where it has none) is this old or older is left alone. */
  readonly resumeWithinMs: number
}

/**
 * Complete, or ended on purpose: a run that reached its cost limit is not to spend more when it is called again, and what nobody could
 * answer is not to be mixed with what comes once its cause is put right.
 */
function isFinished(lines: readonly RunLine[], runId: string): boolean {
  return lines.some(
    (line) =>
      line.type === 'end' &&
      line.run_id === runId &&
      ((line.complete && !line.interrupted) || line.reason === 'max-cost' || line.reason === 'cannot-heal'),
  )
}

/**
 * The newest run of the plan, where it is unfinished and young enough; `null` where a new run is to start.
 * A run is finished by an end line that says complete and not interrupted: one that was killed after its last row still lacks it.
 */
export function findResumable(
  lines: readonly RunLine[],
  samples: readonly Sample[],
  query: ResumeQuery,
): ResumableRun | null {
  const start = lines.findLast((line): line is RunStart => line.type === 'start' && line.plan === query.plan)
  if (start === undefined || isFinished(lines, start.run_id)) return null
  let lastAt = Date.parse(start.started_at)
  let nextSeq = 0
  const present: Sample[] = []
  for (const sample of samples) {
    if (sample.run_id !== start.run_id) continue
    lastAt = Math.max(lastAt, Date.parse(sample.started_at))
    nextSeq = Math.max(nextSeq, sample.seq + 1)
    if (sample.outcome === 'ok' || sample.error_kind !== 'aborted') present.push(sample)
  }
  // Written so that an unreadable time (NaN) never resumes.
  if (!(query.now - lastAt < query.resumeWithinMs)) return null
  return { runId: start.run_id, start, samples: present, nextSeq }
}
