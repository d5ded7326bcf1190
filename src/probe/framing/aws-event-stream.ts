import { Buffer } from 'node:buffer'
import { SloError } from '../../errors.ts'
import { EVENT_LIMIT } from './types.ts'
import type { Framing, FramingSink } from './types.ts'

/** What is used of `@smithy/eventstream-codec`'s codec. */
export interface FrameCodec {
  decode(frame: Uint8Array): {
    readonly headers: Readonly<Record<string, { readonly type: string; readonly value: unknown }>>
    readonly body: Uint8Array
  }
}

/** Prelude and checksum: no frame is shorter. */
const SHORTEST_FRAME = 16

/**
 * The codec of an optional peer dependency, loaded when a target first needs it.
 * @throws SloError `CONFIG_INVALID` where it is not installed
 */
export async function frameCodec(): Promise<FrameCodec> {
  try {
    const { EventStreamCodec } = await import('@smithy/eventstream-codec')
    return new EventStreamCodec(
      (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
      (text) => Buffer.from(text, 'utf8'),
    )
  } catch (error) {
    throw new SloError('CONFIG_INVALID', 'a target of Bedrock needs the package @smithy/eventstream-codec', {
      cause: error,
      hint: 'npm install --save-dev @smithy/eventstream-codec @smithy/signature-v4',
    })
  }
}

/**
 * Frames of `application/vnd.amazon.eventstream`: length, headers, payload, checksums.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
 */
export class AwsFraming implements Framing<Buffer> {
  readonly #sink: FramingSink
  readonly #codec: FrameCodec
  #pending: Buffer[] = []
  #length = 0
  /** Bytes of the frame at hand; 0 until its first four are here. */
  #wanted = 0
  #dead = false

  constructor(sink: FramingSink, codec: FrameCodec) {
    this.#sink = sink
    this.#codec = codec
  }

  feed(chunk: Buffer): void {
    if (this.#dead) return
    this.#pending.push(Buffer.from(chunk))
    this.#length += chunk.length
    while (!this.#dead && this.#length >= Math.max(this.#wanted, 4)) {
      const bytes = this.#pending.length === 1 ? (this.#pending[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pending)
      this.#pending = [bytes]
      if (this.#wanted === 0) {
        this.#wanted = bytes.readUInt32BE(0)
        if (this.#wanted > EVENT_LIMIT) {
          this.#dead = true
          this.#sink.tooMuch(`a frame of ${this.#wanted} bytes`)
          return
        }
        if (this.#wanted < SHORTEST_FRAME) {
          // where the next frame starts is lost with the length
          this.#dead = true
          this.#sink.malformed()
          return
        }
        continue
      }
      const frame = bytes.subarray(0, this.#wanted)
      this.#pending = [bytes.subarray(this.#wanted)]
      this.#length -= this.#wanted
      this.#wanted = 0
      this.#frame(frame)
    }
  }

  end(): void {
    if (!this.#dead && this.#length > 0) this.#sink.malformed()
    this.#dead = true
  }

  #frame(frame: Buffer): void {
    let headers: ReturnType<FrameCodec['decode']>['headers']
    let body: Uint8Array
    try {
      ;({ headers, body } = this.#codec.decode(frame))
    } catch {
      this.#sink.malformed()
      return
    }
    const text = (name: string): string | undefined => {
      const value = headers[name]?.value
      return typeof value === 'string' ? value : undefined
    }
    const data = Buffer.from(body).toString('utf8')
    const kind = text(':message-type')
    if (kind === 'exception' || kind === 'error') {
      const type = text(':exception-type') ?? text(':error-code')
      this.#sink.event({ event: 'error', data: withType(data, type, text(':error-message')) })
      return
    }
    if (data !== '') this.#sink.event({ event: text(':event-type'), data })
  }
}

/** An exception's name stands in a header only: it is put beside the message. */
function withType(data: string, type: string | undefined, message: string | undefined): string {
  let payload: unknown
  try {
    payload = JSON.parse(data)
  } catch {
    payload = { message: data }
  }
  return JSON.stringify({ type, message, ...(typeof payload === 'object' ? payload : { message: data }) })
}
