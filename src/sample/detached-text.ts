/** The same text with memory of its own: a part that was cut out of a long text keeps all of that text alive. */
export function detachedText(text: string): string {
  // UTF-16, as lone surrogates have no UTF-8
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
