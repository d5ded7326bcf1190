import { SloError } from '../errors.ts'
import type { Sample } from '../sample/types.ts'
import type { SelectedProbe } from './messages.ts'
import { inCell } from './selected.ts'

function complaint(sample: Sample, probes: readonly SelectedProbe[], seen: Set<string>): string | null {
  const { probe, target, prompt, round } = sample
  const cell = `${probe}/${target}/${prompt}`
  const selected = probes.find((each) => each.cells.some((known) => inCell(sample, known)))
  if (selected === undefined) return `${cell} is no cell of its plan`
  const { rounds } = selected.probe.schedule
  if (rounds !== null && round >= rounds) return `${cell} has round ${round}, and the plan has ${rounds}`
  const key = JSON.stringify([round, probe, target, prompt])
  if (seen.has(key)) return `${cell} has round ${round} twice`
  seen.add(key)
  return null
}

/**
 * The rows of a run that goes on must be rows that it can have written: each cell of the plan at most once a round. Others mean
 * that the file was edited, and nothing that follows could be trusted.
 * @throws SloError `SAMPLES_UNREADABLE`
 */
export function checkPresentRows(file: string, samples: readonly Sample[], probes: readonly SelectedProbe[]): void {
  const seen = new Set<string>()
  for (const sample of samples) {
    const wrong = complaint(sample, probes, seen)
    if (wrong === null) continue
    throw new SloError(
      'SAMPLES_UNREADABLE',
      `${file}: run ${sample.run_id} cannot go on: seq ${sample.seq}: ${wrong}`,
      {
        hint: 'was the file edited? Put it back as it was, or start anew: SLO_FRESH=1',
        facts: { seq: sample.seq },
      },
    )
  }
}
