import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startSimulator } from './start.ts'
import { ask } from './testing/ask.ts'

/** Resolves once nothing listens at `url` any more. */
async function refused(url: string): Promise<void> {
  for (;;) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (!open) return
    await sleep(20)
  }
}

test('runs in a process of its own, on plain node, until it is stopped', async () => {
  const simulator = await startSimulator()
  expect(simulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(simulator.pid).not.toBe(process.pid)
  expect((await ask({ url: simulator.url })).ended).toBe('end')
  await simulator.stop()
  await simulator.stop()
  await refused(simulator.url)
})

test.each(['SIGKILL', 'SIGTERM'] as const)('ends when its parent is ended by %s', async (signal) => {
  const entry = fileURLToPath(new URL('./start.ts', import.meta.url))
  const script = `import { startSimulator } from ${JSON.stringify(entry)}
    const { url } = await startSimulator()
    console.log(url)
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string]
  expect((await ask({ url: url.trim() })).ended).toBe('end')
  parent.kill(signal)
  await refused(url.trim())
})

test('does not keep its parent running', async () => {
  const entry = fileURLToPath(new URL('./start.ts', import.meta.url))
  const script = `import { startSimulator } from ${JSON.stringify(entry)}; await startSimulator()`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' })
  const [code] = (await once(parent, 'exit')) as [number]
  expect(code).toBe(0)
})

test('a start that fails says why', async () => {
  const first = await startSimulator()
  const port = Number(new URL(first.url).port)
  await expect(startSimulator({ port })).rejects.toMatchObject({
    code: 'SIMULATOR_FAILED',
    message: expect.stringContaining('EADDRINUSE') as string,
  })
  await first.stop()
})
