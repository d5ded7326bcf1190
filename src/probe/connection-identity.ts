import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { SecureContext } from 'node:tls'
import { SloError, messageOf } from '../errors.ts'
import type { HeaderValue, TlsFiles } from '../spec/types.ts'

/** Whom a target trusts and what it shows of itself. Lives in the prober's thread only. */
export interface TlsIdentity {
  readonly context: SecureContext
  /** Changes with the content of the files: no connection or session of another identity is used. */
  readonly fingerprint: string
}

function readPem(value: HeaderValue | undefined, what: string): string | undefined {
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value : (process.env[value.env] ?? '').trim()
  if (typeof value !== 'string' && text.includes('-----BEGIN')) return text.replaceAll(String.raw`\n`, '\n')
  try {
    return readFileSync(text, 'utf8')
  } catch (error) {
    const source = typeof value === 'string' ? value : `the variable ${value.env}`
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'it is no path'
    throw new SloError('PROBER_FAILED', `tls.${what} cannot be read from ${source}: ${reason}`, {
      hint: 'name a PEM file, relative to the project’s root, or a variable with its path or its text',
    })
  }
}

/**
 * TLS identities by their files. The files are read for every request, since certificates are renewed in place; what they hold is
 * parsed once, for that takes longer than a lag that flags a sample.
 */
export class TlsIdentities {
  readonly #known = new Map<string, TlsIdentity>()

  /** @throws SloError `PROBER_FAILED` where a file cannot be read or is no PEM */
  of(files: TlsFiles): TlsIdentity {
    const ca = readPem(files.ca, 'ca')
    const cert = readPem(files.cert, 'cert')
    const key = readPem(files.key, 'key')
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([ca, cert, key]))
      .digest('hex')
    const place = JSON.stringify(files)
    const known = this.#known.get(place)
    if (known?.fingerprint === fingerprint) return known
    try {
      const context = createSecureContext({
        ...(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
      })
      const identity = { context, fingerprint }
      this.#known.set(place, identity)
      return identity
    } catch (error) {
      throw new SloError('PROBER_FAILED', `the certificates of tls cannot be used: ${messageOf(error)}`, {
        hint: 'ca, cert and key are PEM texts; the key belongs to the certificate and has no passphrase',
      })
    }
  }
}
