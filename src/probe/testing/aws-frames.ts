import { Buffer } from 'node:buffer'
import { EventStreamCodec } from '@smithy/eventstream-codec'

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
)

/** One frame of AWS, its headers all text. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  return Buffer.from(
    codec.encode({
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }] as const),
      ),
      body: Buffer.from(JSON.stringify(payload), 'utf8'),
    }),
  )
}

/** A frame with an event of that type. */
export function awsEvent(type: string, payload: unknown): Buffer {
  return awsFrame({ ':message-type': 'event', ':event-type': type, ':content-type': 'application/json' }, payload)
}
