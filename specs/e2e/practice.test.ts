import { expect, test } from 'vitest'
import { createProject } from './testing/project.ts'

/** Each maker with the protocol that its practice run must be read by. */
const MAKERS = {
  openaiChat: 'openai-chat',
  openaiCompletions: 'openai-completions',
  openaiResponses: 'openai-responses',
  anthropicMessages: 'anthropic-messages',
  gemini: 'gemini',
  cohere: 'cohere',
  ollama: 'openai-chat',
}

test('a simulated twin speaks the protocol of its target, and its reasoning, counts and end are read by it', async () => {
  const probes = Object.keys(MAKERS).map(
    (maker) =>
      `probe('${maker}', { ...options, targets: { 'glm-5.3': ${maker}({ baseUrl: 'https://provider.invalid', model: 'glm' }) } })`,
  )
  const project = createProject({
    'a.probe.ts': `import { ${Object.keys(MAKERS).join(', ')}, probe, text } from 'vitest-slo'
const options = { prompts: { hello: text('Say hello to the people of the queue.') }, schedule: { every: '0s', rounds: 3, seed: 1 }, warmup: 1 }
${probes.join('\n')}
`,
  })
  const run = await project.run(['run', '--project', 'slo'], { SLO_SIMULATE: '1', SLO_TIME_SCALE: '500' })
  expect(run.code, run.output).toBe(0)
  for (const [maker, protocol] of Object.entries(MAKERS)) {
    const rows = project.rows().filter((row) => row['probe'] === maker)
    expect(rows, maker).toHaveLength(3)
    for (const row of rows) {
      expect(row, `${maker}: ${row['error_message']}`).toMatchObject({
        outcome: 'ok',
        protocol,
        first_token_kind: 'reasoning',
        simulated: '500',
      })
      for (const column of ['ttft_ms', 'prompt_tokens', 'completion_tokens', 'decode_tps'])
        expect(Number(row[column]), `${maker} ${column}`).toBeGreaterThan(0)
      expect(row['finish_reason']).not.toBe('')
      expect(row['flags']?.split(' ')).not.toContain('malformed')
      expect(row['flags']?.split(' ')).not.toContain('usage_inconsistent')
    }
  }
})
