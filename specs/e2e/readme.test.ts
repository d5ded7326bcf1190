import { execFile } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { columns } from '../../src/sample/columns.ts'
import { faultNames } from '../../src/simulator/faults.ts'
import { createProject } from './testing/project.ts'
import type { Project } from './testing/project.ts'

const repository = fileURLToPath(new URL('../../', import.meta.url))
const readme = readFileSync(join(repository, 'README.md'), 'utf8')

interface Block {
  readonly kind: string
  readonly name: string
  readonly text: string
}

/** Code blocks that stand behind `<!-- kind: name -->`. */
const blocks: readonly Block[] = [...readme.matchAll(/<!-- (\w+): (\S+) -->\n+```\w+\n([\s\S]*?)\n```/g)].map(
  ([, kind = '', name = '', text = '']) => ({ kind, name, text }),
)

function block(kind: string, name: string): string {
  const found = blocks.find((each) => each.kind === kind && each.name === name)
  if (found === undefined) throw new Error(`the README has no ${kind} ${name}`)
  return found.text
}

/** What differs between two runs, taken out: ids, times of day, measured numbers. */
function normal(line: string): string {
  return line
    .replace(/run \S+ complete/, 'run ID complete')
    .replace(/slo-sim-[0-9a-f]+/, 'REQUEST')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME')
    .replace(/(Start at|Duration) .*/, '$1')
    .replace(/(?<![\w.])\d+(?:\.\d+)? ?(?:ms|s)(?= |$|,)/g, 'TIME')
    .replace(/\b(?:short|medium)\b/, 'PROMPT')
    .replace(/\d+(?= (?:of \d+ )?beyond)/, 'K')
    .replace(/ +/g, ' ')
    .trim()
}

function normalLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map(normal)
    .filter((line) => line !== '')
}

/** The shown lines, in this order, among those of the run. */
function expectShown(name: string, output: string): void {
  const left = [...normalLines(output)]
  for (const line of normalLines(block('output', name))) {
    const at = left.indexOf(line)
    expect(at, `the README shows a line that the run does not:\n${line}\n\nin what is left of\n${output}`).not.toBe(-1)
    left.splice(0, at + 1)
  }
}

/** The environment and arguments of `A=1 B=2 npx vitest …`. */
function practice(): { readonly env: Record<string, string>; readonly args: readonly string[] } {
  const words = block('command', 'practice').split(/\s+/)
  const npx = words.indexOf('npx')
  expect(words.slice(npx, npx + 2)).toEqual(['npx', 'vitest'])
  const env = Object.fromEntries(words.slice(0, npx).map((word) => word.split('=') as [string, string]))
  return { env, args: words.slice(npx + 2) }
}

let project: Project

beforeAll(() => {
  const files = blocks.filter((each) => each.kind === 'file').map((each) => [each.name, `${each.text}\n`])
  project = createProject(Object.fromEntries(files) as Record<string, string>)
})

describe('README', () => {
  test('shows the four files of a project', () => {
    const names = blocks.filter((each) => each.kind === 'file').map((each) => each.name)
    expect(names).toEqual(['vitest.config.ts', 'specs/chat.probe.ts', 'slo.yaml', 'src/add.test.ts'])
  })

  test('a plain run of Vitest says what the README shows', async () => {
    const run = await project.run(['run'])
    expect(run.code, run.output).toBe(0)
    // where a file's line stands depends on what ends first
    for (const line of normalLines(block('output', 'plain'))) expect(normalLines(run.output)).toContain(line)
  })

  test('practice says what the README shows, and leaves its files', async () => {
    const { env, args } = practice()
    const run = await project.run(args, env)
    expect(run.code, run.output).toBe(0)
    expectShown('practice', run.output)
    const table = /## What comes out\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? ''
    const files = [...table.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, file = '']) => file)
    expect(files).toContain('samples.csv')
    expect([...readdirSync(join(project.dir, 'slo-report'))].sort()).toEqual([...files].sort())
  })

  test('a failing budget looks as the README shows', async () => {
    const [, from = '', to = ''] = /Change `([^`]+)` to `([^`]+)`/.exec(readme) ?? []
    const budgets = project.read('slo.yaml')
    expect(budgets).toContain(from)
    project.write({ 'slo.yaml': budgets.replace(from, to) })
    const { env, args } = practice()
    const run = await project.run(args, env)
    project.write({ 'slo.yaml': budgets })
    expect(run.code, run.output).toBe(1)
    // the frame of the test comes from stderr, the last lines of the run too
    expectShown('breach', `${run.stdout}\n${run.stderr}`)
  })

  test('without the key nothing is asked, and the variable is named', async () => {
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.output).toContain('MODEL_ACCESS_KEY is not set')
  })
})

