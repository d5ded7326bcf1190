import { serve } from './server.ts'
import type { ServeOptions } from './server.ts'
import { warmUp } from './warm-up.ts'

/** Entry of the simulator's own process, forked by `start.ts`. Ends when the channel to its parent does, however that comes. */

/** What the parent sends first. */
export type StartMessage = ServeOptions

/** What the process answers, once. */
export type ReadyMessage =
  | { readonly type: 'ready'; readonly url: string; readonly doors: Readonly<Record<string, string>> }
  | { readonly type: 'failed'; readonly message: string }

function tell(message: ReadyMessage): void {
  process.send?.(message)
}

process.once('disconnect', () => process.exit(0))
// Ctrl+C reaches the whole process group: the parent decides when this process ends, so that its last reports can be made.
process.on('SIGINT', () => {})
process.once('message', (message) => {
  const started = serve(message as StartMessage)
  started
    .then(async ({ url, doors }) => {
      await warmUp(url)
      return { url, doors }
    })
    .then(
      (server) => tell({ type: 'ready', ...server }),
      (error: unknown) => tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
    )
})
