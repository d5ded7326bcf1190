/** What a spreadsheet takes for a formula, behind any number of apostrophes, which are its mark for "this is text". */
const FORMULA = /^'*[=+\-@\t\r]/
const NEUTRALISED = /^'+[=+\-@\t\r]/

/** Text that no spreadsheet runs: an apostrophe goes before a first `= + - @`, tab or CR, and before such an apostrophe, so that {@link restore} is exact. */
export function neutralise(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** Undoes {@link neutralise}. */
export function restore(text: string): string {
  return NEUTRALISED.test(text) ? text.slice(1) : text
}
