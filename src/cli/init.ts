import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { messageOf, SloError } from '../errors.ts'
import { readArguments, usageError } from './arguments.ts'
import type { Command, CommandIo } from './io.ts'
import { packageManagerOf, repositoryOf } from './package-manager.ts'
import { BUDGETS, CONFIG, SPEC, workflowOf } from './templates.ts'

const HELP = `vitest-slo init [options]

Writes a first spec, slo.yaml, a nightly workflow and, where there is none, a
configuration of Vitest into this project. Files that are there stay as they
are. The last line is the next command to type.

  --no-workflow    leave .github/workflows alone
  --help

Example:
  vitest-slo init
`

const CONFIGS = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((ending) => `${name}.${ending}`),
)

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}

async function firstThere(cwd: string, names: readonly string[]): Promise<string | null> {
  for (const name of names) if (await isThere(join(cwd, name))) return name
  return null
}

/** @throws SloError `USAGE` outside a project */
async function isModule(cwd: string): Promise<boolean> {
  try {
    const manifest = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8')) as { readonly type?: string }
    return manifest.type === 'module'
  } catch (error) {
    throw new SloError('USAGE', `no package.json can be read in ${cwd}: ${messageOf(error)}`, {
      hint: 'call this in the root of a project (npm init makes one)',
    })
  }
}

/** Some `.gitignore` has a line about the reports; not more than a guess is needed for a hint. */
async function ignoresReports(folders: readonly string[]): Promise<boolean> {
  const texts = await Promise.all(folders.map((dir) => readFile(join(dir, '.gitignore'), 'utf8').catch(() => '')))
  return texts.some((text) => /^[/*]*slo-report\/?\s*$/m.test(text))
}

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readArguments('init', args, { 'no-workflow': { type: 'boolean' } })
  if (positionals.length > 0) throw usageError('init', `what is ${positionals.join(' ')}?`)
  const manager = await packageManagerOf(io.cwd)
  // where GitHub looks for workflows, also from a package of a monorepo
  const repository = await repositoryOf(io.cwd)
  const folder = relative(repository, io.cwd).split(sep).join('/')
  const config = await firstThere(io.cwd, CONFIGS)
  const files: (readonly [string, string])[] = [
    ['specs/chat.probe.ts', SPEC],
    ['slo.yaml', BUDGETS],
    ...(values['no-workflow'] === true
      ? []
      : [
          [
            join(relative(io.cwd, repository), '.github/workflows/slo-nightly.yml'),
            workflowOf(manager, folder),
          ] as const,
        ]),
    // a config that is an ES module whatever package.json says
    ...((await isModule(io.cwd))
      ? [['vitest.config.ts', CONFIG] as const]
      : [['vitest.config.mts', CONFIG] as const]
    ).filter(() => config === null),
  ]
  for (const [name, text] of files) {
    const path = join(io.cwd, name)
    await mkdir(dirname(path), { recursive: true })
    try {
      await writeFile(path, text, { flag: 'wx' })
      io.out(`${io.paint('green', 'wrote')}  ${name}`)
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error
      io.out(`${io.paint('yellow', 'kept')}   ${name} (it was there)`)
    }
  }
  if (config !== null) {
    io.out(`kept   ${config}`)
    const text = await readFile(join(io.cwd, config), 'utf8')
    if (!text.includes('vitest-slo/config')) {
      io.out(`\nadd to ${config}:\n\n  import { slo } from 'vitest-slo/config'\n  … plugins: [slo()]`)
    }
  }
  if (!(await ignoresReports([io.cwd, repository]))) io.out('\nadd to .gitignore:\n\n  slo-report/')
  io.out(
    '\nput your model into specs/chat.probe.ts, or practise on the simulator first, about 20 s, no key, no network:\n',
  )
  io.out(`  SLO_SIMULATE=1 SLO_EVERY=0s ${manager.exec} vitest run --project slo`)
  return 0
}

/** `vitest-slo init`. */
export const initCommand: Command = {
  name: 'init',
  about: 'write a first spec, budgets and a nightly workflow',
  help: HELP,
  run,
}
