import { describe, expect, test } from 'vitest'
import { drawAt, neutralPoint } from '../draw.ts'
import { loadProfile } from '../profile.ts'
import { wordsOf } from '../request.ts'
import { healthyScript } from '../script.ts'
import { dialects } from './index.ts'

const profile = loadProfile('glm-5.3')
const draw = drawAt(profile, neutralPoint, 1000, 400)
const context = { id: 'slo-sim-1', model: 'practice', includeUsage: true, created: 1_700_000_000 }
const messages = [
  { role: 'system', content: 'one two' },
  { role: 'user', content: 'three four five' },
]

/** The request of each dialect that asks for the same. */
const BODIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'openai-chat': { model: 'm', messages, max_completion_tokens: 400 },
  'openai-completions': { model: 'm', prompt: 'one two\n\nthree four five', max_tokens: 400 },
  'openai-responses': { model: 'm', input: messages, max_output_tokens: 400 },
  'anthropic-messages': { model: 'm', system: 'one two', messages: messages.slice(1), max_tokens: 400 },
  gemini: {
    systemInstruction: { parts: [{ text: 'one two' }] },
    contents: [{ role: 'user', parts: [{ text: 'three four five' }] }],
    generationConfig: { maxOutputTokens: 400 },
  },
  cohere: { model: 'm', messages, max_tokens: 400 },
}

describe.each(dialects)('$name', (dialect) => {
  const script = healthyScript(draw, context, profile, dialect)
  const tokens = script.steps.filter(({ kind }) => kind === 'token')
  const texts = (word: RegExp): string =>
    tokens.flatMap(({ data }) => [...String(data).matchAll(word)].map(([, text]) => text)).join('')

  test('has the same tokens at the same times as a chat completion', () => {
    const [chat] = dialects
    const expected = chat === undefined ? [] : healthyScript(draw, context, profile, chat).steps
    expect(tokens.map(({ at }) => at)).toEqual(expected.filter(({ kind }) => kind === 'token').map(({ at }) => at))
    expect(tokens.length).toBeGreaterThan(100)
    expect(texts(/"(?:text|delta|content|thinking|reasoning_content)":"([^"]+)"/g)).toMatch(
      /^ the queue is growing, check/,
    )
  })

  test('says how many tokens it took', () => {
    const end = script.steps.map(({ kind, data }) => (kind === 'token' ? '' : String(data))).join('')
    const numbers = [...end.matchAll(/":(\d+)/g)].map(([, digits]) => Number(digits))
    expect(numbers).toContain(draw.promptTokens)
    const { reasoningTokens, answerTokens } = draw
    expect(numbers).toContain(dialect.name === 'gemini' ? answerTokens : reasoningTokens + answerTokens)
  })

  test('reads prompt, cap and fault of a request', () => {
    const body = dialect.read({ ...BODIES[dialect.name], slo_fault: 'http-500' }, 'm')
    expect(wordsOf(body)).toBe(5)
    expect(body.max_completion_tokens ?? body.max_tokens).toBe(400)
    expect(body).toMatchObject({ model: 'm', slo_fault: 'http-500' })
  })

  test('a request without a prompt is refused', () => {
    expect(() => dialect.read({ model: 'm' }, 'm')).toThrow(/messages|prompt/)
  })
})
