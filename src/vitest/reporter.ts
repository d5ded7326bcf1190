import { relative } from 'node:path'
import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node'
import { painter } from '../colour.ts'
import type { Paint } from '../colour.ts'
import type { RunReport } from '../report/types.ts'
import type { Gate } from './gate.ts'
import { PROJECT } from './projects.ts'
import type { SessionResult } from './session-types.ts'
import { wrapText } from './wrap-text.ts'

const STYLES = { fail: 'red', warn: 'yellow', inconclusive: 'yellow', pass: 'green' } as const

function countVerdicts({ findings }: RunReport, paint: Paint): string {
  const counts = { fail: 0, warn: 0, inconclusive: 0, pass: 0 }
  for (const finding of findings) {
    if (finding.verdict === 'fail') counts[finding.severity === 'fail' ? 'fail' : 'warn'] += 1
    else counts[finding.verdict] += 1
  }
  const words = (['fail', 'warn', 'inconclusive', 'pass'] as const)
    .filter((word) => counts[word] > 0)
    .map((word) => paint(STYLES[word], `${counts[word]} ${word}`))
  return words.length === 0 ? paint('yellow', 'no budget was judged') : words.join(', ')
}

/** Says what the run left behind, after Vitest's own reporters. */
export class SloReporter implements Reporter {
  readonly #gate: Gate
  readonly #paint = painter(process.stderr)
  #vitest: Vitest | undefined

  constructor(gate: Gate) {
    this.#gate = gate
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunStart(_specifications: readonly TestSpecification[]): void {
    this.#gate.reset()
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const probes = modules.filter((module) => module.project.name === PROJECT)
    // merged reports tell of runs that are over
    if (probes.length === 0 || this.#vitest?.config.mergeReports !== undefined) return
    if (!this.#gate.asked()) {
      const files = probes.length === 1 ? '1 probe file' : `${probes.length} probe files`
      const how =
        this.#vitest?.config.watch === true
          ? 'in watch mode they ask with SLO_RUN=1 only'
          : 'to ask: vitest run --project slo, or SLO_RUN=1; to practise: add SLO_SIMULATE=1'
      this.#say(`slo  ${files} skipped, nothing was asked (${how})`)
      return
    }
    const result = await this.#gate.settled()
    if (result?.kind !== 'done') return
    await this.#tell(result)
  }

  async #tell(result: Extract<SessionResult, { kind: 'done' }>): Promise<void> {
    const { run } = result.report
    const paint = this.#paint
    if (run.id === '') {
      const told = 'no cell of a probe was selected: nothing was asked, and no budget was judged'
      this.#say(`slo  ${result.exit === 0 ? told : paint('red', `${told} (exit code 2)`)}`)
      return
    }
    const folder = relative(this.#gate.root, this.#gate.outDir()) || '.'
    const state = run.complete === true ? 'complete' : paint('yellow', `ended early (${result.reason ?? 'unknown'})`)
    const simulated = run.simulated
      ? `  ${paint('yellow', `SIMULATED${run.timeScale === undefined ? '' : ` ×${run.timeScale}`}, not measured`)}`
      : ''
    this.#say(
      `slo  run ${run.id} ${state}: ${run.sampled}${run.planned === null ? '' : ` of ${run.planned}`} samples; ${countVerdicts(result.report, paint)}${simulated}`,
    )
    for (const { file, message } of result.failed)
      this.#say(`slo  ${paint('red', 'COULD NOT WRITE')} ${file}: ${message}`)
    if (result.reason !== null) {
      for (const note of result.report.notes.filter((each) => each.code === result.reason))
        this.#say(`slo  ${note.message}`)
    }
    this.#say(
      `slo  reports in ${folder}/: ${[...result.written.map((file) => relative(this.#gate.outDir(), file)), 'samples.csv', 'runs.jsonl'].join(', ')}`,
    )
    // no test was left to show them
    if (result.reason === 'worker-died') {
      for (const finding of result.report.findings)
        this.#say(`slo  ${paint(STYLES[finding.verdict], finding.verdict)}: ${finding.message}`)
    }
    await this.#tellGitHub(result)
  }

  async #tellGitHub(result: Extract<SessionResult, { kind: 'done' }>): Promise<void> {
    if (process.env['GITHUB_ACTIONS'] !== 'true') return
    // loaded where something was asked only
    const { tellGitHub } = await import('../report/github.ts')
    await tellGitHub(result.report, {
      variables: process.env,
      // Vitest's own github-actions reporter prints none for a breach: a frame in slo.yaml is not one of its modules
      annotate: true,
      print: (line) => process.stdout.write(`${line}\n`),
      say: (line) => this.#say(line),
    })
  }

  #say(text: string): void {
    const { isTTY, columns } = process.stderr
    process.stderr.write(`${isTTY ? wrapText(text, columns, 5) : text}\n`)
  }
}
