/** The instants at which the rounds of a probe are due: whole wall-clock milliseconds, `everyMs` apart, from the run's start. */
export interface Grid {
  readonly startedAt: number
  /** Over 0. */
  readonly everyMs: number
}

/** The grid point of that index: startedAt + index × everyMs, from the origin each time, so that nothing adds up to a drift. */
export function gridPoint(grid: Grid, index: number): number {
  return Math.round(grid.startedAt + index * grid.everyMs)
}

/** Index of the first grid point at or after `wallMs`; negative before the start. */
export function firstPointFrom(grid: Grid, wallMs: number): number {
  let index = Math.ceil((wallMs - grid.startedAt) / grid.everyMs)
  // Points are rounded to milliseconds and quotients to 53 bits: settle the last step on the points themselves.
  while (gridPoint(grid, index - 1) >= wallMs) index -= 1
  while (gridPoint(grid, index) < wallMs) index += 1
  // Adding 0 turns −0 into 0.
  return index + 0
}
