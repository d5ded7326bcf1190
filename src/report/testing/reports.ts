import type { Finding, WorstSample } from '../../verdict/types.ts'
import type { CellSummary, RunReport, RunSummary } from '../types.ts'

/** A breached p99 of TTFT over the prompts of one target. */
export function finding(fields: Partial<Finding> = {}): Finding {
  return {
    budget: 'ttft',
    probe: 'serverless',
    target: 'deepseek-3.2',
    prompt: 'all',
    verdict: 'fail',
    severity: 'fail',
    metric: 'ttft',
    statistic: 'p99',
    threshold: null,
    operator: '<',
    limit: 10_000,
    value: 13_654.123,
    unit: 'ms',
    n: 857,
    beyond: 14,
    failed: 7,
    censored: 1,
    evidence: { proven: 'fail', confidence: 0.95, samplesMissing: null },
    source: { file: 'slo.yaml', line: 12, column: 5 },
    message: 'p99 ttft of serverless / deepseek-3.2 is 13.65 s, not < 10 s: 14 of 857 beyond',
    onInconclusive: 'fail',
    text: 'p99 ttft < 10s',
    valueIsBound: false,
    worst: [
      worst({ value: 210_040.1, prompt: 'long', request_id: 'req_7f3' }),
      worst({ value: 60_000, censored: true, error_kind: 'first_token_timeout' }),
    ],
    failures: { empty: 1, 'http_status 529': 6 },
    currency: 'USD',
    broken: false,
    ...fields,
  }
}

export function worst(fields: Partial<WorstSample> = {}): WorstSample {
  return {
    probe: 'serverless',
    target: 'deepseek-3.2',
    prompt: 'medium',
    seq: 7,
    started_at: '2026-10-28T03:20:05.012Z',
    value: 12_000,
    censored: false,
    error_kind: null,
    request_id: null,
    ...fields,
  }
}

/** A pass of an error rate. */
export function passing(fields: Partial<Finding> = {}): Finding {
  return finding({
    budget: 'errors',
    target: 'glm-5.3',
    verdict: 'pass',
    metric: 'error_rate',
    statistic: 'rate',
    unit: 'ratio',
    limit: 0.01,
    value: 1 / 864,
    n: 864,
    beyond: 1,
    failed: 1,
    censored: 0,
    evidence: { proven: 'pass', confidence: 0.95, samplesMissing: null },
    source: { file: 'slo.yaml', line: 20, column: 12 },
    message: 'error_rate of serverless / glm-5.3 is 0.12 %, < 1 %: 1 of 864',
    text: 'error_rate < 1%',
    worst: [],
    failures: { 'http_status 529': 1 },
    ...fields,
  })
}

/** Too few samples to judge. */
export function inconclusive(fields: Partial<Finding> = {}): Finding {
  return passing({
    budget: 'answers',
    verdict: 'inconclusive',
    reason: 'too-few-samples',
    n: 40,
    evidence: { proven: null, confidence: 0.95, samplesMissing: 259 },
    message: 'error_rate of serverless / glm-5.3 needs 100 samples and has 40',
    ...fields,
  })
}

/** The study's medium cell of glm-5.3. */
export function cell(fields: Partial<CellSummary> = {}): CellSummary {
  return {
    probe: 'serverless',
    target: 'glm-5.3',
    prompt: 'medium',
    n: 288,
    failed: 1,
    ttft: { p50: 1049.2, p95: 1846, p99: 2130.4 },
    firstAnswer: { p50: 27_012.3, p95: 35_100 },
    decodeTps: { p5: 52.4, p50: 59.44 },
    promptTokensP50: 1050,
    completionTokensP50: 1990,
    errors: { 'http_status 529': 1 },
    cost: 3.73,
    currency: 'USD',
    ...fields,
  }
}

export function run(fields: Partial<RunSummary> = {}): RunSummary {
  return {
    id: '20261028T000000000Z-9f3a61c2',
    startedAt: '2026-10-28T00:00:00.000Z',
    endedAt: '2026-10-30T00:00:00.000Z',
    planned: 3456,
    sampled: 3456,
    missedRounds: 2,
    complete: true,
    interrupted: false,
    simulated: false,
    timezone: 'Asia/Kolkata',
    ...fields,
  }
}

export function report(fields: Partial<RunReport> = {}): RunReport {
  return { version: 1, run: run(), findings: [finding(), passing()], cells: [cell()], notes: [], ...fields }
}

/** Text that no format likes. */
export const HOSTILE = `]]> <b>&amp;"'\`|\u0000\u001B[31m\uD800 \u{1F4A5}\r\n::error::%0A*x* $y$ [l](http://x) @all \uFFFE`
