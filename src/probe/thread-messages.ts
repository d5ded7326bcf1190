import type { SloErrorCode } from '../errors.ts'
import type { Sample } from '../sample/types.ts'
import type { AskOrder, InspectedTarget, TargetProblem } from './types.ts'

/** To the prober's thread. */
export type ToThread =
  | { readonly type: 'ask'; readonly id: number; readonly order: AskOrder }
  | { readonly type: 'inspect'; readonly id: number; readonly targets: readonly InspectedTarget[] }
  | { readonly type: 'abort' }
  | { readonly type: 'close' }

/** From it. */
export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'sample'; readonly id: number; readonly sample: Sample }
  | { readonly type: 'inspected'; readonly id: number; readonly problems: readonly TargetProblem[] }
  | OwnFailure

/** Our own mistake: no sample. */
export interface OwnFailure {
  readonly type: 'failed'
  readonly id: number
  readonly code: Extract<SloErrorCode, 'PROBER_FAILED' | 'CREDENTIAL_FAILED'>
  readonly message: string
  readonly hint: string | undefined
}
