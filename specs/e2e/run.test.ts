import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProject } from './testing/project.ts'
import { EASY_BUDGETS, simulatedProbe } from './testing/specs.ts'

const UNIT_TEST = `import { expect, test } from 'vitest'
test('adds', () => expect(1 + 1).toBe(2))
`

describe('a run', () => {
  test('samples every cell once a round, judges, and leaves the files of the interface', async () => {
    const project = createProject({
      'specs/a.probe.ts': simulatedProbe(),
      'src/add.test.ts': UNIT_TEST,
      'slo.yaml': EASY_BUDGETS,
    })
    const run = await project.run(['run'], { SLO_RUN: '1' })
    expect(run.output).toContain('8 of 8 samples')
    expect(run.code).toBe(0)
    const rows = project.rows()
    expect(rows.map((row) => row['seq'])).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
    for (const prompt of ['hello', 'bye']) {
      const rounds = rows.filter((row) => row['prompt'] === prompt).map((row) => row['round'])
      expect(rounds).toEqual(['0', '1', '2', '3'])
    }
    for (const file of ['junit.xml', 'report.json', 'summary.md', 'runs.jsonl'])
      expect(project.has(`slo-report/${file}`)).toBe(true)
    // unit tests ran in their own pool, before the probes
    expect(run.stdout).toContain('src/add.test.ts')
    expect(run.stdout).toMatch(/Tests +7 passed/)
  })

  test('a plain vitest skips the probes and says how to run them', async () => {
    const project = createProject({
      'specs/a.probe.ts': simulatedProbe(),
      'src/add.test.ts': UNIT_TEST,
      'slo.yaml': EASY_BUDGETS,
    })
    const run = await project.run(['run'])
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(/Tests +1 passed \| 6 skipped/)
    expect(run.stderr).toContain('vitest run --project slo')
    expect(project.has('slo-report')).toBe(false)
  })

  test('a breach is exit 1, one failing test with one screen, and a failure in junit.xml with its place', async () => {
    const project = createProject({
      'specs/a.probe.ts': simulatedProbe({ rounds: 8 }),
      'slo.yaml': `version: 1
defaults: { min_samples: 5 }
budgets:
  - limit: p50 ttft < 1ms
    per: target
  - limit: error_rate < 90%
    per: target
`,
    })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(1)
    expect(run.stdout).toMatch(/Tests +1 failed \| 3 passed/)
    expect(run.output).toContain('slo.yaml:4:')
    expect(run.output).toContain('16 of 16')
    expect(run.output).not.toContain('node_modules')
    const junit = project.read('slo-report/junit.xml')
    expect(junit).toMatch(/<failure [^>]*message="[^"]*p50 ttft/)
    expect(junit).toMatch(/\(slo\.yaml:4:\d+\)\s*(?:\]\]>)?<\/failure>/)
    const report = JSON.parse(project.read('slo-report/report.json')) as { findings: { verdict: string; n: number }[] }
    expect(report.findings.map((each) => [each.verdict, each.n])).toEqual([
      ['fail', 16],
      ['pass', 16],
    ])
  })

  test("a user's own test reads samples and judges them with toMeet", async () => {
    const project = createProject({
      'a.probe.ts': `${simulatedProbe().replace("probe('practice'", "const practice = probe('practice'")}
import { expect, test } from 'vitest'
test('own view', () => {
  const samples = practice.samples({ prompt: 'hello' })
  expect(samples).toHaveLength(4)
  expect(samples[0].ttft_ms).toBeGreaterThan(0)
  expect(samples).toMeet('p50 ttft < 200s', { onInconclusive: 'skip' })
})
test('too few samples are no pass', () => {
  expect(() => expect(practice.samples()).toMeet('p99 ttft < 200s')).toThrow(/100/)
  expect(() => expect(practice.samples()).not.toMeet('p99 ttft < 200s')).toThrow(/100/)
})
`,
    })
    const run = await project.run(['run', 'a.probe.ts'])
    expect(run.output).toMatch(/Tests +4 passed/)
    expect(run.code).toBe(0)
  })

  test('samples() outside a test is an error with a hint', async () => {
    const project = createProject({
      'a.probe.ts': `${simulatedProbe().replace("probe('practice'", "const practice = probe('practice'")}\npractice.samples()\n`,
    })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.output).toContain('call it inside test(')
    expect(project.rows()).toEqual([])
  })

  test('two probes of two files lie on one schedule', async () => {
    const other = simulatedProbe({ rounds: 4 }).replace("'practice'", "'other'")
    const project = createProject({
      'a.probe.ts': simulatedProbe({ rounds: 4 }),
      'b.probe.ts': other,
      'slo.yaml': EASY_BUDGETS,
    })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(0)
    const probes = project.rows().map((row) => row['probe'])
    expect(probes).toHaveLength(16)
    // each round of both is over before the next one starts
    for (let round = 0; round < 4; round += 1) {
      expect(new Set(probes.slice(round * 4, round * 4 + 4))).toEqual(new Set(['practice', 'other']))
    }
  })

  test('maxCost ends the run cleanly', async () => {
    const project = createProject({
      'vitest.config.ts': `import { defineConfig } from 'vitest/config'
import { slo } from 'vitest-slo/config'
export default defineConfig({ plugins: [slo({ maxCost: 0.000001 })] })
`,
      'a.probe.ts': simulatedProbe({ rounds: 50 }).replace(
        'timeScale: 500',
        "timeScale: 500, price: { input: 1, output: 1, currency: 'USD' }",
      ),
      'slo.yaml': EASY_BUDGETS,
    })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.stderr).toContain('maxCost is reached')
    expect(project.rows().length).toBe(1)
    expect(JSON.parse(project.read('slo-report/report.json'))).toMatchObject({
      run: { complete: false, interrupted: false },
    })
  })

  test("the user's own reporters work beside ours, and GitHub gets an annotation at the limit and a summary", async () => {
    const project = createProject({
      'a.probe.ts': simulatedProbe(),
      'src/add.test.ts': UNIT_TEST,
      'slo.yaml': 'version: 1\nbudgets:\n  - { limit: p50 ttft < 1ms, per: target, min_samples: 8 }\n',
      'vitest.config.ts': `import { defineConfig } from 'vitest/config'
import { slo } from 'vitest-slo/config'
export default defineConfig({
  plugins: [slo()],
  test: { reporters: ['default', 'junit'], outputFile: { junit: 'vitest.xml' } },
})
`,
    })
    const summary = join(project.dir, 'summary of the step.md')
    const run = await project.run(['run'], { SLO_RUN: '1', GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary })
    expect(run.code).toBe(1)
    const junit = project.read('vitest.xml')
    expect(junit).toContain('src/add.test.ts')
    expect(junit).toContain('practice &gt; gemma &gt; all &gt; p50 ttft &lt; 1ms')
    expect(run.stdout.match(/^::error file=slo\.yaml,line=3/gm)).toHaveLength(1)
    expect(readFileSync(summary, 'utf8')).toContain('p50 ttft')
  })

  test('rounds lie on a grid from the start of the run, which shrinks with the time scale', async () => {
    const project = createProject({ 'a.probe.ts': simulatedProbe({ rounds: 3, every: '40s', timeScale: 100 }) })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(0)
    const [start] = project.read('slo-report/runs.jsonl').split('\n')
    const startedAt = Date.parse((JSON.parse(start ?? '') as { started_at: string }).started_at)
    const rows = project.rows()
    const firsts = [0, 1, 2].map((round) => rows.find((row) => row['round'] === String(round)))
    const points = firsts.map((row) => (Date.parse(row?.['due_at'] ?? '') - startedAt) / 400)
    expect(points.every((point) => Number.isInteger(point))).toBe(true)
    expect(points[0]).toBe(0)
    expect(points[1]).toBeGreaterThanOrEqual(1)
    expect(points[2]).toBeGreaterThanOrEqual(2)
    expect(rows.every((row) => Number(row['lateness_ms']) >= 0)).toBe(true)
  })
})
