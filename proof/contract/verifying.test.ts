// Proves: pages, webhooks.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { signWebhook } from '@ergon/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../testing/until.ts'

// The receivers of the guide, each run as its file is: it takes what we sign, and nothing else.

const EXAMPLES = join(import.meta.dirname, '../../docs/examples')
const secret = 'whsec_of_a_test'
const event = { type: 'notification.test', data: { message: 'Hello' } }
const hasPython = spawnSync('python3', ['--version']).status === 0
const receivers = [
  ['receiver.ts', process.execPath],
  ...(hasPython ? [['receiver.py', 'python3'] as const] : []),
] as const

/** A port that is free for a moment: the receivers name theirs and cannot choose one. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return String(port)
}

async function start(file: string, command: string) {
  const port = await freePort()
  const env = { ...process.env, SECRET: secret, PORT: port }
  const child = spawn(command, [join(EXAMPLES, file)], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill())
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  while (!said.includes('listening')) await once(child.stdout, 'data')
  const post = async (headers: Record<string, string>, body: string) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status
  return { post, said: () => said }
}

test.each(receivers)(
  '%s takes what we sign, once, and refuses everything else',
  async (file, command) => {
    const { post, said } = await start(file, command)
    const { headers, body } = await signWebhook({ secret, event })
    expect(await post(headers, body)).toBe(204)
    expect(await post(headers, body)).toBe(204)
    const next = await signWebhook({ secret: 'whsec_old', nextSecret: secret, event })
    expect(await post(next.headers, next.body)).toBe(204)
    const times = (words: RegExp) => said().match(words)?.length
    await until('both are said', () => times(/notification\.test/g) === 2)
    expect(await post(headers, `${body} `)).toBe(400)
    expect(await post({ ...headers, 'x-service-timestamp': '1' }, body)).toBe(400)
    expect(await post({ ...headers, 'x-service-timestamp': 'now' }, body)).toBe(400)
    expect(await post({ ...headers, 'x-service-signature': 'v1=\u00fc' }, body)).toBe(400)
    expect(await post({}, body)).toBe(400)
    await until('five refusals', () => times(/refused/g) === 5)
    expect(times(/notification\.test/g)).toBe(2)
  },
)

test('the guide shows the receivers as they are', () => {
  const page = readFileSync(join(EXAMPLES, '../guide/webhooks.md'), 'utf8')
  for (const [file] of [['receiver.ts'], ['receiver.py']]) {
    expect(page).toContain(readFileSync(join(EXAMPLES, file!), 'utf8'))
  }
})
