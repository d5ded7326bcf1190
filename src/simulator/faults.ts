import { echoFaults } from './echo-faults.ts'
import { connectionFaults } from './connection-faults.ts'
import { dialectFaults } from './dialect-faults.ts'
import { endlessFaults } from './endless-faults.ts'
import { endingFaults } from './ending-faults.ts'
import { framingFaults } from './framing-faults.ts'
import { refusalFaults } from './refusal-faults.ts'
import { statusFaults } from './status-faults.ts'
import { streamFaults } from './stream-faults.ts'
import { usageFaults } from './usage-faults.ts'
import type { Fault } from './fault.ts'

/** Every way to misbehave, by its name. */
export const faults: Readonly<Record<string, Fault>> = {
  ...statusFaults,
  ...refusalFaults,
  ...connectionFaults,
  ...endingFaults,
  ...endlessFaults,
  ...streamFaults,
  ...framingFaults,
  ...dialectFaults,
  ...usageFaults,
  ...echoFaults,
}

/** Names of all faults, in the order of the table. */
export const faultNames: readonly string[] = Object.keys(faults)
