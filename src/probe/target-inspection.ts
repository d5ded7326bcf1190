import { messageOf, SloError } from '../errors.ts'
import { signedHeaders } from './aws-signature.ts'
import type { TlsIdentities } from './connection-identity.ts'
import type { CredentialCommands } from './credential-command.ts'
import { loadProtocol } from './protocol-loading.ts'
import type { InspectedTarget, TargetProblem } from './types.ts'

const NO_CREDENTIALS = { accessKeyId: 'none', secretAccessKey: 'none', sessionToken: undefined }

function stepsOf(
  { target, baseUrl }: InspectedTarget,
  commands: CredentialCommands,
  identities: TlsIdentities,
  signal: AbortSignal,
): readonly (() => unknown)[] {
  const { auth, tls, signing } = target
  return [
    async () => await loadProtocol(target.protocol),
    ...(auth === undefined ? [] : [async () => await commands.token(auth, signal)]),
    ...(tls === undefined ? [] : [() => identities.of(tls)]),
    ...(signing === undefined || baseUrl === null
      ? []
      : [
          async () => {
            const request = { origin: new URL(baseUrl).origin, path: '/', headers: {}, body: new Uint8Array() }
            await signedHeaders(request, signing, NO_CREDENTIALS, 0)
          },
        ]),
  ]
}

/**
 * What of our own would fail at every request to a target, found without a request: its protocol, the command of its token (which is
 * kept for the first request), its certificates, its signature.
 */
export async function inspectTarget(
  inspected: InspectedTarget,
  commands: CredentialCommands,
  identities: TlsIdentities,
  signal: AbortSignal,
): Promise<readonly TargetProblem[]> {
  const problems: TargetProblem[] = []
  for (const step of stepsOf(inspected, commands, identities, signal)) {
    try {
      await step()
    } catch (error) {
      if (signal.aborted) return []
      const hint = error instanceof SloError ? error.hint : undefined
      problems.push({ neededBy: inspected.name, message: messageOf(error), hint })
    }
  }
  return problems
}
