import { comparisonCells, comparisonRates } from './comparisons.ts'
import type { ComparisonCell } from './comparisons.ts'
import { countCells, countRates } from './counts.ts'
import type { CountCell } from './counts.ts'
import { nightCells, nightRates } from './nights.ts'
import type { NightCell } from './nights.ts'
import { slowHourCells, slowHourRates } from './slow-hour.ts'
import type { SlowHourCell } from './slow-hour.ts'
import type { Rate } from './rates.ts'

/** One row of a table, to be simulated on its own. Plain JSON. */
export type Cell = CountCell | SlowHourCell | ComparisonCell | NightCell

/** A table and its rows. */
export interface Table {
  readonly title: string
  readonly cells: readonly Cell[]
}

/** All tables, in the order in which they are printed. */
export const TABLES: readonly Table[] = [
  ...[95, 99].map((percentile) => ({ title: `p${percentile} of a fixed limit`, cells: countCells(percentile) })),
  { title: 'a true 1 % that sits in one hour of 24, over 24 h', cells: slowHourCells },
  ...[50, 95, 99].map((percentile) => ({
    title: `p${percentile} against a baseline of the same run, + 10 %`,
    cells: comparisonCells.filter((cell) => cell.percentile === percentile),
  })),
  { title: 'p50 of tonight against 19 nights that differ by 10 %', cells: nightCells },
]

/** Simulates a row. */
export function ratesOf(cell: Cell, runs: number): readonly Rate[] {
  switch (cell.table) {
    case 'counts':
      return countRates(cell, runs)
    case 'slow hour':
      return slowHourRates(cell, runs)
    case 'comparisons':
      return comparisonRates(cell, runs)
    case 'nights':
      return nightRates(cell, runs)
  }
}
