export { SimulatorError } from './errors.ts'
export { loadProfile, profileNames } from './profile.ts'
export { startSimulator, type Simulator, type SimulatorOptions } from './start.ts'
