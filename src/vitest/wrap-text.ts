import { stripVTControlCharacters } from 'node:util'

const widthOf = (text: string): number => stripVTControlCharacters(text).length

/** Text on lines of at most `columns`, broken between words; later lines are indented. A word that is too long stays whole. */
export function wrapText(text: string, columns: number, indent: number): string {
  const lines: string[] = []
  // single spaces only: what stands in front, as "slo  note:", stays as it is
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const line = lines.at(-1)
    if (line !== undefined && widthOf(line) + 1 + widthOf(word) <= columns) lines.splice(-1, 1, `${line} ${word}`)
    else lines.push(line === undefined ? word : `${' '.repeat(indent)}${word}`)
  }
  return lines.join('\n')
}
