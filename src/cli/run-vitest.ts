import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { messageOf, SloError } from '../errors.ts'

/** What a finished Vitest leaves. */
export interface FinishedVitest {
  readonly code: number | null
  /** Standard output and error, as they came. */
  readonly output: string
}

/** @throws SloError `USAGE` where the project has no Vitest */
async function vitestOf(cwd: string): Promise<string> {
  try {
    const manifest = createRequire(join(cwd, 'package.json')).resolve('vitest/package.json')
    const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as {
      readonly bin: string | { readonly vitest: string }
    }
    return join(dirname(manifest), typeof bin === 'string' ? bin : bin.vitest)
  } catch (error) {
    throw new SloError('USAGE', `there is no Vitest in ${cwd}`, {
      hint: 'call this in the project that holds vitest.config.ts, after npm install',
      cause: messageOf(error),
    })
  }
}

/** Runs the project's own Vitest and waits for it. */
export async function runVitest(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<FinishedVitest> {
  const program = await vitestOf(cwd)
  const child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
