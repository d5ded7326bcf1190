import type { TestProjectConfiguration, TestProjectInlineConfiguration } from 'vitest/config'

/** Name of the project that holds the probes; `--project slo` asks for it. */
export const PROJECT = 'slo'
const UNIT_PROJECT = 'tests'

interface TestConfig {
  readonly projects?: readonly TestProjectConfiguration[] | undefined
  readonly exclude?: readonly string[] | undefined
}

/**
 * The projects of a configuration with one line of set-up: unit tests keep their own pool, probes get a project beside
 * them. Where the user has projects, the probes' one is added.
 * @param defaultExclude - Vitest's own excludes, which a project's `exclude` replaces
 */
export function declareProjects(
  test: TestConfig,
  include: readonly string[],
  defaultExclude: readonly string[],
): readonly TestProjectConfiguration[] {
  const probes: TestProjectInlineConfiguration = {
    extends: true,
    test: { name: PROJECT, include: [...include] },
  }
  if (test.projects !== undefined && test.projects.length > 0) return [...test.projects, probes]
  const exclude = [...(test.exclude ?? defaultExclude), ...include]
  const units: TestProjectInlineConfiguration = { extends: true, test: { name: UNIT_PROJECT, exclude } }
  return [units, probes]
}
