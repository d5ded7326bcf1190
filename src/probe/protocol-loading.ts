import { SloError, messageOf } from '../errors.ts'
import { customProtocol } from './custom-protocol.ts'
import { frameCodec } from './framing/index.ts'
import type { FrameCodec } from './framing/index.ts'
import { protocols } from './protocols/index.ts'
import type { Protocol } from './types.ts'

/** A wire format, ready to read. */
export interface LoadedProtocol {
  readonly protocol: Protocol
  /** Where its framing needs one. */
  readonly codec: FrameCodec | undefined
}

const loaded = new Map<string, Promise<LoadedProtocol>>()

/**
 * @param name - one of this package's, or the URL of a module
 * @throws SloError `CONFIG_INVALID` where there is none such, it is not one, or what it needs is not installed
 */
export async function loadProtocol(name: string): Promise<LoadedProtocol> {
  const known = loaded.get(name)
  if (known !== undefined) return await known
  const loading = load(name)
  loaded.set(name, loading)
  // a package may be installed, or a file mended, before the next request
  loading.catch(() => loaded.delete(name))
  return await loading
}

async function load(name: string): Promise<LoadedProtocol> {
  const protocol = protocols.get(name) ?? (await fromModule(name))
  return { protocol, codec: protocol.framing === 'aws-event-stream' ? await frameCodec() : undefined }
}

async function fromModule(url: string): Promise<Protocol> {
  const where = url.replace(/\?v=\w+$/, '')
  if (!URL.canParse(url)) throw new SloError('CONFIG_INVALID', `there is no protocol ${JSON.stringify(url)}`)
  let exported: unknown
  try {
    exported = ((await import(url)) as { readonly default?: unknown }).default
  } catch (error) {
    throw new SloError('CONFIG_INVALID', `the protocol ${where} cannot be loaded: ${messageOf(error)}`, {
      hint: 'it is loaded by Node alone: plain JavaScript, or TypeScript whose types can be stripped, with full file names in imports',
      cause: error,
    })
  }
  return customProtocol(exported, where)
}
