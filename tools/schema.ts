import { writeFile } from 'node:fs/promises'
import { sloSchema } from '../src/budget/index.ts'

/** Writes `schema/slo.schema.json`, for editors, from the structure that `slo.yaml` is checked against. */
await writeFile(new URL('../schema/slo.schema.json', import.meta.url), `${JSON.stringify(sloSchema(), null, 2)}\n`)
