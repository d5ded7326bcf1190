import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'

/** Coded bytes that may wait: no stream of tokens comes near it, but a bomb unpacks slower than it arrives. */
const FULL_BYTES = 256 * 1024
/** Bytes of one piece of what is unpacked. */
const PIECE_BYTES = 64 * 1024

/** What has been read: bytes, their stamp and how late the stamp may be. */
export type OnBytes = (bytes: Buffer, at: number, bound: number) => void

/** Undoes one content coding; every output keeps the stamp of the network chunk that completed it. */
export interface ContentDecoder {
  write(bytes: Buffer, at: number, bound: number): void
  /** No more input; `onEnd` follows. */
  end(): void
  destroy(): void
}

function inflaterFor(coding: string, firstByte: number): Transform | undefined {
  const flush = { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: PIECE_BYTES }
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(flush)
    case 'deflate':
      // zlib's wrapper by the book, the bare stream in practice
      return (firstByte & 0x0f) === 8 ? createInflate(flush) : createInflateRaw(flush)
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH, chunkSize: PIECE_BYTES })
    case 'zstd':
      return createZstdDecompress({ finishFlush: constants.ZSTD_e_flush, chunkSize: PIECE_BYTES })
    default:
      return undefined
  }
}

/** A coding that has to be undone; what is unknown is read as it is. */
export function isCoded(coding: string): boolean {
  return ['gzip', 'x-gzip', 'deflate', 'br', 'zstd'].includes(coding)
}

/**
 * @param coding - the response's `content-encoding`, lower case
 * @param onEnd - everything was given to `onBytes`; with an error where the bytes were no such coding
 * @param onPressure - `true`: more is waiting than should, let nothing come; `false`: go on
 */
export function contentDecoder(
  coding: string,
  onBytes: OnBytes,
  onEnd: (error: Error | null) => void,
  onPressure: (full: boolean) => void = () => {},
): ContentDecoder {
  const queue: { readonly bytes: Buffer; readonly at: number; readonly bound: number }[] = []
  let stream: Transform | undefined
  let current = { at: 0, bound: 0 }
  let waiting = 0
  let full = false
  let busy = false
  let ending = false
  let destroyed = false

  const drain = (): void => {
    for (let out: unknown = stream?.read(); out !== null && out !== undefined; out = stream?.read()) {
      if (destroyed) return
      onBytes(out as Buffer, current.at, current.bound)
    }
  }
  const pump = (): void => {
    if (busy || destroyed) return
    const next = queue.shift()
    if (next === undefined) {
      if (!ending) return
      if (stream === undefined) onEnd(null)
      else stream.end()
      return
    }
    const inflater = (stream ??= open(next.bytes[0] ?? 0))
    current = next
    waiting -= next.bytes.length
    if (full && waiting < FULL_BYTES / 4) {
      full = false
      onPressure(false)
    }
    busy = true
    inflater?.write(next.bytes, () => {
      drain()
      busy = false
      pump()
    })
  }
  const open = (firstByte: number): Transform | undefined => {
    const made = inflaterFor(coding, firstByte)
    made?.on('readable', drain)
    made?.once('end', () => {
      if (!destroyed) onEnd(null)
    })
    made?.on('error', (error) => {
      if (destroyed) return
      destroyed = true
      onEnd(error)
    })
    return made
  }

  return {
    write(bytes, at, bound) {
      if (bytes.length > 0) queue.push({ bytes, at, bound })
      waiting += bytes.length
      if (!full && waiting > FULL_BYTES) {
        full = true
        onPressure(true)
      }
      pump()
    },
    end() {
      ending = true
      pump()
    },
    destroy() {
      destroyed = true
      queue.length = 0
      stream?.destroy()
    },
  }
}
