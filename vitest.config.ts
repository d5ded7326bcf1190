import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { slo } from './src/config.ts'

export default defineConfig({
  plugins: [slo()],
  // this repository is its own first user: specs import the package by its name, from source
  resolve: { alias: { 'vitest-slo': fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'e2e', include: ['specs/e2e/**/*.test.ts'], globalSetup: ['specs/e2e/testing/install.ts'] },
      },
    ],
  },
})
