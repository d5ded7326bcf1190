import type { TargetSpec } from '../../spec/types.ts'
import type { Protocol } from '../types.ts'
import { openaiChat } from './openai-chat.ts'

/** Every wire format by its name. */
export const protocols: Readonly<Record<TargetSpec['protocol'], Protocol>> = { 'openai-chat': openaiChat }
