import { expect, test } from 'vitest'
import { firstEventBatched, hidesReasoning } from './first-event.ts'

/** A stream of `events` token events of four characters each, but for the first. */
function stream(events: number, firstCharacters: number, reasoned = false) {
  return {
    reasoned,
    firstCharacters,
    characters: firstCharacters + 4 * (events - 1),
    tokenTimes: Array.from({ length: events }, (_none, i) => i),
  }
}

test.each([
  ['a token an event', stream(100, 4), { completionTokens: 100 }, false],
  ['a long word first', stream(100, 13), { completionTokens: 100 }, false],
  ['a lump of ten tokens before single ones', stream(91, 40), { completionTokens: 100 }, true],
  ['every event a lump', stream(10, 4), { completionTokens: 80 }, true],
  ['lumps, but the first is one token', stream(20, 1), { completionTokens: 80 }, false],
  ['one event with all tokens', stream(1, 200), { completionTokens: 50 }, true],
  ['one event with one token', stream(1, 4), { completionTokens: 1 }, false],
  ['hidden reasoning is no part of it', stream(100, 4), { completionTokens: 1100, reasoningTokens: 1000 }, false],
  ['no usage, a sentence first', stream(100, 80), undefined, true],
  ['no usage, a word first', stream(100, 13), undefined, false],
])('batched: %s', (_name, reader, usage, batched) => {
  expect(firstEventBatched(reader, usage)).toBe(batched)
})

test('reasoning is hidden where it was counted and no event carried it', () => {
  expect(hidesReasoning(stream(2, 4), { reasoningTokens: 5 })).toBe(true)
  expect(hidesReasoning(stream(2, 4, true), { reasoningTokens: 5 })).toBe(false)
  expect(hidesReasoning(stream(2, 4), { reasoningTokens: 0 })).toBe(false)
  expect(hidesReasoning(stream(2, 4), undefined)).toBe(false)
})
