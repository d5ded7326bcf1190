export { checkProxy } from './connection-proxy.ts'
export { startProber } from './start.ts'