/** TypeScript examples of a page. */
function examples(page: string): readonly string[] {
  const text = readFileSync(join(repository, page), 'utf8')
  return [...text.matchAll(/```ts\n([\s\S]*?)\n```/g)].map(([, code = '']) => code)
}

test('the TypeScript of README and docs is typed as it stands', async () => {
  const pages = ['docs/spec-api.md', 'docs/failures.md', 'docs/providers.md']
  const files = pages.flatMap((page) => examples(page).map((code, index) => [page.replace(/\W/g, '-') + index, code]))
  expect(files.length).toBeGreaterThan(5)
  for (const [name = '', code = ''] of files) writeFileSync(join(project.dir, `${name}.ts`), `${code}\nexport {}\n`)
  const options = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(repository, 'node_modules/@types')],
  }
  const names = ['vitest.config.ts', 'specs/chat.probe.ts', 'src/add.test.ts', ...files.map(([name]) => `${name}.ts`)]
  project.write({ 'tsconfig.json': JSON.stringify({ compilerOptions: options, files: names }) })
  const compiler = join(inject('workshop'), 'node_modules/typescript/bin/tsc')
  const errors = await new Promise<string>((done) => {
    execFile(process.execPath, [compiler, '--noEmit', '-p', project.dir], (error, stdout, stderr) =>
      done(error === null ? '' : `${stdout}${stderr}${error.message}`),
    )
  })
  expect(errors).toBe('')
})

/** README, its neighbours and every page of `docs/`. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(repository, 'docs')).map((page) => `docs/${page}`),
].filter((page) => page.endsWith('.md'))

/** The anchor that GitHub gives a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .trim()
    .replace(/ /g, '-')
}

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(repository, page), 'utf8')

  test('each npm script that it names exists', () => {
    const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script)
    expect(named.filter((script) => manifest.scripts[script] === undefined)).toEqual([])
  })

  test('each link to a file or a heading leads there', () => {
    const links = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const dead = links
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path = '', heading] = link.split('#')
        const file = path === '' ? join(repository, page) : resolve(repository, dirname(page), path)
        if (!existsSync(file)) return true
        if (heading === undefined) return false
        const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchor(title))
        return !headings.includes(heading)
      })
    expect(dead).toEqual([])
  })
})

function page(name: string): string {
  return readFileSync(join(repository, 'docs', name), 'utf8')
}

/** Words in backquotes in the first cell of each row of a table, below a heading. */
function firstCells(text: string, heading: string): readonly string[] {
  const [, after = ''] = text.split(`\n${heading}\n`)
  const [section = ''] = after.split(/\n#+ /)
  return [...section.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word),
  )
}

test('the page on metrics has every column of samples.csv, in order', () => {
  expect(firstCells(page('metrics.md'), '## samples.csv')).toEqual(columns)
})

test('the page on failures has every kind and every fault', () => {
  const types = readFileSync(join(repository, 'src/sample/types.ts'), 'utf8')
  const [, union = ''] = /export type ErrorKind =\n([\s\S]*?)\n\n/.exec(types) ?? []
  const kinds = [...union.matchAll(/'(\w+)'/g)].map(([, kind = '']) => kind)
  expect(kinds.length).toBeGreaterThan(10)
  expect([...firstCells(page('failures.md'), '## Kinds')].sort()).toEqual(kinds.sort())
  const faults = firstCells(page('failures.md'), '## Faults of the simulator')
  expect([...faults].sort()).toEqual([...faultNames].sort())
})

test('the page on specs has every variable that a run reads', () => {
  const source = readFileSync(join(repository, 'src/spec/environment.ts'), 'utf8')
  const read = new Set([...source.matchAll(/'(SLO_\w+)'/g)].map(([, name = '']) => name))
  expect([...firstCells(page('spec-api.md'), '## Environment variables')].sort()).toEqual([...read].sort())
})
