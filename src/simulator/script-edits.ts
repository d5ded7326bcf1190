import { gzipSync } from 'node:zlib'
import type { Script, Step } from './script.ts'

/** Edits of scripts that faults are made of. Each gives a new script. */

/** A step's bytes. */
export function bytesOf(step: Step): Buffer {
  return Buffer.from(step.data)
}

/** Everything up to and with the n-th token event (n = 0: nothing of the tokens), then the ending. */
export function cutAfterTokens(script: Script, n: number, ending: Script['ending']): Script {
  const steps: Step[] = []
  let seen = 0
  for (const step of script.steps) {
    if (step.kind === 'token') seen += 1
    if (seen > n || !['role', 'token', 'other'].includes(step.kind)) break
    steps.push(step)
  }
  return { ...script, steps, ending }
}

/** With a step right after the n-th token event; n = 0: before the first. */
export function insertAfterTokens(script: Script, n: number, data: string, kind: Step['kind'] = 'other'): Script {
  const tokens = script.steps.filter((step) => step.kind === 'token')
  const after = n === 0 ? undefined : (tokens[n - 1] ?? tokens.at(-1))
  const index =
    after === undefined ? script.steps.findIndex((step) => step.kind === 'token') : script.steps.indexOf(after) + 1
  const neighbour = after ?? script.steps[index]
  const inserted: Step = { at: neighbour?.at ?? 0, kind, data }
  return { ...script, steps: script.steps.toSpliced(Math.max(0, index), 0, inserted) }
}

export function without(script: Script, ...kinds: readonly Step['kind'][]): Script {
  return { ...script, steps: script.steps.filter((step) => !kinds.includes(step.kind)) }
}

/** Another text for the steps of a kind. */
export function mapText(script: Script, kinds: readonly Step['kind'][], change: (text: string) => string): Script {
  const edit = (step: Step): Step =>
    kinds.includes(step.kind) ? { ...step, data: change(bytesOf(step).toString('utf8')) } : step
  return { ...script, steps: script.steps.map(edit) }
}

/** Another JSON object in the events of a kind. */
export function mapEvents(
  script: Script,
  kinds: readonly Step['kind'][],
  change: (payload: Record<string, unknown>) => unknown,
): Script {
  return mapText(script, kinds, (text) => {
    const match = /^data: (\{.*\})\n\n$/s.exec(text)
    if (match?.[1] === undefined) return text
    return `data: ${JSON.stringify(change(JSON.parse(match[1]) as Record<string, unknown>))}\n\n`
  })
}

/** A whole answer with no stream in it. */
export function plainAnswer(
  script: Script,
  status: number,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Script {
  const at = script.headersAt ?? 0
  return {
    status,
    headers: { ...without(script).headers, 'content-type': contentType, ...headers },
    headersAt: at,
    steps: body === '' ? [] : [{ at, kind: 'other', data: body }],
    ending: 'end',
  }
}

/** Every step in pieces of so many bytes, `apartMs` provider milliseconds between; the lateness report goes, it is known too late. */
export function inPieces(script: Script, bytes: number, apartMs: number): Script {
  const steps: Step[] = []
  let earliest = 0
  for (const step of without(script, 'lateness').steps) {
    const data = bytesOf(step)
    for (let from = 0; from < data.length; from += bytes) {
      const at = Math.max(step.at, earliest)
      earliest = at + apartMs
      steps.push({ at, kind: step.kind, data: data.subarray(from, from + bytes) })
    }
  }
  return { ...script, steps, separate: true }
}

/** The whole body, compressed piece by piece. */
export function gzipped(script: Script): Script {
  const steps = without(script, 'lateness').steps.map((step): Step => ({ ...step, data: gzipSync(bytesOf(step)) }))
  return { ...script, steps, headers: { ...script.headers, 'content-encoding': 'gzip' } }
}
