import { Agent, request } from 'node:http'

/** As many as it takes until a first token is no longer late by milliseconds of compiling. */
const REQUESTS = 12

function once(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-slo-warmup': '1', 'x-slo-profile': 'default', 'x-slo-time-scale': '100' }
    const body = {
      model: 'default',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'Hello' }],
    }
    const call = request(`${url}/v1/chat/completions`, { method: 'POST', headers, agent }, (response) => {
      response.once('error', reject).once('end', resolve).resume()
    })
    call.once('error', reject).end(JSON.stringify(body))
  })
}

/** Asks the simulator at `url` a few times, so that the first request that counts finds compiled code. */
export async function warmUp(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  for (let i = 0; i < REQUESTS; i += 1) await once(url, agent)
  agent.destroy()
}
