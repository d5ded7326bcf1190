import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { SloError, messageOf } from '../errors.ts'
import { opsNotesText } from './ops-notes.ts'
import type { FilePrompt, JsonlPrompt, MessagesPrompt, OpsNotesPrompt, Prompt, TextPrompt } from './options.ts'
import type { Message, PromptSource, RenderedPrompt } from './types.ts'

/** The study's task at about `words` words of notes: 60, 750 and 7,500 are its short, medium and long prompt. */
export function opsNotes(options: { readonly words: number }): OpsNotesPrompt {
  return { type: 'ops-notes', words: options.words }
}

/** One user message. */
export function text(content: string): TextPrompt {
  return { type: 'text', text: content }
}

/** The content of a text file as one user message; a path is relative to the project's root. */
export function file(path: string | URL): FilePrompt {
  return { type: 'file', path }
}

/** A whole conversation. */
export function messages(conversation: readonly Message[]): MessagesPrompt {
  return { type: 'messages', messages: conversation }
}

/**
 * A file with one prompt a line: a JSON string, `{"prompt": "…"}` or `{"messages": […]}`. Each round picks one line, the
 * same for all targets; its number goes to the CSV's `labels` as `line`.
 */
export function jsonl(path: string | URL): JsonlPrompt {
  return { type: 'jsonl', path }
}

function userMessage(content: string): readonly Message[] {
  return [{ role: 'user', content }]
}

const message = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })
const conversation = z.array(message).min(1)
const jsonlLine = z.union([
  z.string().min(1),
  z.looseObject({ messages: conversation }).transform((value) => value.messages),
  z.looseObject({ prompt: z.string().min(1) }).transform((value) => userMessage(value.prompt)),
])

function hash(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}

function readPromptFile(path: string | URL, root: string, what: string): { path: string; content: string } {
  const absolute = path instanceof URL ? fileURLToPath(path) : isAbsolute(path) ? path : resolve(root, path)
  try {
    const content = readFileSync(absolute, 'utf8')
    if (content.trim() !== '') return { path: absolute, content }
  } catch (error) {
    throw new SloError('PROBE_INVALID', `${what}: cannot read ${absolute}: ${messageOf(error)}`, {
      hint: `a path is relative to the project's root, ${root}`,
    })
  }
  throw new SloError('PROBE_INVALID', `${what}: ${absolute} is empty`)
}

function parseLine(line: string, place: string): readonly Message[] {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    value = undefined
  }
  const parsed = jsonlLine.safeParse(value)
  if (!parsed.success) {
    throw new SloError('PROBE_INVALID', `${place}: this line is no prompt`, {
      hint: 'a line is a JSON string, {"prompt": "…"} or {"messages": [{"role": "user", "content": "…"}]}',
    })
  }
  return typeof parsed.data === 'string' ? userMessage(parsed.data) : parsed.data
}

function jsonlSource(prompt: JsonlPrompt, root: string, what: string): PromptSource {
  const { path, content } = readPromptFile(prompt.path, root, what)
  const lines = content.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    return [{ line: index + 1, messages: parseLine(line, `${what}: ${path}:${index + 1}`) }]
  })
  return {
    kind: 'jsonl',
    fingerprint: hash(content),
    render(context): RenderedPrompt {
      const picked = lines[Math.floor(context.random() * lines.length)] ?? lines[0]
      if (picked === undefined) throw new SloError('PROBE_INVALID', `${what}: ${path} has no line`)
      return { messages: picked.messages, labels: { line: String(picked.line) } }
    },
  }
}

function constantSource(kind: PromptSource['kind'], content: readonly Message[]): PromptSource {
  return { kind, fingerprint: hash(JSON.stringify(content)), render: () => ({ messages: content }) }
}

function functionSource(prompt: Extract<Prompt, (...args: never[]) => unknown>, what: string): PromptSource {
  return {
    kind: 'function',
    fingerprint: hash(prompt.toString()),
    async render(context): Promise<RenderedPrompt> {
      const result = await prompt(context)
      if (typeof result === 'string' && result !== '') return { messages: userMessage(result) }
      const parsed = conversation.safeParse(result)
      if (parsed.success) return { messages: parsed.data }
      throw new SloError('PROMPT_FAILED', `${what}: the function gave neither a text nor messages`, {
        hint: 'return a string, or [{ role: "user", content: "…" }]',
      })
    },
  }
}

/**
 * Turns a declared prompt into its source; files are read now, so that a missing one is told before any request.
 * @param root - the project's root, for relative paths
 * @param what - names the prompt in errors
 * @throws SloError `PROBE_INVALID`
 */
export function promptSource(prompt: Prompt, root: string, what: string): PromptSource {
  if (typeof prompt === 'function') return functionSource(prompt, what)
  switch (prompt.type) {
    case 'ops-notes':
      return constantSource('ops-notes', userMessage(opsNotesText(prompt.words)))
    case 'text':
      return constantSource('text', userMessage(prompt.text))
    case 'file':
      return constantSource('file', userMessage(readPromptFile(prompt.path, root, what).content))
    case 'messages':
      return constantSource('messages', prompt.messages)
    case 'jsonl':
      return jsonlSource(prompt, root, what)
  }
}

/** Puts a fresh session id first, in the system message, so that no provider finds a cached prefix. */
export function withSessionId(conversation: readonly Message[], nonce: string): readonly Message[] {
  const line = `Session id: ${nonce}`
  const [first, ...rest] = conversation
  if (first?.role !== 'system') return [{ role: 'system', content: line }, ...conversation]
  return [{ role: 'system', content: `${line}\n\n${first.content}` }, ...rest]
}
