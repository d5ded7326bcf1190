import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { AwsSigning } from '../spec/types.ts'
import { signedHeaders } from './aws-signature.ts'

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: undefined,
}
const signing: AwsSigning = {
  service: 'service',
  region: 'us-east-1',
  accessKeyIdEnv: 'A',
  secretAccessKeyEnv: 'B',
  sessionTokenEnv: 'C',
}
const at = Date.UTC(2015, 7, 30, 12, 36)

// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, test suite: post-vanilla
test("a request is signed as AWS's own test suite has it", async () => {
  const request = { origin: 'https://example.amazonaws.com', path: '/', headers: {}, body: Buffer.alloc(0) }
  expect(await signedHeaders(request, signing, credentials, at)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, ' +
      'Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  })
})

const request = {
  origin: 'https://bedrock-runtime.eu-west-1.amazonaws.com',
  path: '/model/anthropic.claude%3A0/converse-stream',
  headers: { 'content-type': 'application/json', accept: '*/*' },
  body: Buffer.from('{}'),
}

test('the region stands in the host, the headers stay, a session token is sent and signed', async () => {
  const token = { ...credentials, sessionToken: 'SESSION' }
  const signed = await signedHeaders(request, { ...signing, service: 'bedrock', region: null }, token, at)
  expect(signed).toMatchObject({ ...request.headers, 'x-amz-security-token': 'SESSION' })
  expect(signed['authorization']).toContain('/20150830/eu-west-1/bedrock/aws4_request')
  expect(signed['authorization']).toMatch(/SignedHeaders=[a-z;-]*x-amz-security-token/)
  expect(signed).not.toHaveProperty('host')
})

test('the body and the time are signed', async () => {
  const sign = async (body: string, wall: number): Promise<string | undefined> =>
    (await signedHeaders({ ...request, body: Buffer.from(body) }, signing, credentials, wall))['authorization']
  expect(await sign('{}', at)).toBe(await sign('{}', at))
  expect(await sign('{"a":1}', at)).not.toBe(await sign('{}', at))
  expect(await sign('{}', at + 1000)).not.toBe(await sign('{}', at))
})

test('a host that does not tell its region is an error with a way out', async () => {
  await expect(
    signedHeaders({ ...request, origin: 'https://proxy.example' }, { ...signing, region: null }, credentials, at),
  ).rejects.toMatchObject({ code: 'CONFIG_INVALID', hint: expect.stringContaining('region') })
})
