import { defineConfig } from 'vitest/config'
import { slo } from './src/config.ts'

export default defineConfig({
  plugins: [slo()],
  // this repository is its own first user: specs import the package by its name, from source
  resolve: { alias: { 'vitest-slo': new URL('./src/index.ts', import.meta.url).pathname } },
  test: { include: ['src/**/*.test.ts', 'specs/e2e/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
})
