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
let working: Promise<void> = Promise.resolve()

function post(message: FromThread): void {
  port?.postMessage(message)
}

/** Does one thing that `abort` cuts; what it throws is told. */
async function work(id: number, action: (signal: AbortSignal) => Promise<FromThread>): Promise<void> {
  const controller = new AbortController()
  inFlight = controller
  try {
    post(await action(controller.signal))
  } catch (error) {
    const ours = error instanceof SloError
    const code = ours && error.code === 'CREDENTIAL_FAILED' ? error.code : 'PROBER_FAILED'
    post({ type: 'failed', id, code, message: asker.scrub(messageOf(error)), hint: ours ? error.hint : undefined })
  } finally {
    if (inFlight === controller) inFlight = undefined
  }
}

/** The sample of a request that this cuts is still told. */
async function close(): Promise<void> {
  inFlight?.abort()
  await working
  asker.close()
  port?.close()
}

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'ask':
      working = work(message.id, async (signal) => {
        const sample = await asker.ask(message.order, signal)
        return { type: 'sample', id: message.id, sample }
      })
      break
    case 'inspect':
      working = work(message.id, async (signal) => {
        const problems = await asker.inspect(message.targets, signal)
        return { type: 'inspected', id: message.id, problems }
      })
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
