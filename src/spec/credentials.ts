import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { durationMs } from '../units.ts'
import type { AuthOptions, TlsOptions } from './options.ts'
import type { AuthCommand, HeaderValue, TlsFiles } from './types.ts'

const DEFAULT_EVERY_MS = 30 * 60_000

/** The `auth` option made plain. */
export function authCommand(options: AuthOptions): AuthCommand {
  const { command, every } = options
  return { command, everyMs: (every === undefined ? undefined : durationMs(every)) ?? DEFAULT_EVERY_MS }
}

/**
 * The `tls` option made plain.
 * @param root - what relative paths start from
 */
export function tlsFiles(options: TlsOptions, root: string): TlsFiles {
  const place = (value: NonNullable<TlsOptions['ca']>): HeaderValue => {
    if (value instanceof URL) return fileURLToPath(value)
    if (typeof value !== 'string') return value
    return isAbsolute(value) ? value : resolve(root, value)
  }
  const { ca, cert, key } = options
  return {
    ...(ca === undefined ? {} : { ca: place(ca) }),
    ...(cert === undefined ? {} : { cert: place(cert) }),
    ...(key === undefined ? {} : { key: place(key) }),
  }
}
