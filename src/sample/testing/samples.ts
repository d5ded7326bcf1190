import type { FailedSample, OkSample } from '../types.ts'

/** A successful sample of a plain run. */
export function okSample(fields: Partial<OkSample> = {}): OkSample {
  return {
    run_id: '20261201T020000000Z-9f3a61c2',
    plan: '0123456789abcdef',
    seq: 0,
    round: 0,
    probe: 'serverless',
    target: 'glm-5.3',
    prompt: 'medium',
    model: 'glm-5.3',
    protocol: 'openai-chat',
    labels: {},
    due_at: '2026-12-01T02:00:00.000Z',
    started_at: '2026-12-01T02:00:00.012Z',
    lateness_ms: 12.25,
    outcome: 'ok',
    status: 200,
    reused: true,
    stale_retries: 0,
    http_version: '1.1',
    ttft_ms: 812.125,
    first_token_kind: 'reasoning',
    total_ms: 9000.5,
    client_lag_ms: 0.25,
    flags: [],
    prompt_bytes: 4321,
    nonce: '5d0c2d1e',
    ...fields,
  }
}

/** A failed one, whose message is as hard on a CSV as a server can make it. */
export function failedSample(fields: Partial<FailedSample> = {}): FailedSample {
  const { outcome: _outcome, ...base } = okSample()
  return {
    ...base,
    outcome: 'error',
    error_kind: 'http_status',
    error_message: '=overloaded, "try" later\r\n1,x\n\u{1F4A5}',
    ...fields,
  }
}
