import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProject } from './testing/project.ts'
import type { Project } from './testing/project.ts'
import { EASY_BUDGETS, simulatedProbe } from './testing/specs.ts'

function slots(project: Project): readonly string[] {
  return project.rows().map((row) => `${row['round']}/${row['target']}/${row['prompt']}`)
}

/** Resolves when the CSV has that many rows: the run itself says so, no clock is asked. */
async function waitForRows(project: Project, count: number): Promise<void> {
  while (project.rows().length < count) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('an interrupted run', () => {
  test('Ctrl+C: reports of what there is, exit 130; the next run goes on', async () => {
    const project = createProject({
      'a.probe.ts': simulatedProbe({ rounds: 12, timeScale: 50 }),
      'slo.yaml': EASY_BUDGETS,
    })
    const running = project.start(['run', '--project', 'slo'])
    await waitForRows(project, 5)
    running.child.kill('SIGINT')
    const first = await running.finished
    expect(first.code).toBe(130)
    expect(first.stderr).toContain('interrupted')
    expect(JSON.parse(project.read('slo-report/report.json'))).toMatchObject({
      run: { interrupted: true, complete: false },
    })
    expect(project.has('slo-report/junit.xml')).toBe(true)
    const kept = project.rows().filter((row) => row['error_kind'] !== 'aborted').length
    const second = await project.run(['run', '--project', 'slo'])
    expect(second.code).toBe(0)
    expect(second.stderr).toContain(`goes on: ${kept} of 24 samples are there`)
    const asked = project.rows().filter((row) => row['error_kind'] !== 'aborted')
    expect(new Set(asked.map((row) => row['run_id'])).size).toBe(1)
    expect(asked).toHaveLength(24)
    expect(new Set(slots(project)).size).toBe(24)
    expect(new Set(project.rows().map((row) => row['seq'])).size).toBe(project.rows().length)
  })

  test('Ctrl+C at any moment of the start ends the run: it is not lost while things are being loaded', async () => {
    const files = { 'a.probe.ts': simulatedProbe({ rounds: 2000, timeScale: 50 }), 'slo.yaml': EASY_BUDGETS }
    for (const delay of [0, 100, 200, 300, 400, 500, 600]) {
      const running = createProject(files).start(['run', '--project', 'slo'])
      await running.sees('RUN')
      await new Promise((resolve) => setTimeout(resolve, delay))
      running.child.kill('SIGINT')
      const end = await running.finished
      expect({ delay, code: end.code, signal: end.signal }).toEqual({ delay, code: 130, signal: null })
    }
  })

  test('kill -9 in round 3: no sample lost, none doubled, the schedule goes on', async () => {
    const project = createProject({
      'a.probe.ts': simulatedProbe({ rounds: 8, timeScale: 50 }),
      'slo.yaml': EASY_BUDGETS,
    })
    const running = project.start(['run', '--project', 'slo'])
    await waitForRows(project, 7)
    running.child.kill('SIGKILL')
    await running.finished
    const before = readFileSync(join(project.dir, 'slo-report/samples.csv'), 'utf8')
    const second = await project.run(['run', '--project', 'slo'])
    expect(second.code).toBe(0)
    expect(second.stderr).toContain('goes on')
    expect(project.read('slo-report/samples.csv').startsWith(before)).toBe(true)
    expect(project.rows()).toHaveLength(16)
    expect(new Set(slots(project)).size).toBe(16)
    const third = await project.run(['run', '--project', 'slo'])
    expect(third.stderr).not.toContain('goes on')
    expect(project.rows()).toHaveLength(32)
  })

  test('SLO_FRESH=1 starts anew', async () => {
    const project = createProject({
      'a.probe.ts': simulatedProbe({ rounds: 8, timeScale: 50 }),
      'slo.yaml': EASY_BUDGETS,
    })
    const running = project.start(['run', '--project', 'slo'])
    await waitForRows(project, 3)
    running.child.kill('SIGKILL')
    await running.finished
    const kept = project.rows().length
    const second = await project.run(['run', '--project', 'slo'], { SLO_FRESH: '1' })
    expect(second.stderr).not.toContain('goes on')
    expect(project.rows()).toHaveLength(kept + 16)
  })

  test('half a row at the end of the CSV is put aside, and said', async () => {
    const project = createProject({ 'a.probe.ts': simulatedProbe({ rounds: 2 }), 'slo.yaml': EASY_BUDGETS })
    await project.run(['run', '--project', 'slo'])
    const file = join(project.dir, 'slo-report/samples.csv')
    const whole = readFileSync(file, 'utf8')
    const torn = whole.trimEnd().split('\r\n').at(-1)?.slice(0, 40) ?? ''
    appendFileSync(file, torn)
    const second = await project.run(['run', '--project', 'slo'])
    expect(second.code).toBe(0)
    expect(second.stderr).toContain('samples.csv.torn')
    expect(project.read('slo-report/samples.csv.torn')).toContain(torn)
    expect(project.rows()).toHaveLength(8)
  })

  test('a spec worker that dies: reports of what there is, exit 2', async () => {
    const project = createProject({
      'a.probe.ts': simulatedProbe({ rounds: 6 }).replace(
        "bye: text('Say good bye.')",
        "bye: (ctx) => { if (ctx.round === 3) (process as any).reallyExit(7); return 'Say good bye.' }",
      ),
      'slo.yaml': EASY_BUDGETS,
    })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.output).toContain('the spec worker died')
    const rows = project.rows()
    expect(rows.length).toBeGreaterThanOrEqual(6)
    expect(JSON.parse(project.read('slo-report/report.json'))).toMatchObject({
      run: { sampled: rows.length, complete: false },
    })
  })

  test('a prompt function that throws ends the run with reports, exit 2', async () => {
    const project = createProject({
      'a.probe.ts': simulatedProbe({ rounds: 4 }).replace(
        "bye: text('Say good bye.')",
        "bye: (ctx) => { if (ctx.round === 2) throw new Error('no more prompts'); return 'Say good bye.' }",
      ),
      'slo.yaml': EASY_BUDGETS,
    })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.output).toContain('no more prompts')
    expect(project.has('slo-report/summary.md')).toBe(true)
  })

  test('a prompt that never comes does not hold Ctrl+C up', async () => {
    const project = createProject({
      'a.probe.ts': simulatedProbe({ rounds: 4 }).replace(
        "bye: text('Say good bye.')",
        "bye: (ctx) => (ctx.round === 1 ? new Promise(() => {}) : 'Say good bye.')",
      ),
      'slo.yaml': EASY_BUDGETS,
    })
    const running = project.start(['run', '--project', 'slo'])
    await waitForRows(project, 2)
    running.child.kill('SIGINT')
    // `timeout` signals its child, then the whole group
    running.child.kill('SIGTERM')
    const end = await running.finished
    expect(end.code).toBe(130)
    expect(project.has('slo-report/summary.md')).toBe(true)
  })

  test.each([
    [
      'a round that the plan does not have',
      (row: string) => row.replace(/^((?:[^,]*,){4})\d+,/, '$199,'),
      'has round 99',
    ],
    ['a row that stands twice', (row: string) => `${row}\r\n${row}`, 'twice'],
    ['a target that the plan does not have', (row: string) => row.replace(',gemma,', ',zz,'), 'is no cell of its plan'],
    [
      'a time below zero',
      (row: string) => row.replace(/,(\d+\.?\d*),(\d+\.?\d*),answer,/, ',-5,$2,answer,'),
      'never negative',
    ],
  ])('a CSV that was edited is not gone on with: %s', async (_, edit, words) => {
    const project = createProject({
      'a.probe.ts': simulatedProbe({ rounds: 40, timeScale: 50 }),
      'slo.yaml': EASY_BUDGETS,
    })
    const running = project.start(['run', '--project', 'slo'])
    await waitForRows(project, 4)
    running.child.kill('SIGKILL')
    await running.finished
    const file = join(project.dir, 'slo-report/samples.csv')
    const lines = readFileSync(file, 'utf8').split('\r\n')
    writeFileSync(file, lines.with(2, edit(lines[2] ?? '')).join('\r\n'))
    const edited = readFileSync(file, 'utf8')
    expect(edited).not.toBe(lines.join('\r\n'))
    const second = await project.run(['run', '--project', 'slo'])
    expect(second.output).toContain(words)
    expect(second.code).toBe(2)
    expect(readFileSync(file, 'utf8').startsWith(edited.slice(0, 200))).toBe(true)
  })

  test('a folder that another run holds is refused, with the way out', async () => {
    const project = createProject({
      'a.probe.ts': simulatedProbe({ rounds: 40, timeScale: 50 }),
      'slo.yaml': EASY_BUDGETS,
    })
    const first = project.start(['run', '--project', 'slo'])
    await waitForRows(project, 1)
    const second = await project.run(['run', '--project', 'slo'])
    expect(second.code).toBe(2)
    expect(second.output).toContain(String(first.child.pid))
    first.child.kill('SIGKILL')
    await first.finished
  })

  test('a full disk: rows stay readable, verdicts in the terminal, what could not be written is named, exit 2', async () => {
    const project = createProject({ 'a.probe.ts': simulatedProbe({ rounds: 40 }), 'slo.yaml': EASY_BUDGETS })
    const run = await project.runWithFileLimit(8, ['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('COULD NOT WRITE samples.csv')
    expect(run.output).toContain('p50 ttft < 200s')
    const rows = project.rows()
    expect(rows.length).toBeGreaterThan(5)
    expect(rows.every((row) => row['request_id'] !== '')).toBe(true)
    expect(run.stderr).toContain(`${rows.length} of 80 samples`)
    // with room again, the same run goes on
    const second = await project.run(['run', '--project', 'slo'])
    expect(second.code).toBe(0)
    expect(second.stderr).toContain(`goes on: ${rows.length} of 80`)
    expect(new Set(slots(project)).size).toBe(80)
  })

  test('a report that cannot be written is named, verdicts stand in the terminal, exit 2', async () => {
    const project = createProject({ 'a.probe.ts': simulatedProbe({ rounds: 2 }), 'slo.yaml': EASY_BUDGETS })
    // a folder where the file should go: fails for root, too
    project.write({ 'slo-report/summary.md/taken': '' })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('COULD NOT WRITE summary.md')
    expect(run.stdout).toMatch(/Tests +6 passed/)
    expect(project.has('slo-report/junit.xml')).toBe(true)
  })
})
