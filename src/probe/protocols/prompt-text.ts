import type { Message } from '../../spec/types.ts'

/** A conversation for a model that continues text: its messages with blank lines between. */
export function promptText(messages: readonly Message[]): string {
  return messages.map(({ content }) => content).join('\n\n')
}

/** Messages for an API that takes the system's text apart from the turns. */
export function systemApart(messages: readonly Message[]): {
  readonly system: string | undefined
  readonly turns: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
} {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  return {
    system: system.length === 0 ? undefined : system.join('\n\n'),
    turns: messages.flatMap(({ role, content }) => (role === 'system' ? [] : [{ role, content }])),
  }
}
