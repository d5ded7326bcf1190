import { expect, test } from 'vitest'
import { endedAtTokenCap } from './token-cap.ts'

test.each([
  'length',
  'model_length',
  'max_tokens',
  'MAX_TOKENS',
  'max_output_tokens',
  'incomplete:max_output_tokens',
  'incomplete:max_tokens',
])('%s is the cap on what is generated', (reason) => {
  expect(endedAtTokenCap(reason)).toBe(true)
})

test.each([undefined, '', 'stop', 'end_turn', 'incomplete', 'incomplete:content_filter', 'tool_calls'])(
  '%s is none',
  (reason) => {
    expect(endedAtTokenCap(reason)).toBe(false)
  },
)

test('a context that is full is not the cap that was asked for', () => {
  expect(endedAtTokenCap('model_context_window_exceeded')).toBe(false)
  expect(endedAtTokenCap('context_length_exceeded')).toBe(false)
})
