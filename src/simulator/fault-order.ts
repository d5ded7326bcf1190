/** A fault as it is asked for: `name`, or `name;param=value;…`. */
export interface FaultOrder {
  readonly name: string
  readonly params: Readonly<Record<string, string>>
  /** As it was asked for: what `times` counts by. */
  readonly text: string
}

/** Parameters that every fault takes: when it strikes. */
export const commonParams = {
  k: 'only in this round',
  times: 'only the first so many requests that ask for the same fault in the same words',
  id: 'sets one fault apart from another with the same words, for `times`',
  on: '`reused` or `fresh`: only on a connection that has, or has not, carried a request before',
  warmup: '`1`: strikes warm-ups too',
} as const

/** Reads `name;param=value;…`; blanks around the parts do not matter. */
export function parseFaultOrder(text: string): FaultOrder {
  const [name = '', ...rest] = text.split(';').map((part) => part.trim())
  const params = rest
    .filter((part) => part !== '')
    .map((part): [string, string] => {
      const [key = '', ...value] = part.split('=')
      return [key.trim(), value.join('=').trim()]
    })
  return { name, params: Object.fromEntries(params), text }
}

/** What decides whether a fault strikes. */
export interface FaultMoment {
  readonly k: number | null
  readonly warmup: boolean
  readonly reusedSocket: boolean
}

/** Decides whether the faults strike, and counts those that did. */
export class FaultCounter {
  readonly #struck = new Map<string, number>()

  strikes(order: FaultOrder, moment: FaultMoment): boolean {
    const { k, times, on, warmup } = order.params
    if (moment.warmup && warmup !== '1') return false
    if (k !== undefined && Number(k) !== moment.k) return false
    if (on === 'reused' && !moment.reusedSocket) return false
    if (on === 'fresh' && moment.reusedSocket) return false
    const struck = this.#struck.get(order.text) ?? 0
    if (times !== undefined && struck >= Number(times)) return false
    this.#struck.set(order.text, struck + 1)
    return true
  }
}
