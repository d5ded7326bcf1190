/**
 * What the simulator throws at its caller. Shaped like the package's own errors (`code`, `hint`), and yet its own: the
 * simulator must start without any of the code that it is there to test.
 */
export class SimulatorError extends Error {
  override readonly name = 'SimulatorError'
  /** `PROFILE_INVALID`: no such profile, or not a profile. `SIMULATOR_FAILED`: its process did not start. */
  readonly code: 'PROFILE_INVALID' | 'SIMULATOR_FAILED'
  readonly hint: string | undefined

  constructor(code: SimulatorError['code'], message: string, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.hint = hint
  }
}
