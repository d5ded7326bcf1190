/** 2: the gate itself is broken; 130: interrupted. 0 and 1 are Vitest's own. */
export type GateExit = 0 | 2 | 130

let wanted: GateExit = 0
let listening = false

/** Ends the process with this code, whatever Vitest sets while it closes; 130 wins over 2. */
export function demandExit(code: GateExit): void {
  wanted = code > wanted ? code : wanted
  if (listening || wanted === 0) return
  listening = true
  process.on('exit', () => {
    if (wanted !== 0) process.exitCode = wanted
  })
}

/** Watch mode: a new run starts with a clean slate. */
export function forgetExit(): void {
  wanted = 0
}
