import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plain } from '../../colour.ts'
import { encodeHeader, encodeRow } from '../../sample/encode-row.ts'
import type { Sample } from '../../sample/types.ts'
import { main } from '../main.ts'

/** What a command answered. */
export interface Answer {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A folder, and the command line in it. */
export interface Desk {
  readonly dir: string
  run(...args: readonly string[]): Promise<Answer>
  /** The command line in a folder below. */
  in(folder: string): Pick<Desk, 'run'>
  write(files: Readonly<Record<string, string>>): void
  read(file: string): string
  remove(): void
}

/** A fresh folder whose path has a space. */
export function desk(env: Readonly<Record<string, string>> = {}): Desk {
  const dir = mkdtempSync(join(tmpdir(), 'slo cli '))
  const runIn = (cwd: string): Pick<Desk, 'run'> => ({
    async run(...args) {
      const out: string[] = []
      const err: string[] = []
      const print = (lines: string[]) => (line: string) => void lines.push(line)
      const code = await main(args, { cwd, env, out: print(out), err: print(err), paint: plain, paintErr: plain })
      return { code, out: out.join('\n'), err: err.join('\n') }
    },
  })
  return {
    dir,
    ...runIn(dir),
    in: (folder) => runIn(join(dir, folder)),
    write(files) {
      for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
    },
    read: (file) => readFileSync(join(dir, file), 'utf8'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** The text of a `samples.csv`. */
export function csvOf(samples: readonly Sample[]): string {
  return `${encodeHeader()}${samples.map(encodeRow).join('')}`
}
