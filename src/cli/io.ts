import type { Paint } from '../colour.ts'

/** Where a command reads and writes; `process` fills it in `src/cli.ts`. */
export interface CommandIo {
  /** Absolute; paths on the command line are relative to it. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** A line of the answer. */
  readonly out: (line: string) => void
  /** A line about the answer: progress, notes, mistakes. */
  readonly err: (line: string) => void
  /** For what goes to `out`. */
  readonly paint: Paint
  /** For what goes to `err`. */
  readonly paintErr: Paint
}

/** One word of the command line. */
export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly about: string
  /** What `--help` prints: usage, options, an example. */
  readonly help: string
  /**
   * @returns the exit code
   * @throws SloError: printed with its way out, exit 2
   */
  run(args: readonly string[], io: CommandIo): Promise<number>
}
