import { SloError } from '../errors.ts'
import { checkProxy } from '../probe/index.ts'
import type { InspectedTarget, TargetProblem } from '../probe/types.ts'
import { refusalText } from './refusal.ts'
import { missingVariables, unreadableFiles, unusableVariables } from '../spec/index.ts'
import type { Probe } from '../spec/types.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Looks at targets without asking them: {@link Prober.inspect}. */
export type Inspect = (targets: readonly InspectedTarget[]) => Promise<readonly TargetProblem[]>

/** Variables that are not set or not fit, files that cannot be read; ready to print. */
function environmentProblems(probes: readonly Probe[], variables: Variables): readonly string[] {
  const unusable = unusableVariables(probes, variables).map(
    ({ name, neededBy }) =>
      `${name} has a line break, or another character that no header can hold (needed by ${neededBy.join(', ')})\n  set it again without`,
  )
  const missing = missingVariables(probes, variables).map(
    ({ name, neededBy }) =>
      `${name} is not set (needed by ${neededBy.join(', ')})\n  set it in the environment, or practise without it: SLO_SIMULATE=1`,
  )
  const files = unreadableFiles(probes).map(
    ({ file, neededBy }) => `${file} cannot be read (tls of ${neededBy})\n  a path is relative to the project's root`,
  )
  return [...unusable, ...missing, ...files]
}

/** Each problem once, with everybody whom it concerns. */
function grouped(problems: readonly TargetProblem[]): readonly string[] {
  const neededBy = new Map<string, TargetProblem[]>()
  for (const problem of problems) {
    const key = JSON.stringify([problem.message, problem.hint])
    neededBy.set(key, [...(neededBy.get(key) ?? []), problem])
  }
  return [...neededBy.values()].map((same) => {
    const { message = '', hint } = same[0] ?? {}
    const names = [...new Set(same.map((each) => each.neededBy))].join(', ')
    return `${message} (needed by ${names})${hint === undefined ? '' : `\n  ${hint}`}`
  })
}

function proxyProblems({ name, baseUrl }: InspectedTarget, variables: Variables): readonly TargetProblem[] {
  if (baseUrl === null) return []
  try {
    checkProxy(baseUrl, variables)
    return []
  } catch (error) {
    if (!(error instanceof SloError)) throw error
    return [{ neededBy: name, message: error.message, hint: error.hint }]
  }
}

function inspected({ name, target, baseUrl }: InspectedTarget, readable: boolean): InspectedTarget {
  const { tls, ...rest } = target
  return { name, target: readable && tls !== undefined ? { ...rest, tls } : rest, baseUrl }
}

/**
 * Everything of the environment and the set-up that would keep a target from being asked, ready to print.
 * @param targets - the real ones
 * @param inspect - `null`: only what can be seen from here
 */
export async function targetProblems(
  probes: readonly Probe[],
  targets: readonly InspectedTarget[],
  variables: Variables,
  inspect: Inspect | null,
): Promise<readonly string[]> {
  const environment = environmentProblems(probes, variables)
  const proxies = targets.flatMap((target) => proxyProblems(target, variables))
  // a file that cannot be read has been told
  const readable = environment.length === 0
  if (inspect === null || targets.length === 0) return [...environment, ...grouped(proxies)]
  try {
    const found = await inspect(targets.map((target) => inspected(target, readable)))
    return [...environment, ...grouped([...proxies, ...found])]
  } catch (error) {
    return [...environment, ...grouped(proxies), refusalText(error)]
  }
}
