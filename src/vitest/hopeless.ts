import { namesRefusedField } from '../sample/index.ts'
import type { Sample } from '../sample/types.ts'

/** Why asking again cannot help: a credential, a model, a host or a field that is wrong stays wrong. `null`: it may. */
function lastingReason(sample: Sample): string | null {
  if (sample.outcome === 'ok') return null
  if (sample.error_kind === 'dns') return 'dns'
  if (sample.error_kind !== 'http_status') return null
  if (namesRefusedField(sample.error_message)) return 'refused_field'
  const { status, error_class: errorClass } = sample
  if (status === 401 || status === 403 || errorClass === 'auth') return 'auth'
  return status === 404 || errorClass === 'not_found' ? 'not_found' : null
}

/** Watches the first requests of a run. */
export interface HopelessWatch {
  /** What all of them failed of, once enough have: a sentence. `null`: there is hope. */
  add(sample: Sample): string | null
}

/**
 * Says when every one of the first 2 × `cells` requests failed alike for a reason that no waiting heals: the night would hold nothing else.
 * @param cells - how many the run asks
 */
export function watchHope(cells: number): HopelessWatch {
  let alike = 0
  let first: string | null | undefined
  return {
    add(sample) {
      const reason = lastingReason(sample)
      first ??= reason ?? ''
      if (reason === null || reason !== first || alike < 0) {
        alike = -1
        return null
      }
      alike += 1
      if (alike < 2 * cells || sample.outcome === 'ok') return null
      const status = sample.status === undefined ? '' : ` ${sample.status}`
      return `all of the first ${alike} requests failed alike: ${sample.error_kind}${status}: ${sample.error_message}`
    },
  }
}
