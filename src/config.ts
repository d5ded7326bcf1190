/** What `vitest.config.ts` imports. */
export { slo } from './vitest/plugin.ts'
export type { SloOptions } from './vitest/plugin-options.ts'
