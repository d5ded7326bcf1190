import * as z from 'zod'
import { fileShape } from './structure.ts'

/** The draft-7 JSON Schema of `slo.yaml`, for editors; `tools/schema.ts` writes it to `schema/slo.schema.json`. */
export function sloSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(fileShape, { target: 'draft-7', io: 'input' }) }
}
