import { expect, test } from 'vitest'

import { columns, FIRST_COLUMNS } from './columns.ts'

test('the columns stand in the published order', () => {
  const published = `
    format run_id plan seq round probe target prompt model served_model protocol region labels simulated due_at started_at lateness_ms outcome
    error_kind status error_message retry_after_ms reused stale_retries http_version dns_ms tcp_ms tls_ms connect_ms send_ms headers_ms
    first_chunk_ms ttft_ms ttft_error_ms first_token_kind first_answer_ms last_token_ms total_ms decode_tps tpot_ms gap_p50_ms gap_p99_ms
    gap_max_ms token_events tokens_per_event prompt_tokens completion_tokens reasoning_tokens cached_tokens finish_reason cost
    client_lag_ms flags prompt_bytes nonce request_id`
  const first = published.trim().split(/\s+/)
  expect(first).toHaveLength(FIRST_COLUMNS)
  expect(columns).toEqual([...first, 'prompt_tokens_raw', 'completion_tokens_raw', 'error_class'])
})
