import { coordinate } from './frame.ts'

/** A dot: where it stands, and the series whose colour it has. */
export interface Dot {
  readonly x: number
  readonly y: number
  readonly series: number
}

/** Dots as one path a series, each a stroke of no length with a round end: some ten characters a dot where a circle takes seventy. */
export function dots(all: readonly Dot[]): string {
  return [...Map.groupBy(all, ({ series }) => Math.max(0, series) % 6)]
    .map(([series, own]) => {
      const path = own.map(({ x, y }) => `M${coordinate(x)} ${coordinate(y)}h0`)
      return `<path class="dots s${series}" d="${path.join('')}"/>`
    })
    .join('\n')
}
