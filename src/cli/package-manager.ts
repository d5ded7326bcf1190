import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** How a project is installed and its programs are called. */
export interface PackageManager {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun'
  /** In front of a program's name. */
  readonly exec: string
  /** The folder that holds the lock file: the root of a monorepo, or the project itself. */
  readonly root: string
}

const EXEC = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx' } as const

const LOCKS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
] as const

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** `packageManager` of a package.json, as `pnpm@11.2.0`. */
async function declared(dir: string): Promise<PackageManager['name'] | null> {
  try {
    const { packageManager = '' } = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8')) as {
      readonly packageManager?: string
    }
    const [, name] = /^(npm|pnpm|yarn|bun)@/.exec(packageManager) ?? []
    return name === undefined ? null : (name as PackageManager['name'])
  } catch {
    return null
  }
}

/** The package manager of a folder, by the nearest `packageManager` or lock file from there upwards, at most to the repository's root. */
export async function packageManagerOf(cwd: string): Promise<PackageManager> {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const said = await declared(dir)
    if (said !== null) return { name: said, exec: EXEC[said], root: dir }
    for (const [file, name] of LOCKS) if (await isThere(join(dir, file))) return { name, exec: EXEC[name], root: dir }
    if (dirname(dir) === dir || (await isThere(join(dir, '.git')))) return { name: 'npm', exec: EXEC.npm, root: cwd }
  }
}

/** The root of the repository that holds a folder; the folder itself where there is none. */
export async function repositoryOf(cwd: string): Promise<string> {
  for (let dir = cwd; dirname(dir) !== dir; dir = dirname(dir)) if (await isThere(join(dir, '.git'))) return dir
  return cwd
}
