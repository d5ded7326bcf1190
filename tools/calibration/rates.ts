import { binomialUpperTail } from '../../src/statistics/index.ts'

/** One rate of the tables. */
export interface Rate {
  /** Row and column, for people and for the JSON. */
  readonly row: string
  readonly column: string
  readonly name: string
  readonly hits: number
  readonly runs: number
  /** At most 5 % is claimed. */
  readonly claimed: boolean
}

/** Prints a line. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** So many claims are tested that one of them would else be called broken by chance in every other run. */
const LEVEL = 0.0005

/** Whether a rate may truly be `most`: chance alone gives as many hits in more than one run of 2,000. */
export function within({ hits, runs }: Rate, most: number): boolean {
  return binomialUpperTail(hits, runs, most) > LEVEL
}

function cell({ hits, runs, claimed }: Rate): string {
  const share = hits / runs
  const error = Math.sqrt(Math.max(share * (1 - share), 0.25 / runs / runs) / runs)
  return `${(share * 100).toFixed(1)} ±${(error * 100).toFixed(1)}${claimed ? '*' : ''}`
}

/** Rows and columns as text. */
export function tableOf(rates: readonly Rate[]): string {
  const columns = [...new Set(rates.map(({ column }) => column))]
  const rows = [...new Set(rates.map(({ row }) => row))]
  const lines = [
    ['', ...columns],
    ...rows.map((row) => [
      row,
      ...columns.map((column) => {
        const found = rates.find((rate) => rate.row === row && rate.column === column)
        return found === undefined ? '' : cell(found)
      }),
    ]),
  ]
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)))
  return lines
    .map((line) =>
      line.map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join('  '),
    )
    .join('\n')
}
