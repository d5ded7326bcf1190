import { createHash, createHmac } from 'node:crypto'
import type { Hash, Hmac } from 'node:crypto'
import type { SignatureV4 } from '@smithy/signature-v4'
import { SloError } from '../errors.ts'
import type { AwsSigning } from '../spec/types.ts'

/** What is signed: a POST. */
export interface SignableRequest {
  readonly origin: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Values of the variables that {@link AwsSigning} names. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
}

type Bytes = string | ArrayBuffer | ArrayBufferView

function bytesOf(data: Bytes): string | Uint8Array {
  if (typeof data === 'string') return data
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}

/** SHA-256 of Node, as the signer wants it. */
class Sha256 {
  readonly #secret: Bytes | undefined
  #hash: Hash | Hmac

  constructor(secret?: Bytes) {
    this.#secret = secret
    this.#hash = this.#start()
  }

  update(data: Bytes): void {
    this.#hash.update(bytesOf(data))
  }

  async digest(): Promise<Uint8Array> {
    return await Promise.resolve(this.#hash.digest())
  }

  reset(): void {
    this.#hash = this.#start()
  }

  #start(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(this.#secret))
  }
}

async function signatureV4(): Promise<typeof SignatureV4> {
  try {
    return (await import('@smithy/signature-v4')).SignatureV4
  } catch (error) {
    throw new SloError('CONFIG_INVALID', 'a target that signs for AWS needs the package @smithy/signature-v4', {
      cause: error,
      hint: 'npm install --save-dev @smithy/eventstream-codec @smithy/signature-v4; or give apiKeyEnv, a key of Bedrock',
    })
  }
}

/** `bedrock-runtime.eu-west-1.amazonaws.com` → `eu-west-1`. */
function regionOf(origin: string): string | undefined {
  return /^https?:\/\/[^/]*?\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(origin)?.[1]
}

/**
 * The headers of a request with those that sign it, made anew for every request.
 * @param wallMs - the time of day that is signed
 * @throws SloError `CONFIG_INVALID` where the package is missing or the region is not known
 */
export async function signedHeaders(
  request: SignableRequest,
  signing: AwsSigning,
  credentials: AwsCredentials,
  wallMs: number,
): Promise<Record<string, string>> {
  const Signer = await signatureV4()
  const region = signing.region ?? regionOf(request.origin)
  if (region === undefined)
    throw new SloError('CONFIG_INVALID', `the host ${request.origin} does not tell the region to sign for`, {
      hint: "give the target aws: { region: 'us-east-1' }",
    })
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const signer = new Signer({
    service: signing.service,
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    sha256: Sha256,
    // the body is signed as it is; a header with its hash is for S3
    applyChecksum: false,
  })
  const { protocol, host, hostname, port } = new URL(request.origin)
  const { pathname, searchParams } = new URL(request.path, request.origin)
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol,
      hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { ...request.headers, host },
      body: request.body,
    },
    { signingDate: new Date(wallMs) },
  )
  const { host: _host, ...headers } = signed.headers
  return headers
}
