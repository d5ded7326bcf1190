import { describe, expect, test } from 'vitest'
import { isAsked } from './asked.ts'

const nothing = { run: false, watch: false, projectName: 'slo', projectFilters: [], fileFilters: [] }

describe('isAsked', () => {
  test.each([
    ['a plain run', {}, false],
    ['SLO_RUN=1', { run: true }, true],
    ['--project slo', { projectFilters: ['slo'] }, true],
    ['--project sl*', { projectFilters: ['sl*'] }, true],
    ['--project *, which names nothing', { projectFilters: ['*'] }, false],
    ['--project !tests', { projectFilters: ['!tests'] }, false],
    ['--project tests', { projectFilters: ['tests'] }, false],
    ['a probe file', { fileFilters: ['specs/a.probe.ts'] }, true],
    ['a probe file without its ending', { fileFilters: ['a.probe'] }, true],
    ['a line of a probe file', { fileFilters: ['specs/a.probe.ts:12'] }, true],
    ['a folder', { fileFilters: ['specs'] }, false],
    ['a file about probes', { fileFilters: ['a.probes.test.ts'] }, false],
    ['watch mode with --project slo', { watch: true, projectFilters: ['slo'] }, false],
    ['watch mode with a probe file', { watch: true, fileFilters: ['a.probe.ts'] }, false],
    ['watch mode with SLO_RUN=1', { watch: true, run: true }, true],
  ])('%s', (_, change, expected) => {
    expect(isAsked({ ...nothing, ...change })).toBe(expected)
  })
})
