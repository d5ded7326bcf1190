export { SimulatorError } from './errors.ts'
export { faultNames } from './faults.ts'
export { defaultProfile, loadProfile, profileNames, type Profile } from './profile.ts'
export { startSimulator, type Simulator, type SimulatorOptions } from './start.ts'
