import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { init, runBaseTests, setupEnvironment } from 'vitest/worker'
import { SloError, messageOf } from '../errors.ts'
import { seededRandom } from '../schedule/index.ts'
import type { RenderedPrompt } from '../spec/types.ts'
import type { FromSpecWorker, RenderRequest, SpecWorkerData, ToSpecWorker } from './messages.ts'
import { planOf } from './selection.ts'
import { createSpecState } from './spec-state.ts'

/** Entry of the spec worker's thread: collects, waits while the coordinator samples, then runs the tests. */

const { port, data } = workerData as { readonly port: MessagePort; readonly data: SpecWorkerData }
const state = createSpecState(data)

function post(message: FromSpecWorker): void {
  port.postMessage(message)
}

async function render(request: RenderRequest): Promise<RenderedPrompt> {
  const { probe, target, prompt, round, nonce, seed } = request
  const defined = state.probes.get(probe)
  const source = defined?.sources.get(prompt)
  if (defined === undefined || source === undefined) throw new SloError('PROMPT_FAILED', `no prompt ${probe}/${prompt}`)
  // the target is left out of the seed, so that all targets of a round get the same pick
  const random = seededRandom(seed, probe, prompt, String(round))
  const rendered = await source.render({ nonce, round, target, prompt, random })
  if (defined.probe.request.cache === 'warm') return rendered
  // loaded with the probe long ago; a spec without one does without
  const { withSessionId } = await import('../spec/index.ts')
  return { ...rendered, messages: withSessionId(rendered.messages, nonce) }
}

async function answer(id: number, request: RenderRequest): Promise<void> {
  try {
    post({ type: 'rendered', id, prompt: await render(request) })
  } catch (error) {
    const hint = error instanceof SloError ? (error.hint ?? null) : null
    post({ type: 'render-failed', id, message: messageOf(error), hint })
  }
}

state.stray = () => post({ type: 'stray' })

function sampled(): Promise<void> {
  const plan = planOf(
    state.files,
    [...state.probes.values()].map((each) => each.probe),
  )
  state.broken = new Set(plan.broken.map((each) => each.file))
  return new Promise((resolve) => {
    const onMessage = (message: ToSpecWorker): void => {
      if (message.type === 'render') {
        void answer(message.id, message.request)
        return
      }
      if (message.type === 'outcome') state.outcome = message.outcome
      else state.refusal = message.message
      port.off('message', onMessage)
      resolve()
    }
    port.on('message', onMessage)
    post({ type: 'plan', plan })
  })
}

if (parentPort === null) throw new SloError('CONFIG_INVALID', 'this module is a worker of the probe pool')
const channel = parentPort

init({
  post: (response) => channel.postMessage(response),
  on: (callback) => void channel.on('message', callback),
  off: (callback) => void channel.off('message', callback),
  teardown: () => {
    channel.removeAllListeners('message')
    port.close()
  },
  setup: setupEnvironment,
  async collectTests(workerState, traces) {
    workerState.config.runner = workerState.ctx.config.runner = data.runner
    state.probes = new Map()
    await runBaseTests('collect', workerState, traces)
  },
  async runTests(workerState, traces) {
    workerState.config.runner = workerState.ctx.config.runner = data.runner
    if (data.asked) {
      await runBaseTests('collect', { ...workerState, durations: { ...workerState.durations } }, traces)
      await sampled()
    } else {
      // nothing matches: Vitest itself skips every test
      for (const file of workerState.ctx.files) file.testNamePattern = /(?!)/
    }
    state.phase = 'run'
    state.probes = new Map()
    await runBaseTests('run', workerState, traces)
  },
})
