import { describe, expect, test } from 'vitest'
import { command } from './testing/command.ts'
import { createProject } from './testing/project.ts'
import { EASY_BUDGETS, simulatedProbe } from './testing/specs.ts'

const REPORTS = ['junit.xml', 'report.json', 'summary.md', 'report.html']

describe('vitest-slo report', () => {
  test.each([
    ['a whole run', [], ''],
    ['a breach', [], '  - limit: p50 ttft < 1ms\n    per: target\n    min_samples: 2\n'],
    ['a narrowed run', ['-t', 'hello|all'], '  - limit: p50 ttft < 1ms\n    per: target\n    min_samples: 2\n'],
  ])('says byte for byte what the run itself said: %s', async (_what, args, more) => {
    const project = createProject({
      'specs/a.probe.ts': simulatedProbe({ rounds: 4 }),
      'slo.yaml': `${EASY_BUDGETS}${more}`,
    })
    const run = await project.run(['run', '--project', 'slo', ...args])
    const again = await command(project, ['report', 'slo-report/samples.csv', '--out', 'again'])
    expect(again.stderr).toBe('')
    expect(again.code).toBe(run.code)
    for (const file of REPORTS) expect(project.read(`again/${file}`)).toBe(project.read(`slo-report/${file}`))
  })

  test('of the second run of a file, too', async () => {
    const project = createProject({ 'specs/a.probe.ts': simulatedProbe({ rounds: 2 }), 'slo.yaml': EASY_BUDGETS })
    await project.run(['run', '--project', 'slo'])
    await project.run(['run', '--project', 'slo'])
    const again = await command(project, ['report', 'slo-report/samples.csv', '--out', 'again'])
    expect(again.code).toBe(0)
    expect(again.stderr).toContain('holds 2 runs')
    for (const file of REPORTS) expect(project.read(`again/${file}`)).toBe(project.read(`slo-report/${file}`))
  })

  test('wrong usage is exit 2, without colours where nobody looks', async () => {
    const project = createProject({})
    const result = await command(project, ['report'])
    expect(result.code).toBe(2)
    expect(result.stderr).toContain('name at least one CSV')
    expect(result.stderr).not.toContain('\u001b')
  })
})

test('budgets that look back say again what they said: windows and baselines of history', async () => {
  const project = createProject({
    'specs/a.probe.ts': simulatedProbe({ rounds: 8 }),
    'slo.yaml': `version: 1
defaults: { min_samples: 2, per: target }
budgets:
  - { limit: p50 ttft < 200s, window: 7d }
  - { limit: p50 ttft <= baseline + 1000%, baseline: { history: 30d }, on_inconclusive: warn }
`,
  })
  await project.run(['run', '--project', 'slo'])
  await project.run(['run', '--project', 'slo'])
  const again = await command(project, ['report', 'slo-report/samples.csv', '--out', 'again'])
  expect(again.stderr).not.toContain('vitest-slo:')
  for (const file of REPORTS) expect(project.read(`again/${file}`)).toBe(project.read(`slo-report/${file}`))
})
