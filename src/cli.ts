#!/usr/bin/env node
import { SloError } from './errors.ts'
import { requireNode } from './node-version.ts'

/** The program `vitest-slo`. */

function print(stream: NodeJS.WriteStream): (line: string) => void {
  return (line) => void stream.write(`${line}\n`)
}

// a reader that has seen enough, as `head`, is no error
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

async function run(): Promise<number> {
  try {
    requireNode(process.versions.node)
  } catch (error) {
    if (!(error instanceof SloError)) throw error
    print(process.stderr)(`${error.message}\n${error.hint ?? ''}`)
    return 2
  }
  // what follows may need more than an old Node has
  const [{ main }, { painter }] = await Promise.all([import('./cli/main.ts'), import('./colour.ts')])
  return await main(process.argv.slice(2), {
    cwd: process.cwd(),
    env: process.env,
    out: print(process.stdout),
    err: print(process.stderr),
    paint: painter(process.stdout),
    paintErr: painter(process.stderr),
  })
}

process.exitCode = await run()
