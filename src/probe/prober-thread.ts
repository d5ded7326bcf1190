import { parentPort } from 'node:worker_threads'
import { SloError, messageOf } from '../errors.ts'
import { Asker } from './asker.ts'
import { warmUpSelf } from './self-warm-up.ts'
import type { FromThread, ToThread } from './thread-messages.ts'

/** Entry of the prober's thread: nothing else runs in it while a request is timed. */
const port = parentPort
if (port === null) throw new SloError('PROBER_FAILED', 'prober-thread runs in a worker thread only')

const asker = new Asker()
let inFlight: AbortController | undefined

function post(message: FromThread): void {
  port?.postMessage(message)
}

async function ask({ id, order }: Extract<ToThread, { type: 'ask' }>): Promise<void> {
  const controller = new AbortController()
  inFlight = controller
  try {
    const sample = await asker.ask(order, controller.signal)
    post({ type: 'sample', id, sample })
  } catch (error) {
    const hint = error instanceof SloError ? error.hint : undefined
    post({ type: 'failed', id, message: asker.scrub(messageOf(error)), hint })
  } finally {
    if (inFlight === controller) inFlight = undefined
  }
}

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'ask':
      void ask(message)
      break
    case 'abort':
      inFlight?.abort()
      break
    case 'close':
      inFlight?.abort()
      asker.close()
      port.close()
      break
  }
})

// a cold start is a worse measurement, not a reason to have none
await warmUpSelf(asker).catch(() => {})
post({ type: 'ready' })
