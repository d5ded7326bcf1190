/**
 * A process for the tests: opens the store of DIR, says so, and appends until it is killed or COUNT rows are written. Every line that
 * it prints is one JSON array: `["open"]`, `["row", seq]` once a row is acknowledged, `["error", code, message]`.
 *
 *     node appending-child.ts DIR COUNT [wait]
 *
 * `wait`: opens only when a line comes in on stdin. Ends when stdin does.
 */
import { once } from 'node:events'
import { writeSync } from 'node:fs'

import { systemClock } from '../../clock.ts'
import { SloError } from '../../errors.ts'
import { openSampleStore } from '../store.ts'
import { failedSample } from './samples.ts'

const [dir = '', count = '0', wait] = process.argv.slice(2)

function say(...words: readonly (string | number)[]): void {
  writeSync(1, `${JSON.stringify(words)}\n`)
}

try {
  if (wait === 'wait') {
    say('ready')
    await once(process.stdin, 'data')
  }
  const store = await openSampleStore(dir, { clock: systemClock })
  say('open')
  const first = store.rows().length
  for (let seq = first; seq < first + Number(count); seq += 1) {
    await store.append(failedSample({ seq, request_id: `r${seq}\n"${'x'.repeat(seq % 200)}` }))
    say('row', seq)
  }
  process.stdin.resume()
  await once(process.stdin, 'end')
  await store.close()
} catch (error) {
  if (!(error instanceof SloError)) throw error
  say('error', error.code, error.message)
}
