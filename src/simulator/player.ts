import { setImmediate as turn } from 'node:timers/promises'
import type { Script, Step } from './script.ts'
import type { Wire } from './wire.ts'

/** When and how fast a script is played. */
export interface Playing {
  /** `performance.now()` at the request's arrival. */
  readonly startedAt: number
  /** Provider milliseconds are divided by it. */
  readonly timeScale: number
  /** How late the request itself may have been noticed, real milliseconds. */
  readonly arrivalLateMs: number
}

/** A timer may fire this late in good order; what is left to an exact moment is spent in turns of the event loop. */
const TIMER_SLACK_MS = 1.6
/** What is due so shortly before a measured moment is awaited as exactly. */
const CLOSE_MS = 3
/** Between the first token and the last, a batch is late only beyond this. */
const BATCH_SLACK_MS = 3
/** Real milliseconds that the bytes before a reset get to arrive: a reset may overtake what is not read yet. */
const BEFORE_RESET_MS = 20

class Stage {
  readonly #wire: Wire
  #timer: NodeJS.Timeout | undefined
  #wake: (() => void) | undefined
  closed = false

  readonly #raw: boolean

  /** @param raw - bytes go to the socket as they are */
  constructor(wire: Wire, raw: boolean) {
    this.#wire = wire
    this.#raw = raw
    wire.response.once('close', () => {
      this.closed = true
      clearTimeout(this.#timer)
      this.#wake?.()
    })
  }

  async sleep(ms: number): Promise<void> {
    if (this.closed) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#timer = setTimeout(resolve, ms)
    })
  }

  /** Until the client goes. */
  async forever(): Promise<void> {
    if (this.closed) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  /** `exact`: the last bit in turns of the event loop, for a moment that is measured. */
  async until(due: number, exact: boolean): Promise<void> {
    for (let left = due - performance.now(); left > 0 && !this.closed; left = due - performance.now()) {
      if (!exact) await this.sleep(Math.max(1, Math.floor(left)))
      else if (left > TIMER_SLACK_MS + 1) await this.sleep(Math.floor(left - TIMER_SLACK_MS))
      else await turn()
    }
  }

  write(data: string | Uint8Array): boolean {
    return !this.closed && this.#wire.write(data, this.#raw)
  }

  /** Again and again, as fast as the client reads, until it goes. */
  async repeat(data: string | Uint8Array): Promise<void> {
    while (!this.closed) {
      if (this.write(data)) await turn()
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
          this.#wire.onceDrained(resolve, this.#raw)
        })
    }
  }
}

/**
 * Plays a script onto the wire. Every moment is an absolute deadline, so that no delay adds up; what is due at one
 * waking goes out at once. How late the first token, the last token or a batch between them went out is told in a comment
 * at the end of the stream: `: slo-sim late_ms=1.234` (real milliseconds).
 */
export async function play(script: Script, wire: Wire, playing: Playing): Promise<void> {
  const { startedAt, timeScale } = playing
  const stage = new Stage(wire, script.raw === true)
  const due = (step: { readonly at: number }): number => startedAt + step.at / timeScale
  let late = playing.arrivalLateMs

  if (script.headersAt !== null) {
    await stage.until(due({ at: script.headersAt }), false)
    if (stage.closed) return
    wire.begin(script.status, script.headers)
  }

  const { steps } = script
  const firstToken = steps.findIndex((step) => step.kind === 'token')
  const lastToken = steps.findLastIndex((step) => step.kind === 'token')
  const marked = (i: number): boolean => i === firstToken || i === lastToken
  // A coarse sleep for what comes just before a measured moment would make that moment late.
  const isClose = (i: number): boolean => {
    const next = steps[i <= firstToken ? firstToken : lastToken]
    const step = steps[i]
    return step !== undefined && next !== undefined && i <= lastToken && due(next) - due(step) < CLOSE_MS
  }
  const textOf = (step: Step): Uint8Array =>
    Buffer.from(step.kind === 'lateness' ? `: slo-sim late_ms=${late.toFixed(3)}\n\n` : step.data)

  for (let i = 0; i < steps.length;) {
    const step = steps[i]
    if (step === undefined) break
    await stage.until(due(step), isClose(i))
    if (stage.closed) return
    const now = performance.now()
    const begin = i
    const parts: Uint8Array[] = []
    for (let next = steps[i]; next !== undefined && due(next) <= now; next = steps[i]) {
      if (next.kind === 'lateness' && i > begin) break
      if (next.kind === 'goaway') wire.announceLeave()
      parts.push(textOf(next))
      i += 1
      if (script.separate === true || i - 1 === firstToken || i === lastToken) break
    }
    if (script.headersAt !== null || script.raw === true) stage.write(Buffer.concat(parts))
    const overdue = performance.now() - due(step)
    if (step.kind === 'token') late = Math.max(late, marked(begin) ? overdue : overdue > BATCH_SLACK_MS ? overdue : 0)
    if (script.separate === true) await turn()
  }

  if (script.forever !== undefined) return await stage.repeat(script.forever)
  if (script.ending === 'hang') return await stage.forever()
  if (script.ending === 'end') {
    wire.end()
    if (script.closeIdleAfterMs !== undefined) wire.closeWhenIdle(script.closeIdleAfterMs)
    return
  }
  if (script.headersAt !== null || script.raw === true) await stage.sleep(BEFORE_RESET_MS)
  if (script.ending === 'reset') wire.reset()
  else if (script.ending === 'close') wire.close()
  else if ('rst' in script.ending) wire.resetStream(script.ending.rst)
  else wire.leave(script.ending.goaway)
}
