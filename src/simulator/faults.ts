import { echoFaults } from './echo-faults.ts'
import { connectionFaults } from './connection-faults.ts'
import { dialectFaults } from './dialect-faults.ts'
import { endlessFaults } from './endless-faults.ts'
import { endingFaults } from './ending-faults.ts'
import { framingFaults } from './framing-faults.ts'
import { http2Faults } from './http2-faults.ts'
import { refusalFaults } from './refusal-faults.ts'
import { statusFaults } from './status-faults.ts'
import { streamFaults } from './stream-faults.ts'
import { usageFaults } from './usage-faults.ts'
import type { Fault } from './fault.ts'

const anyDialect: Readonly<Record<string, Fault>> = {
  ...statusFaults,
  ...refusalFaults,
  ...connectionFaults,
  ...http2Faults,
}

/** Every way to misbehave, by its name. */
export const faults: Readonly<Record<string, Fault>> = {
  ...anyDialect,
  ...endingFaults,
  ...endlessFaults,
  ...streamFaults,
  ...framingFaults,
  ...dialectFaults,
  ...usageFaults,
  ...echoFaults,
}

/** Names of those that look into no event; the others are written for chat completions. */
export const faultsOfAnyDialect: readonly string[] = Object.keys(anyDialect)

/** Names of all faults, in the order of the table. */
export const faultNames: readonly string[] = Object.keys(faults)
