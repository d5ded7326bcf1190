import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder, its path with a space, where the packed package is installed; projects are made below it. */
    workshop: string
  }
}

const repository = fileURLToPath(new URL('../../../', import.meta.url))

function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync('npm', [...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

function installed(name: string): string {
  const manifest = JSON.parse(readFileSync(join(repository, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string
  }
  return `${name}@${manifest.version}`
}

/** Packs the package and installs it as a user would: from the file, beside the Vitest of this repository's lock file. */
export default function setup(project: TestProject): () => void {
  const workshop = mkdtempSync(join(tmpdir(), 'vitest slo e2e '))
  const packed = npm(repository, 'pack', '--json', '--pack-destination', workshop)
  const [file] = JSON.parse(packed.slice(packed.indexOf('['))) as { filename: string }[]
  if (file === undefined) throw new Error('npm pack made no file')
  writeFileSync(join(workshop, 'package.json'), JSON.stringify({ name: 'workshop', private: true, type: 'module' }))
  const peers = ['vitest', 'vite', 'typescript'].map(installed)
  npm(workshop, 'install', '--no-audit', '--no-fund', '--prefer-offline', join(workshop, file.filename), ...peers)
  project.provide('workshop', workshop)
  return () => rmSync(workshop, { recursive: true, force: true })
}
