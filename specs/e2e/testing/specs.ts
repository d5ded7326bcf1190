/** Spec files that several tests use. */

/** A probe on the simulator: one target, two prompts, back to back. */
export function simulatedProbe(
  change: { readonly rounds?: number; readonly timeScale?: number; readonly every?: string } = {},
): string {
  const { rounds = 4, timeScale = 500, every = '0s' } = change
  return `import { probe, simulated, text } from 'vitest-slo'
probe('practice', {
  targets: { gemma: simulated('gemma-4-31B-it', { timeScale: ${timeScale} }) },
  prompts: { hello: text('Say hello.'), bye: text('Say good bye.') },
  schedule: { every: '${every}', rounds: ${rounds}, seed: 1 },
})
`
}

/** Budgets that any sane run meets, with few samples. */
export const EASY_BUDGETS = `version: 1
budgets:
  - limit: p50 ttft < 200s
    min_samples: 2
  - limit: error_rate < 90%
    min_samples: 2
`
