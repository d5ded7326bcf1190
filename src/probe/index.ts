export { startProber } from './start.ts'
export type { ProberOptions } from './start.ts'
export type { AskOrder, Prober, SimulationOrder } from './types.ts'
