import { expect, test } from 'vitest'
import { figure, RIGHT } from './frame.ts'

const axis = (...ticks: readonly { readonly at: number; readonly text: string }[]) => ({ label: 'time', ticks })

test('a tick whose text would lie on the one before keeps its line alone', () => {
  const x = axis({ at: 100, text: '11:50:00' }, { at: RIGHT - 60, text: '11:50:15' }, { at: RIGHT, text: '11:50:30' })
  const options = { title: 'The run', description: '', y: axis(), keys: [], marks: '', table: '', id: 'a' }
  const drawn = figure({ ...options, x })
  expect([...drawn.matchAll(/class="tick"[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual([
    '11:50:00',
    '11:50:15',
    '',
  ])
  expect(drawn.match(/class="grid"/g)).toHaveLength(3)
})
