import { expect, test } from 'vitest'
import type { Protocol } from '../types.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { bedrockConverse } from './bedrock-converse.ts'
import { cohere } from './cohere.ts'
import { gemini } from './gemini.ts'
import { ollama } from './ollama.ts'
import { openaiCompletions } from './openai-completions.ts'
import { openaiResponses } from './openai-responses.ts'

/** What an event means; its name stands before the bar, where it has one. */
type Case = readonly [quirk: string, event: string | undefined, json: object, reading: object]

function rows(protocol: Protocol, cases: readonly Case[]) {
  return cases.map((each) => [protocol, ...each] as const)
}

const nothing = { tokens: [], characters: 0 }

test.each([
  ...rows(openaiCompletions, [
    [
      'text',
      undefined,
      { model: 'm', choices: [{ text: 'Hi', finish_reason: null }] },
      { tokens: ['answer'], characters: 2, servedModel: 'm' },
    ],
    [
      'empty text with the finish',
      undefined,
      { choices: [{ text: '', finish_reason: 'length' }] },
      { ...nothing, finishReason: 'length' },
    ],
    [
      'usage behind the choices',
      undefined,
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
      { usage: { promptTokens: 3, completionTokens: 2 } },
    ],
    ['an error', undefined, { error: { type: 'server_error', message: 'no' } }, { error: 'server_error: no' }],
  ]),
  ...rows(openaiResponses, [
    [
      'created',
      'response.created',
      { type: 'response.created', response: { id: 'r', model: 'm', status: 'in_progress', usage: null, error: null } },
      { ...nothing, servedModel: 'm', requestId: 'r' },
    ],
    [
      'text',
      'response.output_text.delta',
      { type: 'response.output_text.delta', delta: 'Hi', obfuscation: 'xyz' },
      { tokens: ['answer'], characters: 2 },
    ],
    [
      'text again, whole',
      'response.output_text.done',
      { type: 'response.output_text.done', text: 'Hi there' },
      nothing,
    ],
    ['a refusal', undefined, { type: 'response.refusal.delta', delta: 'No.' }, { tokens: ['answer'] }],
    ['reasoning', undefined, { type: 'response.reasoning_text.delta', delta: 'Hm' }, { tokens: ['reasoning'] }],
    [
      'a summary of reasoning',
      undefined,
      { type: 'response.reasoning_summary_text.delta', delta: 'Hm' },
      { tokens: ['reasoning'] },
    ],
    [
      'a call begins with its name',
      undefined,
      { type: 'response.output_item.added', item: { type: 'function_call', name: 'look', arguments: '' } },
      { tokens: ['tool'], characters: 4 },
    ],
    [
      'arguments',
      undefined,
      { type: 'response.function_call_arguments.delta', delta: '{"a' },
      { tokens: ['tool'], toolArguments: true },
    ],
    [
      'a message begins',
      undefined,
      { type: 'response.output_item.added', item: { type: 'message', content: [] } },
      nothing,
    ],
    ['sound', undefined, { type: 'response.audio.delta', delta: 'UklG' }, { tokens: ['answer'] }],
    ['what is said in it', undefined, { type: 'response.audio.transcript.delta', delta: 'Hi' }, { tokens: ['answer'] }],
    [
      'reasoning as an object',
      undefined,
      { type: 'response.reasoning.delta', delta: { text: 'Hm' } },
      { tokens: ['reasoning'] },
    ],
    [
      'arguments by an older name',
      undefined,
      { type: 'response.mcp_call.arguments_delta', delta: '{' },
      { toolArguments: true },
    ],
    ['code', undefined, { type: 'response.code_interpreter_call_code.delta', delta: 'print' }, { toolArguments: true }],
    [
      'a patch',
      undefined,
      { type: 'response.apply_patch_call_operation_diff.delta', delta: '+a' },
      { toolArguments: true },
    ],
    [
      'a command begins',
      undefined,
      { type: 'response.shell_call_command.added', command: 'ls' },
      { toolArguments: true },
    ],
    [
      'what a shell answered',
      undefined,
      { type: 'response.shell_call_output_content.delta', delta: { stdout: 'x' } },
      nothing,
    ],
    [
      'what a shell answered, as text',
      undefined,
      { type: 'response.shell_call_output_content.delta', delta: 'x' },
      nothing,
    ],
    [
      'a call whose arguments follow',
      undefined,
      { type: 'response.output_item.added', item: { type: 'tool_search_call', arguments: {} } },
      nothing,
    ],
    [
      'a picture of a tool of its own',
      undefined,
      { type: 'response.image_generation_call.partial_image', partial_image_b64: 'iV' },
      nothing,
    ],
    ['an error by another name', undefined, { type: 'response.error', message: 'no', code: 'E1' }, { error: 'E1: no' }],
    [
      'an end by another name',
      undefined,
      { type: 'response.done', response: { status: 'failed', error: { code: 'E1', message: 'no' } } },
      { end: true, finishReason: 'failed', error: 'E1: no' },
    ],
    [
      'an end with usage',
      undefined,
      {
        type: 'response.completed',
        response: {
          status: 'completed',
          error: null,
          usage: {
            input_tokens: 9,
            output_tokens: 8,
            total_tokens: 17,
            input_tokens_details: { cached_tokens: 4 },
            output_tokens_details: { reasoning_tokens: 5 },
          },
        },
      },
      {
        end: true,
        finishReason: 'completed',
        usage: { promptTokens: 9, completionTokens: 8, totalTokens: 17, cachedTokens: 4, reasoningTokens: 5 },
      },
    ],
    [
      'an end at the cap',
      undefined,
      {
        type: 'response.incomplete',
        response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      },
      { end: true, finishReason: 'incomplete:max_output_tokens' },
    ],
    [
      'a response that somebody else cancelled',
      undefined,
      { type: 'response.cancelled', response: { status: 'cancelled' } },
      { end: true, finishReason: 'cancelled', error: 'cancelled: what the stream finished with' },
    ],
    [
      'a failure',
      undefined,
      { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'no' } } },
      { end: true, error: 'server_error: no' },
    ],
    ['an error event', 'error', { type: 'error', code: 'rate_limit', message: 'slow' }, { error: 'rate_limit: slow' }],
    [
      'no error',
      undefined,
      { type: 'response.in_progress', error: null, response: { status: 'in_progress' } },
      nothing,
    ],
  ]),
  ...rows(anthropicMessages, [
    [
      'the start counts the prompt',
      'message_start',
      {
        type: 'message_start',
        message: {
          id: 'i',
          model: 'm',
          usage: { input_tokens: 3, cache_read_input_tokens: 7, cache_creation_input_tokens: 2, output_tokens: 1 },
        },
      },
      {
        ...nothing,
        servedModel: 'm',
        requestId: 'i',
        usage: { promptTokens: 3, cachedTokens: 7, cacheWriteTokens: 2, completionTokens: 1 },
      },
    ],
    [
      'an empty block of text',
      'content_block_start',
      { type: 'content_block_start', content_block: { type: 'text', text: '' } },
      nothing,
    ],
    [
      'a call',
      'content_block_start',
      { type: 'content_block_start', content_block: { type: 'tool_use', name: 'look', input: {} } },
      { tokens: ['tool'], characters: 4 },
    ],
    [
      "the provider's own tool",
      undefined,
      { type: 'content_block_start', content_block: { type: 'server_tool_use', name: 'search' } },
      { tokens: ['tool'] },
    ],
    [
      'what a tool answered',
      undefined,
      { type: 'content_block_start', content_block: { type: 'web_search_tool_result', content: [{ text: 'x' }] } },
      nothing,
    ],
    [
      'sealed thinking',
      undefined,
      { type: 'content_block_start', content_block: { type: 'redacted_thinking', data: 'gAAA' } },
      nothing,
    ],
    [
      'text',
      undefined,
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' } },
      { tokens: ['answer'], characters: 2 },
    ],
    [
      'thinking',
      undefined,
      { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { tokens: ['reasoning'] },
    ],
    [
      'a signature',
      undefined,
      { type: 'content_block_delta', delta: { type: 'signature_delta', signature: 'gA' } },
      nothing,
    ],
    [
      'arguments',
      undefined,
      { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{"a' } },
      { tokens: ['tool'], toolArguments: true },
    ],
    [
      'empty arguments',
      undefined,
      { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '' } },
      nothing,
    ],
    [
      'a call that starts whole',
      undefined,
      { type: 'content_block_start', content_block: { type: 'tool_use', name: 'look', input: { a: 1 } } },
      { tokens: ['tool'], characters: 11, toolArguments: true },
    ],
    [
      'a message that starts whole',
      undefined,
      {
        type: 'message_start',
        message: {
          content: [{ type: 'web_search_tool_result' }, { type: 'text', text: 'Hi' }],
          stop_reason: 'end_turn',
        },
      },
      { tokens: ['answer'], characters: 2, finishReason: 'end_turn' },
    ],
    [
      'what a context is shortened to',
      undefined,
      { type: 'content_block_delta', delta: { type: 'compaction_delta', content: 'x' } },
      nothing,
    ],
    [
      'a source',
      undefined,
      { type: 'content_block_delta', delta: { type: 'citations_delta', citation: { cited_text: 'x' } } },
      nothing,
    ],
    ['a ping', 'ping', { type: 'ping' }, nothing],
    [
      'the finish',
      undefined,
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 40 } },
      { finishReason: 'max_tokens', usage: { completionTokens: 40 } },
    ],
    ['the end', undefined, { type: 'message_stop' }, { end: true }],
    [
      'an overload',
      'error',
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      { error: 'overloaded_error: Overloaded' },
    ],
  ]),
  ...rows(gemini, [
    [
      'a part',
      undefined,
      { candidates: [{ content: { parts: [{ text: 'Hi' }] } }], modelVersion: 'm', responseId: 'r' },
      { tokens: ['answer'], characters: 2, servedModel: 'm', requestId: 'r' },
    ],
    [
      'a thought',
      undefined,
      { candidates: [{ content: { parts: [{ text: 'Hm', thought: true }] } }] },
      { tokens: ['reasoning'] },
    ],
    [
      'a call, whole',
      undefined,
      {
        candidates: [
          { content: { parts: [{ functionCall: { name: 'look', args: { a: 1 } }, thoughtSignature: 'x' }] } },
        ],
      },
      { tokens: ['tool'], toolArguments: true },
    ],
    [
      'code',
      undefined,
      { candidates: [{ content: { parts: [{ executableCode: { code: 'print()' } }] } }] },
      { tokens: ['tool'] },
    ],
    [
      'what code printed',
      undefined,
      { candidates: [{ content: { parts: [{ codeExecutionResult: { output: '3' } }] } }] },
      nothing,
    ],
    [
      'a picture',
      undefined,
      { candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }] } }] },
      { tokens: ['answer'] },
    ],
    [
      'a finish without parts',
      undefined,
      {
        candidates: [{ content: { role: 'model' }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 5, thoughtsTokenCount: 6, totalTokenCount: 15 },
      },
      {
        ...nothing,
        finishReason: 'STOP',
        usage: { promptTokens: 4, completionTokens: 5, reasoningTokens: 6, totalTokens: 15 },
      },
    ],
    [
      'a prompt that is blocked',
      undefined,
      { promptFeedback: { blockReason: 'SAFETY' } },
      { ...nothing, finishReason: 'blocked:SAFETY' },
    ],
    ['an error', undefined, { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }, { error: '503: busy' }],
  ]),
  ...rows(ollama, [
    [
      'a piece',
      undefined,
      { model: 'm', message: { role: 'assistant', content: 'Hi' }, done: false },
      { tokens: ['answer'], servedModel: 'm' },
    ],
    ['a piece of generate', undefined, { response: 'Hi', done: false }, { tokens: ['answer'] }],
    ['thinking', undefined, { message: { content: '', thinking: 'Hm' }, done: false }, { tokens: ['reasoning'] }],
    [
      'a call, whole',
      undefined,
      { message: { content: '', tool_calls: [{ function: { name: 'look', arguments: { a: 1 } } }] } },
      { tokens: ['tool'], toolArguments: true },
    ],
    [
      'the end',
      undefined,
      { message: { content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 4 },
      { ...nothing, end: true, finishReason: 'stop', usage: { promptTokens: 3, completionTokens: 4 } },
    ],
    ['an error', undefined, { error: 'model not found' }, { error: 'model not found' }],
  ]),
  ...rows(cohere, [
    [
      'text',
      'content-delta',
      { type: 'content-delta', delta: { message: { content: { text: 'Hi' } } } },
      { tokens: ['answer'] },
    ],
    [
      'thinking',
      undefined,
      { type: 'content-delta', delta: { message: { content: { thinking: 'Hm' } } } },
      { tokens: ['reasoning'] },
    ],
    [
      'a plan is reasoning',
      undefined,
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'First' } } },
      { tokens: ['reasoning'] },
    ],
    [
      'a call',
      undefined,
      { type: 'tool-call-start', delta: { message: { tool_calls: { function: { name: 'look', arguments: '' } } } } },
      { tokens: ['tool'], characters: 4 },
    ],
    [
      'arguments',
      undefined,
      { type: 'tool-call-delta', delta: { message: { tool_calls: { function: { arguments: '{' } } } } },
      { tokens: ['tool'], toolArguments: true },
    ],
    [
      'the start',
      undefined,
      { type: 'message-start', id: 'i', delta: { message: { content: [], tool_plan: '', tool_calls: [] } } },
      { ...nothing, requestId: 'i' },
    ],
    [
      'the end: counted, not billed',
      undefined,
      {
        type: 'message-end',
        delta: {
          finish_reason: 'COMPLETE',
          usage: {
            billed_units: { input_tokens: 1, output_tokens: 2 },
            tokens: { input_tokens: 30, output_tokens: 40 },
            cached_tokens: 16,
          },
        },
      },
      { end: true, finishReason: 'COMPLETE', usage: { promptTokens: 30, completionTokens: 40, cachedTokens: 16 } },
    ],
    [
      'the end: billed alone',
      undefined,
      {
        type: 'message-end',
        delta: { finish_reason: 'COMPLETE', usage: { billed_units: { input_tokens: 1, output_tokens: 2 } } },
      },
      { usage: { promptTokens: 1, completionTokens: 2 } },
    ],
    [
      'an error at the end',
      undefined,
      { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'out of memory' } },
      { error: 'out of memory', finishReason: 'ERROR' },
    ],
  ]),
  ...rows(bedrockConverse, [
    ['the start', 'messageStart', { role: 'assistant' }, nothing],
    ['text', 'contentBlockDelta', { delta: { text: 'Hi' } }, { tokens: ['answer'] }],
    ['reasoning', 'contentBlockDelta', { delta: { reasoningContent: { text: 'Hm' } } }, { tokens: ['reasoning'] }],
    ['sealed reasoning', 'contentBlockDelta', { delta: { reasoningContent: { redactedContent: 'gA' } } }, nothing],
    ['a call', 'contentBlockStart', { start: { toolUse: { name: 'look' } } }, { tokens: ['tool'] }],
    [
      'arguments',
      'contentBlockDelta',
      { delta: { toolUse: { input: '{' } } },
      { tokens: ['tool'], toolArguments: true },
    ],
    ['a picture', 'contentBlockDelta', { delta: { image: { source: { bytes: 'iVBO' } } } }, { tokens: ['answer'] }],
    ['what a tool answered', 'contentBlockDelta', { delta: { toolResult: [{ text: 'x' }] } }, nothing],
    ['the end', 'messageStop', { stopReason: 'end_turn' }, { end: true, finishReason: 'end_turn' }],
    [
      'usage behind the end',
      'metadata',
      {
        usage: { inputTokens: 2, outputTokens: 3, totalTokens: 12, cacheReadInputTokens: 7 },
        metrics: { latencyMs: 5 },
      },
      { usage: { promptTokens: 2, completionTokens: 3, totalTokens: 12, cachedTokens: 7 } },
    ],
    ['an exception', 'error', { type: 'throttlingException', message: 'slow' }, { error: 'throttlingException: slow' }],
  ]),
])('$0.name: %s', (...[protocol, , event, json, reading]) => {
  expect(protocol.read({ event, data: JSON.stringify(json) })).toMatchObject(reading)
})

