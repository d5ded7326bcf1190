import type { RunReport } from './types.ts'

/** The text of `report.json`: the whole {@link RunReport}, indented, with a line break at the end. */
export function renderJson(report: RunReport): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
