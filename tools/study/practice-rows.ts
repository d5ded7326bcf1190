import { drawAt, pointsOf, promptTokensOf } from '../../src/simulator/draw.ts'
import type { Profile } from '../../src/simulator/profile.ts'
import { tokenEvents } from '../../src/simulator/script.ts'
import { opsNotesText } from '../../src/spec/ops-notes.ts'
import type { Length, Model } from './published.ts'
import type { StudyRow } from './row.ts'

const NOTES_WORDS: Readonly<Record<Length, number>> = { short: 60, medium: 750, long: 7500 }
/** Words of the system message with its session id. */
const SYSTEM_WORDS = 3

/** Which requests are drawn. */
export interface Practice {
  readonly profile: Profile
  readonly seed: number
  readonly rounds: number
  /** @default 'serverless' */
  readonly probe?: string
  readonly maxTokens?: number
}

/** The samples that a perfect prober would take of a profile, from its draws alone: no HTTP, no clock. */
export function practiceRows({ profile, seed, rounds, probe = 'serverless', maxTokens = 2000 }: Practice): StudyRow[] {
  const target = profile.name as Model
  return Object.entries(NOTES_WORDS).flatMap(([prompt, notesWords]) => {
    const words = opsNotesText(notesWords).match(/\S+/g)?.length ?? 0
    const promptTokens = promptTokensOf(profile, words + SYSTEM_WORDS)
    return Array.from({ length: rounds }, (_, k): StudyRow => {
      const draw = drawAt(profile, pointsOf({ seed, cell: `${probe}/${target}/${prompt}`, k }), promptTokens, maxTokens)
      if (draw.error?.fault === 'empty-200') return { target, prompt, ok: false, errorKind: 'empty', status: 200 }
      if (draw.error !== null) return { target, prompt, ok: false, errorKind: 'http_status', status: 529 }
      const events = tokenEvents(draw)
      const answer = events.find((event) => event.from >= draw.reasoningTokens)
      const last = events.at(-1)?.at ?? Number.NaN
      const completionTokens = draw.reasoningTokens + draw.answerTokens
      return {
        target,
        prompt,
        ok: true,
        status: 200,
        ttft: draw.ttftMs,
        ...(answer === undefined ? {} : { firstAnswer: answer.at }),
        total: last,
        ...(completionTokens > 1 ? { tps: ((completionTokens - 1) / (last - draw.ttftMs)) * 1000 } : {}),
        tokensPerEvent: completionTokens / events.length,
        promptTokens,
        completionTokens,
        finishReason: draw.finishReason,
      }
    })
  })
}
