import { styleText } from 'node:util'

/** What a piece of text is shown as. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Text in a style, or as it is where the stream takes no colour. */
export type Paint = (style: Style, text: string) => string

/** No colour at all. */
export const plain: Paint = (_style, text) => text

/**
 * Colours for what is written to a stream: none without a terminal, with `NO_COLOR` or with `TERM=dumb`; `FORCE_COLOR` is asked before
 * them.
 */
export function painter(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream })
}
