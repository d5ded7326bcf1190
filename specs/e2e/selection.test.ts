import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProject } from './testing/project.ts'
import { EASY_BUDGETS, simulatedProbe } from './testing/specs.ts'

const FILES = { 'a.probe.ts': simulatedProbe({ rounds: 2 }), 'slo.yaml': EASY_BUDGETS }

function promptsOf(rows: readonly Record<string, string>[]): ReadonlySet<string | undefined> {
  return new Set(rows.map((row) => row['prompt']))
}

describe('only what is selected is sampled', () => {
  test('vitest list names the tests and asks nothing', async () => {
    const project = createProject(FILES)
    const run = await project.run(['list', '--project', 'slo'])
    expect(run.stdout).toContain('practice > gemma > hello > sampled')
    expect(run.stdout).toContain('practice > gemma > bye > p50 ttft < 200s')
    expect(project.has('slo-report')).toBe(false)
  })

  test('-t', async () => {
    const project = createProject(FILES)
    const run = await project.run(['run', '--project', 'slo', '-t', 'hello'])
    expect(run.code).toBe(0)
    expect(promptsOf(project.rows())).toEqual(new Set(['hello']))
    expect(project.rows()).toHaveLength(2)
  })

  test('-t that matches nothing is a broken gate where probes were asked for by name', async () => {
    const project = createProject(FILES)
    const asked = await project.run(['run', '--project', 'slo', '-t', 'helo'])
    expect(asked.code).toBe(2)
    expect(asked.output).toContain(
      'no cell of a probe was selected: nothing was asked, and no budget was judged (exit code 2)',
    )
    // the filter may have meant the tests of others
    expect((await project.run(['run', '-t', 'helo'], { SLO_RUN: '1' })).code).toBe(0)
    expect(project.has('slo-report')).toBe(false)
  })

  test('-t on a budget that pools samples the whole pool', async () => {
    const project = createProject({
      ...FILES,
      'slo.yaml': 'version: 1\nbudgets:\n  - { id: pooled, limit: p50 ttft < 200s, per: target, min_samples: 2 }\n',
    })
    const run = await project.run(['run', '--project', 'slo', '-t', 'pooled'])
    expect(run.code).toBe(0)
    expect(promptsOf(project.rows())).toEqual(new Set(['hello', 'bye']))
  })

  test('a file filter', async () => {
    const project = createProject({
      ...FILES,
      'b.probe.ts': simulatedProbe({ rounds: 2 }).replace("'practice'", "'other'"),
    })
    const run = await project.run(['run', 'b.probe.ts'])
    expect(run.code).toBe(0)
    expect(new Set(project.rows().map((row) => row['probe']))).toEqual(new Set(['other']))
  })

  test('a filter that leaves nothing out is none: a budget that matches nothing is a mistake as ever', async () => {
    const project = createProject({
      ...FILES,
      'slo.yaml': 'version: 1\nbudgets:\n  - { limit: p50 ttft < 200s, min_samples: 2, where: { target: gema } }\n',
    })
    for (const filter of [['a.probe'], ['--project', 'slo', '--shard', '1/1'], ['--project', 'slo', 'probe']]) {
      const run = await project.run(['run', ...filter])
      expect(run.code, filter.join(' ')).toBe(2)
      expect(run.output).toContain('no target matches `gema`')
    }
    expect(project.has('slo-report/samples.csv')).toBe(false)
  })

  test('probe.skip and probe.only', async () => {
    const both = `${simulatedProbe({ rounds: 2 })}${simulatedProbe({ rounds: 2 })
      .replace(/^import.*\n/, '')
      .replace("'practice'", "'other'")}`
    const skip = createProject({ ...FILES, 'a.probe.ts': both.replace("probe('practice'", "probe.skip('practice'") })
    expect((await skip.run(['run', '--project', 'slo'])).code).toBe(0)
    expect(new Set(skip.rows().map((row) => row['probe']))).toEqual(new Set(['other']))
    const only = createProject({ ...FILES, 'a.probe.ts': both.replace("probe('practice'", "probe.only('practice'") })
    expect((await only.run(['run', '--project', 'slo'])).code).toBe(0)
    expect(new Set(only.rows().map((row) => row['probe']))).toEqual(new Set(['practice']))
  })

  test('--shard, and --merge-reports of the blobs', async () => {
    const project = createProject({
      ...FILES,
      'b.probe.ts': simulatedProbe({ rounds: 2 }).replace("'practice'", "'other'"),
    })
    const shard = (index: number) =>
      project.run(
        ['run', '--project', 'slo', '--shard', `${index}/2`, '--reporter=blob', `--outputFile=blobs/${index}.json`],
        { SLO_OUT: `out-${index}` },
      )
    expect((await shard(1)).code).toBe(0)
    expect((await shard(2)).code).toBe(0)
    const probes = [1, 2].map((index) => new Set(project.rows(`out-${index}/samples.csv`).map((row) => row['probe'])))
    expect(probes.map((each) => each.size)).toEqual([1, 1])
    expect(probes[0]).not.toEqual(probes[1])
    expect(readdirSync(join(project.dir, 'blobs'))).toHaveLength(2)
    const merged = await project.run(['run', '--merge-reports=blobs'])
    expect(merged.stdout).toMatch(/Tests +12 passed/)
    expect(merged.stderr).not.toContain('nothing was asked')
    expect(merged.code).toBe(0)
  })

  test('the usual reporters see budgets as tests', async () => {
    const project = createProject(FILES)
    const run = await project.run([
      'run',
      '--project',
      'slo',
      '--reporter=json',
      '--outputFile.json=vitest.json',
      '--reporter=junit',
      '--outputFile.junit=vitest.xml',
    ])
    expect(run.code).toBe(0)
    const json = JSON.parse(project.read('vitest.json')) as { numPassedTests: number }
    expect(json.numPassedTests).toBe(6)
    expect(project.read('vitest.xml')).toContain('practice &gt; gemma &gt; hello &gt; p50 ttft &lt; 200s')
  })

  test('watch mode asks nothing without SLO_RUN=1, even with --project', async () => {
    const project = createProject(FILES)
    const watch = project.start(['--watch', '--project', 'slo'])
    await watch.sees('SLO_RUN=1')
    watch.child.kill('SIGTERM')
    await watch.finished
    expect(project.has('slo-report')).toBe(false)
  })

  test.each([
    ['a name of its own', "{ name: 'mine' }"],
    ['projects of its own', "{ projects: [{ extends: true, test: { name: 'units', include: ['**/*.test.ts'] } }] }"],
    ['projects without names', "{ projects: [{ extends: true, test: { include: ['**/*.test.ts'] } }] }"],
  ])('the project has %s', async (_, options) => {
    const project = createProject({
      ...FILES,
      'add.test.ts': "import { test } from 'vitest'\ntest('adds', () => {})\n",
      'vitest.config.ts': `import { defineConfig } from 'vitest/config'
import { slo } from 'vitest-slo/config'
export default defineConfig({ plugins: [slo()], test: ${options} })
`,
    })
    const run = await project.run(['run'], { SLO_RUN: '1' })
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(/Tests +7 passed/)
    expect(project.rows()).toHaveLength(4)
  })

  test('slo() in the configuration of one project of several is told', async () => {
    const project = createProject({
      'vitest.config.ts': "export default { test: { projects: ['one'] } }\n",
      'one/vitest.config.ts':
        "import { slo } from 'vitest-slo/config'\nexport default { plugins: [slo()], test: { name: 'one' } }\n",
      'one/add.test.ts': "import { test } from 'vitest'\ntest('adds', () => {})\n",
    })
    const run = await project.run(['run'])
    expect(run.output).toContain('slo() belongs in the plugins of the root config')
  })
})
