import { env, openaiChat, opsNotes, probe } from 'vitest-slo'

/** Four open-weight models of one serverless API, three prompt lengths, every eight minutes of a night. */

const baseUrl = env('SLO_BASE_URL')
const apiKeyEnv = 'MODEL_ACCESS_KEY'

probe('serverless', {
  targets: {
    'glm-5.3': openaiChat({
      baseUrl,
      apiKeyEnv,
      model: 'glm-5.3',
      price: { input: 1.4, output: 4.4, currency: 'USD' },
    }),
    'gemma-4-31B-it': openaiChat({
      baseUrl,
      apiKeyEnv,
      model: 'gemma-4-31B-it',
      price: { input: 0.18, output: 0.5, currency: 'USD' },
    }),
    'llama-4-maverick': openaiChat({
      baseUrl,
      apiKeyEnv,
      model: 'llama-4-maverick',
      price: { input: 0.25, output: 0.87, currency: 'USD' },
    }),
    'deepseek-3.2': openaiChat({
      baseUrl,
      apiKeyEnv,
      model: 'deepseek-3.2',
      price: { input: 0.5, output: 1.6, currency: 'USD' },
    }),
  },
  prompts: {
    short: opsNotes({ words: 60 }),
    medium: opsNotes({ words: 750 }),
    long: opsNotes({ words: 7500 }),
  },
  request: { maxTokens: 2000, temperature: 0.2 },
  // 40 rounds of 12 requests: 120 samples a target, room for failures under a p99; 5 h 20 min fit a job of six hours
  schedule: { every: '8m', rounds: 40 },
})
