import { expect, test } from 'vitest'
import { SloError } from '../errors.ts'
import { stopReasonOf } from './sampling.ts'

const running = new AbortController().signal

test.each([
  ['SAMPLES_WRITE_FAILED', 'write-failed'],
  ['PROBER_FAILED', 'prober-died'],
  ['CREDENTIAL_FAILED', 'no-credential'],
  ['RUNNER_DIED', 'worker-died'],
  ['PROMPT_FAILED', 'prompt-failed'],
] as const)('%s ends the run as %s, with the way out', (code, reason) => {
  const error = new SloError(code, 'what is wrong', { hint: 'the way out' })
  expect(stopReasonOf(error, running)).toEqual({ reason, message: 'what is wrong; the way out' })
})

test('a stop is no error, and a defect is thrown on', () => {
  const stopped = AbortSignal.abort('interrupted')
  expect(stopReasonOf(new SloError('PROBER_FAILED', 'cut'), stopped)).toEqual({ reason: 'interrupted', message: null })
  expect(() => stopReasonOf(new TypeError('a defect'), running)).toThrow('a defect')
})
