import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { systemClock } from '../clock.ts'
import { isoTime } from '../units.ts'
import { isRunning, ownIdentity } from './process-identity.ts'
import { openSampleStore } from './store.ts'
import { AppendingChild } from './testing/child.ts'
import { okSample } from './testing/samples.ts'

let dir = ''
let lock = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slo lock '))
  lock = join(dir, 'samples.csv.lock')
})
afterEach(() => rm(dir, { recursive: true }))

const options = { clock: systemClock }
const own = ownIdentity()
/** Of another host, so that only its heartbeat tells. */
const elsewhere = { host: 'elsewhere', scope: '', pid: 4711, started: '1', token: 'a0' }

async function deadPid(): Promise<number> {
  const child = new AppendingChild([join(dir, 'unused'), '0'])
  await child.kill()
  return child.process.pid ?? 0
}

describe('the lock', () => {
  test('names its process and shows a heartbeat', async () => {
    const store = await openSampleStore(dir, { ...options, heartbeatMs: 5 })
    const first = JSON.parse(await readFile(lock, 'utf8')) as Record<string, unknown>
    expect(first).toMatchObject({ host: hostname(), pid: process.pid, started: own.started })
    let later = first
    while (later['heartbeat'] === first['heartbeat']) {
      await delay(5)
      later = JSON.parse(await readFile(lock, 'utf8')) as Record<string, unknown>
    }
    expect(later).toEqual({ ...first, heartbeat: expect.any(String) })
    await store.close()
  })

  test('a live one is an error that names the holder and the way out, also within one process', async () => {
    const store = await openSampleStore(dir, options)
    await expect(openSampleStore(dir, options)).rejects.toMatchObject({
      code: 'SAMPLES_LOCKED',
      message: expect.stringContaining(`process ${process.pid} on ${hostname()} is writing samples here`),
      hint: expect.stringContaining(`remove ${lock}`),
      facts: { pid: process.pid, host: hostname() },
    })
    await store.append(okSample())
    await store.close()
    await (await openSampleStore(dir, options)).close()
  })

  test('a live process on this host is never taken over, however old its heartbeat', async () => {
    await writeFile(lock, JSON.stringify({ ...own, token: 'a0', heartbeat: '2020-01-01T00:00:00.000Z' }))
    await expect(openSampleStore(dir, options)).rejects.toMatchObject({ code: 'SAMPLES_LOCKED' })
  })

  test.for(['killed', 'later process with its pid'] as const)(
    'a stale one (%s) is taken over at once, and said',
    async (why) => {
      const pid = why === 'killed' ? await deadPid() : process.pid
      const heartbeat = isoTime(systemClock.wall())
      await writeFile(
        lock,
        JSON.stringify({ ...own, pid, started: 'Thu Jan  1 00:00:00 1970', token: 'a0', heartbeat }),
      )
      const store = await openSampleStore(dir, options)
      expect(store.notes).toEqual([
        {
          code: 'lock-taken-over',
          message: `the lock of ${join(dir, 'samples.csv')} was held by process ${pid} on ${own.host}, which is gone (last sign of life ${heartbeat}), and was taken over`,
        },
      ])
      await store.close()
      expect((await readdir(dir)).filter((name) => name.includes('lock'))).toEqual([])
    },
  )

  test('one of another host is judged by its heartbeat: six may be missing', async () => {
    const wall = Date.parse('2026-12-01T02:00:00.000Z')
    const clock = { ...systemClock, wall: () => wall }
    await writeFile(lock, JSON.stringify({ ...elsewhere, heartbeat: isoTime(wall - 60_000) }))
    await expect(openSampleStore(dir, { clock })).rejects.toMatchObject({
      code: 'SAMPLES_LOCKED',
      message: expect.stringContaining('process 4711 on elsewhere is writing samples here, last sign of life 60 s ago'),
    })
    await writeFile(lock, JSON.stringify({ ...elsewhere, heartbeat: isoTime(wall - 60_001) }))
    await (await openSampleStore(dir, { clock })).close()
  })

  test.for(['', '{"token":', 'null', '{"token":"../../x","pid":1,"host":"h","heartbeat":""}'])(
    'one that holds %j was killed while it was made: stale once it is old',
    async (content) => {
      await writeFile(lock, content)
      await expect(openSampleStore(dir, options)).rejects.toMatchObject({ code: 'SAMPLES_LOCKED' })
      await utimes(lock, 1, 1)
      const store = await openSampleStore(dir, options)
      expect(store.notes.map(({ code }) => code)).toEqual(['lock-taken-over'])
      await store.close()
    },
  )

  test('a takeover that was itself killed is taken over', async () => {
    const pid = await deadPid()
    const heartbeat = isoTime(systemClock.wall())
    await writeFile(lock, JSON.stringify({ ...own, pid, token: 'a0', heartbeat }))
    await writeFile(`${lock}.a0`, JSON.stringify({ ...own, pid, token: 'a1', heartbeat }))
    await (await openSampleStore(dir, options)).close()
    expect((await readdir(dir)).filter((name) => name.includes('lock'))).toEqual([])
  })

  test('a takeover under way is respected', async () => {
    const heartbeat = isoTime(systemClock.wall())
    await writeFile(lock, JSON.stringify({ ...own, pid: await deadPid(), token: 'a0', heartbeat }))
    await writeFile(`${lock}.a0`, JSON.stringify({ ...own, token: 'a1', heartbeat }))
    await expect(openSampleStore(dir, options)).rejects.toMatchObject({
      code: 'SAMPLES_LOCKED',
      message: expect.stringContaining(`${lock}: process ${process.pid}`),
    })
  })

  test('who comes late to a takeover finds the new holder, and leaves it alone', async () => {
    const heartbeat = isoTime(systemClock.wall())
    await writeFile(lock, JSON.stringify({ ...own, pid: await deadPid(), token: 'a0', heartbeat }))
    // Somebody else is about to succeed: we have seen the stale lock, and wait for the name of its successor.
    await writeFile(`${lock}.a0`, '')
    const late = openSampleStore(dir, options).catch((error: unknown) => error)
    await delay(50)
    const successor = JSON.stringify({ ...own, token: 'a1', heartbeat })
    await writeFile(`${lock}.new`, successor)
    await rename(`${lock}.new`, lock)
    await rm(`${lock}.a0`)
    expect(await late).toMatchObject({ code: 'SAMPLES_LOCKED', facts: { pid: process.pid } })
    expect(await readFile(lock, 'utf8')).toBe(successor)
    expect((await readdir(dir)).filter((name) => name.includes('lock'))).toEqual(['samples.csv.lock'])
  })

  test('a process that lost its lock writes no more, and leaves its successor alone', async () => {
    const store = await openSampleStore(dir, { ...options, heartbeatMs: 1 })
    await store.append(okSample())
    const successor = JSON.stringify({ ...elsewhere, heartbeat: isoTime(systemClock.wall()) })
    await writeFile(`${lock}.new`, successor)
    await rename(`${lock}.new`, lock)
    await expect(store.append(okSample({ seq: 1 }))).rejects.toMatchObject({
      code: 'SAMPLES_LOCKED',
      message: expect.stringContaining('process 4711 on elsewhere'),
    })
    await delay(20)
    await store.close()
    expect(await readFile(lock, 'utf8')).toBe(successor)
  })

  test('one that somebody removed is put back', async () => {
    const store = await openSampleStore(dir, options)
    await rm(lock)
    await store.append(okSample())
    expect(JSON.parse(await readFile(lock, 'utf8'))).toMatchObject({ pid: process.pid })
    await expect(openSampleStore(dir, options)).rejects.toMatchObject({ code: 'SAMPLES_LOCKED' })
    await store.close()
  })

  test.for(['none', 'stale', 'stale, and its takeover too'] as const)(
    'of processes that open at once only one wins (lock before: %s)',
    async (before) => {
      const pid = await deadPid()
      for (let round = 0; round < 2; round += 1) {
        const folder = join(dir, String(round))
        await mkdir(folder)
        const dead = { ...own, pid, heartbeat: isoTime(systemClock.wall()) }
        if (before !== 'none')
          await writeFile(join(folder, 'samples.csv.lock'), JSON.stringify({ ...dead, token: 'a0' }))
        if (before === 'stale, and its takeover too') {
          await writeFile(join(folder, 'samples.csv.lock.a0'), JSON.stringify({ ...dead, token: 'a1' }))
        }
        const children = Array.from({ length: 4 }, () => new AppendingChild([folder, '3', 'wait']))
        await Promise.all(children.map((child) => child.heard('ready')))
        for (const child of children) child.send('go')
        // A winner says `open` and stays; a loser says `error` and ends.
        await Promise.all(children.map((child) => Promise.race([child.heard('row', 3), child.heard('error')])))
        const words = children.map((child) => (child.count('open') > 0 ? 'open' : child.said.at(-1)?.[1]))
        await Promise.all(children.map((child) => child.finish()))
        expect(words.map(String).toSorted()).toEqual(['SAMPLES_LOCKED', 'SAMPLES_LOCKED', 'SAMPLES_LOCKED', 'open'])
        expect(await readdir(folder)).toEqual(['runs.jsonl', 'samples.csv'])
      }
    },
  )
})

describe('isRunning', () => {
  test('tells this process, one that is gone, a later one with its pid, and what cannot be told', async () => {
    expect(isRunning(own, own)).toBe(true)
    expect(isRunning({ ...own, started: 'another time' }, own)).toBe(false)
    expect(isRunning({ ...own, pid: await deadPid() }, own)).toBe(false)
    expect(isRunning({ ...own, host: 'elsewhere' }, own)).toBeNull()
    expect(isRunning({ ...own, scope: 'another container' }, own)).toBeNull()
    expect(isRunning({ ...own, started: null }, own)).toBeNull()
  })
})
