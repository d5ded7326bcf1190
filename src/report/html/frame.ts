import { escaped } from './escape.ts'

/** The drawing area of every chart, in the units of its view box; small, so that text stays readable at 360 px. */
export const WIDTH = 420
export const HEIGHT = 260
export const LEFT = 64
export const RIGHT = 404
export const TOP = 14
export const BOTTOM = 218

/** A scale with places for ticks. */
export interface Axis {
  readonly label: string
  readonly ticks: readonly { readonly at: number; readonly text: string }[]
}

const n = (value: number): string => String(Math.round(value * 10) / 10)
export { n as coordinate }

/** Ticks at the ends stay within the drawing. */
function anchorOf(at: number): 'start' | 'middle' | 'end' {
  if (at > RIGHT - 12) return 'end'
  return at < LEFT + 4 ? 'start' : 'middle'
}

/** Widest that a character of a tick is drawn. */
const CHARACTER = 7

/** Ticks with their texts, left out where they would lie on the one before. */
function apart(ticks: Axis['ticks']): Axis['ticks'] {
  let free = -Infinity
  return ticks.map((tick) => {
    const width = tick.text.length * CHARACTER
    const from = tick.at - { start: 0, middle: width / 2, end: width }[anchorOf(tick.at)]
    if (from < free) return { ...tick, text: '' }
    free = from + width
    return tick
  })
}

function axisMarks(x: Axis, y: Axis): string {
  return [
    ...y.ticks.map(
      ({ at, text }) =>
        `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${n(at)}" y2="${n(at)}"/><text class="tick" x="${LEFT - 5}" y="${n(at + 4)}" text-anchor="end">${escaped(text)}</text>`,
    ),
    ...apart(x.ticks).map(
      ({ at, text }) =>
        `<line class="grid" x1="${n(at)}" x2="${n(at)}" y1="${TOP}" y2="${BOTTOM}"/><text class="tick" x="${n(at)}" y="${BOTTOM + 16}" text-anchor="${anchorOf(at)}">${escaped(text)}</text>`,
    ),
    `<line class="axis" x1="${LEFT}" x2="${RIGHT}" y1="${BOTTOM}" y2="${BOTTOM}"/><line class="axis" x1="${LEFT}" x2="${LEFT}" y1="${TOP}" y2="${BOTTOM}"/>`,
    `<text x="${(LEFT + RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escaped(x.label)}</text>`,
  ].join('\n')
}

/** A key of the legend. */
export interface Key {
  readonly name: string
  readonly series: number
  /** A limit has no series: it is dashed, in its own colour. */
  readonly mark: 'line' | 'dot' | 'limit'
}

function keyMark({ series, mark }: Key): string {
  const style = series % 6
  switch (mark) {
    case 'line':
      return `<line class="line s${style} d${style}" x1="0" x2="26" y1="6" y2="6"/>`
    case 'dot':
      return `<circle class="dot s${style}" cx="13" cy="6" r="5"/>`
    case 'limit':
      return '<line class="limit" x1="0" x2="26" y1="6" y2="6"/>'
    default:
      return mark satisfies never
  }
}

/** One series alone needs no name: the heading has it. */
function keyList(keys: readonly Key[]): string {
  const shown =
    keys.filter(({ mark }) => mark !== 'limit').length < 2 ? keys.filter(({ mark }) => mark === 'limit') : keys
  if (shown.length === 0) return ''
  const items = shown.map(
    (key) =>
      `<li><svg viewBox="0 0 26 12" aria-hidden="true" focusable="false">${keyMark(key)}</svg>${escaped(key.name)}</li>`,
  )
  return `<ul class="keys">${items.join('')}</ul>`
}

/** What stands around the marks of a chart. */
export interface FrameOptions {
  readonly title: string
  /** The chart in a sentence, with its numbers. */
  readonly description: string
  readonly x: Axis
  readonly y: Axis
  readonly keys: readonly Key[]
  /** Markup within the drawing area. */
  readonly marks: string
  /** Room that the marks take above it. @default 0 */
  readonly above?: number
  /** The numbers as a table. */
  readonly table: string
  /** Starts ids, so that no two of a page are the same. */
  readonly id: string
}

/** A figure: caption, drawing with its text, legend, sentence, numbers. */
export function figure(options: FrameOptions): string {
  const { title, description, x, y, keys, marks, above = 0, table, id } = options
  return `<figure><figcaption>${escaped(title)}</figcaption>
<p>${escaped(y.label)}</p>
<svg viewBox="0 ${-above} ${WIDTH} ${HEIGHT + above}" role="img" aria-labelledby="${id}-t ${id}-d" focusable="false"><title id="${id}-t">${escaped(title)}</title><desc id="${id}-d">${escaped(description)}</desc>
${axisMarks(x, y)}
${marks}
</svg>
${keyList(keys)}
<p>${escaped(description)}</p>
<details><summary>Numbers<span class="soft"> of: ${escaped(title)}</span></summary>${table}</details></figure>`
}
