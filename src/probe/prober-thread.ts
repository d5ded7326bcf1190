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
let asking: Promise<void> = Promise.resolve()

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

/** The sample of a request that this cuts is still told. */
async function close(): Promise<void> {
  inFlight?.abort()
  await asking
  asker.close()
  port?.close()
}

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'ask':
      asking = ask(message)
      break
    case 'abort':
      inFlight?.abort()
      break
    case 'close':
      void close()
      break
  }
})

// a cold start is a worse measurement, not a reason to have none
await warmUpSelf(asker).catch(() => {})
post({ type: 'ready' })
