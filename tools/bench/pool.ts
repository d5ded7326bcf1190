import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './figures.ts'
import type { BenchResult } from './figures.ts'

/** What the probe pool adds to a run: one spec file with an empty test, against Vitest's own threads pool, interleaved. */

const PAIRS = 12
const root = fileURLToPath(new URL('../../', import.meta.url))
const vitest = join(root, 'node_modules/vitest/vitest.mjs')

const NOOP = "import { test } from 'vitest'\ntest('nothing', () => {})\n"

/** A project with the packed package: what is not below `node_modules` would go through Vite, and be slower. */
function project(): string {
  const dir = mkdtempSync(join(tmpdir(), 'bench pool '))
  const modules = join(dir, 'node_modules')
  mkdirSync(modules)
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '.bin') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  execFileSync('npm', ['pack', '--pack-destination', dir], { cwd: root, stdio: 'ignore' })
  const packed = readdirSync(dir).find((file) => file.endsWith('.tgz')) ?? ''
  execFileSync('tar', ['-xzf', join(dir, packed), '-C', modules])
  renameSync(join(modules, 'package'), join(modules, 'vitest-slo'))
  writeFileSync(join(dir, 'package.json'), '{"type":"module","private":true}')
  writeFileSync(
    join(dir, 'vitest.config.ts'),
    `import { slo } from 'vitest-slo/config'\nexport default { plugins: [slo()], test: { pool: 'threads' } }\n`,
  )
  writeFileSync(join(dir, 'a.probe.ts'), NOOP)
  writeFileSync(join(dir, 'a.test.ts'), NOOP)
  return dir
}

/** Milliseconds of a whole `vitest run`. */
async function time(dir: string, name: string): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [vitest, 'run', '--project', name], { cwd: dir, stdio: 'ignore' })
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`vitest run --project ${name} ended with ${code}`)
  return performance.now() - startedAt
}

export async function benchPool(): Promise<BenchResult> {
  const dir = project()
  try {
    const added: number[] = []
    const threads: number[] = []
    await time(dir, 'slo')
    await time(dir, 'tests')
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const own = await time(dir, 'slo')
      const other = await time(dir, 'tests')
      added.push(own - other)
      threads.push(other)
    }
    return {
      figures: [],
      notes: [
        {
          key: 'noop_spec_added_ms',
          about: `one no-op spec against the threads pool, median of ${PAIRS} pairs`,
          value: median(added),
        },
        { key: 'noop_spec_threads_ms', about: 'the same file in the threads pool, whole run', value: median(threads) },
      ],
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
