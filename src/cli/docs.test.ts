import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { workflowOf } from './templates.ts'

const text = readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8')
const WORKFLOW = workflowOf({ name: 'npm', exec: 'npx' }, '')
const blocks = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => block)

test('every workflow that can be copied is YAML', () => {
  expect(blocks.length).toBeGreaterThanOrEqual(7)
  for (const block of [...blocks, WORKFLOW]) {
    const document = parseDocument(block)
    expect([...document.errors, ...document.warnings].map(({ message }) => message)).toEqual([])
  }
})

test('a workflow of GitHub keeps the folder, and keeps the artifact when the run fails', () => {
  const github = [...blocks.filter((block) => block.includes('runs-on:')), WORKFLOW]
  expect(github).toHaveLength(4)
  for (const block of github) {
    const { jobs } = parseDocument(block).toJS() as {
      jobs: Record<string, { steps: { uses?: string; if?: string }[] }>
    }
    for (const { steps } of Object.values(jobs)) {
      const kept = steps.filter((step) => step.uses?.startsWith('actions/upload-artifact') === true)
      expect(kept.map((step) => step.if)).toEqual(['always()'])
    }
  }
})

test('what a push starts asks nobody: the schedule alone does, or a change that is named', () => {
  for (const block of [...blocks, WORKFLOW]) {
    const document = parseDocument(block).toJS() as { on?: unknown; schedules?: unknown; trigger?: unknown }
    expect(JSON.stringify(document.on ?? '')).not.toContain('push')
    // Azure runs a pipeline for every push unless it is told not to
    if (document.schedules !== undefined) expect(document.trigger).toBe('none')
  }
})

test('no job of GitHub is longer than the six hours that it may take', () => {
  for (const block of [...blocks.filter((each) => each.includes('runs-on:')), WORKFLOW]) {
    const { jobs } = parseDocument(block).toJS() as { jobs: Record<string, { 'timeout-minutes'?: number }> }
    for (const job of Object.values(jobs)) expect(job['timeout-minutes'] ?? 360).toBeLessThanOrEqual(360)
  }
})

test('every command that the command line has is told in its page', async () => {
  const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
  for (const name of ['init', 'plan', 'report', 'suggest', 'simulate'])
    expect(page).toMatch(new RegExp(`^\\| \`${name}[ \`]`, 'm'))
})
