import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Project } from './project.ts'

/** What the installed `vitest-slo` answers in a project. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program that npm put beside Vitest. */
export function command(
  project: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const program = join(inject('workshop'), 'node_modules', '.bin', 'vitest-slo')
  const kept = Object.entries(process.env).filter(([key]) => !/^(?:VITEST|SLO_|GITHUB_|CI$|FORCE_|npm_)/.test(key))
  return new Promise((resolve) => {
    const options = { cwd: project.dir, env: { ...Object.fromEntries(kept), ...env }, maxBuffer: 1 << 26 }
    const child = execFile(program, [...args], options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr })
    })
  })
}
