import { SloError } from '../errors.ts'

/**
 * Runs what a spec file called. Vitest prints the message of an error and not its hint, so the way out goes into the
 * message.
 */
export function inSpec<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    if (!(error instanceof SloError) || error.hint === undefined) throw error
    const told = new SloError(error.code, `${error.message}\n${error.hint}`, { facts: error.facts })
    told.stack = `${told.name}: ${told.message}\n${(error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n')}`
    throw told
  }
}