const request = { maxTokens: 5, temperature: 0.2, cache: 'cold', body: {} } as const
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello!' },
  { role: 'user', content: 'And now?' },
] as const
const turns = messages.slice(1)

test.each([
  [
    openaiCompletions,
    '/completions',
    {
      model: 'm',
      prompt: 'Be brief.\n\nHi\n\nHello!\n\nAnd now?',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 5,
      temperature: 0.2,
    },
  ],
  [
    openaiResponses,
    '/responses',
    { model: 'm', input: messages, stream: true, store: false, max_output_tokens: 5, temperature: 0.2 },
  ],
  [
    anthropicMessages,
    '/messages',
    { model: 'm', system: 'Be brief.', messages: turns, stream: true, max_tokens: 5, temperature: 0.2 },
  ],
  [
    gemini,
    '/models/m:streamGenerateContent?alt=sse',
    {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ text: 'Hello!' }] },
        { role: 'user', parts: [{ text: 'And now?' }] },
      ],
      generationConfig: { maxOutputTokens: 5, temperature: 0.2 },
    },
  ],
  [ollama, '/api/chat', { model: 'm', messages, stream: true, options: { num_predict: 5, temperature: 0.2 } }],
  [cohere, '/v2/chat', { model: 'm', messages, stream: true, max_tokens: 5, temperature: 0.2 }],
  [
    bedrockConverse,
    '/model/m/converse-stream',
    {
      system: [{ text: 'Be brief.' }],
      messages: turns.map(({ role, content }) => ({ role, content: [{ text: content }] })),
      inferenceConfig: { maxTokens: 5, temperature: 0.2 },
    },
  ],
] as const)('$0.name: the request', (protocol, path, body) => {
  expect(protocol.path('m')).toBe(path)
  expect(protocol.body({ model: 'm', messages, request })).toEqual(body)
  const bare = protocol.body({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    request: { ...request, temperature: null },
  })
  expect(JSON.stringify(bare)).not.toMatch(/temperature|system/)
})

test('a model id that is no path segment is escaped', () => {
  expect(bedrockConverse.path('arn:aws:x/y')).toBe('/model/arn%3Aaws%3Ax%2Fy/converse-stream')
})
