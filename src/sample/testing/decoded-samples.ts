import { readText } from '../csv-rows.ts'
import { RowDecoder } from '../decode-row.ts'
import { plainSample, SampleTable } from '../sample-table.ts'
import type { Sample } from '../types.ts'

/** The samples of a CSV text, as objects of their own. */
export function decodedSamples(text: string): Sample[] {
  const samples: Sample[] = []
  const table = new SampleTable()
  let decoder: RowDecoder | undefined
  readText(text, { name: 'samples.csv', delimiter: ',' }, (cells, line) => {
    if (decoder === undefined) decoder = new RowDecoder('samples.csv', cells.length)
    else samples.push(plainSample(table.addValues(decoder.decode(cells, line))))
  })
  return samples
}
