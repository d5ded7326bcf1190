export { startProber } from './start.ts'
