export { SimulatorError } from './errors.ts'
export { loadProfile, profileNames } from './profile.ts'
export { startSimulator, type Simulator } from './start.ts'
