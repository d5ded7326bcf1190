import type { PackageManager } from './package-manager.ts'

/** Files that `vitest-slo init` writes. */

export const CONFIG = `import { defineConfig } from 'vitest/config'
import { slo } from 'vitest-slo/config'

export default defineConfig({ plugins: [slo()] })
`

export const SPEC = `import { env, openaiChat, opsNotes, probe } from 'vitest-slo'

// every eight minutes of a night, two prompt lengths: 80 requests, 40 of each cell
probe('chat', {
  targets: {
    // the name stands in slo.yaml, in samples.csv and in junit.xml
    'my-model': openaiChat({
      baseUrl: env('SLO_BASE_URL'), // as https://inference.example/v1
      apiKeyEnv: 'SLO_API_KEY',
      model: 'my-model',
      // price: { input: 0.5, output: 1.5, currency: 'USD' }, // per million tokens
    }),
  },
  prompts: { short: opsNotes({ words: 60 }), medium: opsNotes({ words: 750 }) },
  request: { maxTokens: 500 },
  schedule: { every: '8m', rounds: 40 },
})
`

export const BUDGETS = `# yaml-language-server: $schema=./node_modules/vitest-slo/schema/slo.schema.json
version: 1
timezone: UTC # of the blocks of the day in the report
budgets:
  - id: ttft
    limit: p95 ttft < 10s
  - id: errors
    limit: error_rate < 5%
`

const SETUP = {
  npm: ['with: { node-version: 24, cache: npm }', 'npm ci'],
  pnpm: ['with: { node-version: 24 }', 'corepack enable && pnpm install --frozen-lockfile'],
  yarn: ['with: { node-version: 24 }', 'corepack enable && yarn install --immutable'],
  bun: ['with: { node-version: 24 }', 'npm i -g bun && bun install --frozen-lockfile'],
} as const

/**
 * The nightly workflow of GitHub.
 * @param folder - of the project in its repository, with slashes; `''`: its root
 */
export function workflowOf({ name, exec }: Pick<PackageManager, 'name' | 'exec'>, folder: string): string {
  const [node, install] = SETUP[name]
  const inFolder = folder === '' ? '' : `    defaults: { run: { working-directory: ${JSON.stringify(folder)} } }\n`
  const reports = folder === '' ? 'slo-report' : JSON.stringify(`${folder}/slo-report`)
  return `# Asks the model every night; the run's folder goes from night to night, so that it can resume and look back.
name: slo-nightly
on:
  schedule: [{ cron: '30 18 * * *' }]
  workflow_dispatch:
concurrency: { group: slo-nightly, cancel-in-progress: false }
permissions: { contents: read }
jobs:
  slo:
    runs-on: ubuntu-latest
    timeout-minutes: 355
${inFolder}    env:
      SLO_BASE_URL: \${{ vars.SLO_BASE_URL }}
      SLO_API_KEY: \${{ secrets.SLO_API_KEY }}
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        ${node}
      - run: ${install}
      - uses: actions/cache/restore@v4
        with:
          path: ${reports}
          key: slo-report-\${{ github.run_id }}-\${{ github.run_attempt }}
          restore-keys: slo-report-
      - run: ${exec} vitest run --project slo
      - if: always()
        uses: actions/cache/save@v4
        with:
          path: ${reports}
          key: slo-report-\${{ github.run_id }}-\${{ github.run_attempt }}
      - if: always()
        uses: actions/upload-artifact@v4
        with: { name: slo-report, path: ${reports}, if-no-files-found: error }
`
}
