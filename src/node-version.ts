import { SloError } from './errors.ts'

/** The oldest Node that runs this package; `engines` of package.json says the same. */
const OLDEST = [22, 19] as const

/**
 * Says in words that Node is too old, before something breaks for want of it.
 * @param version - as `process.versions.node`
 * @throws SloError `CONFIG_INVALID`
 */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  throw new SloError('CONFIG_INVALID', `vitest-slo needs Node ${OLDEST.join('.')} or newer, and this is ${version}`, {
    hint: 'install a newer Node, or let the project bring one: npm i -D node@24',
  })
}
