import type { Sample } from '../sample/types.ts'
import type { AskOrder } from './types.ts'

/** To the prober's thread. */
export type ToThread =
  | { readonly type: 'ask'; readonly id: number; readonly order: AskOrder }
  | { readonly type: 'abort' }
  | { readonly type: 'close' }

/** From it. */
export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'sample'; readonly id: number; readonly sample: Sample }
  /** Our own mistake: no sample. */
  | { readonly type: 'failed'; readonly id: number; readonly message: string; readonly hint: string | undefined }
