import { SloError } from '../errors.ts'
import { SimulatorError } from '../simulator/index.ts'

/**
 * What a person reads of an error that keeps a run from starting: the message, and the way out on a line of its own.
 * Anything that is not an error of ours is a defect and is thrown on.
 */
export function refusalText(error: unknown): string {
  if (!(error instanceof SloError) && !(error instanceof SimulatorError)) throw error
  return error.hint === undefined ? error.message : `${error.message}\n  ${error.hint}`
}
