import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import { RECEIVER_PEM } from '../testing/receiver.ts'

// The baseline of deliveries: undici and an HMAC over the same body, without a database.
const [port, atOnce, body] = process.argv.slice(2) as [string, string, string]
const secret = `whsec_${'x'.repeat(43)}`
const url = `https://hooks.receiver.test:${port}/bare`
const agent = new Agent({
  connect: {
    ca: RECEIVER_PEM,
    allowH2: false,
    lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  },
  pipelining: 1,
  keepAliveTimeout: 4_000,
})

async function post() {
  const timestamp = Math.floor(Date.now() / 1_000)
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Ergon-Webhooks/1',
    'X-Service-Event': 'balance.credited',
    'X-Service-Delivery': '01a1dd1e-0000-7000-8000-000000000000',
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Signature': `v1=${signature}`,
  }
  const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent })
  for await (const _ of answer.body);
}

process.on('message', async (count: number) => {
  let left = count
  const worker = async () => {
    while (left-- > 0) await post()
  }
  await Promise.all(Array.from({ length: Number(atOnce) }, worker))
})
process.once('disconnect', () => process.exit(0))
process.send!('ready')
