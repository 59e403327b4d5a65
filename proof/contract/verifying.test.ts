// Proves: pages, webhooks.
import { spawnSync } from 'node:child_process'
import { signWebhook } from '@ergon/sdk'
import { expect, test } from 'vitest'
import { VERIFY } from '../../web/index.ts'

// The page of events shows how a receiver checks a delivery. Both programs accept a signed one and refuse a changed one.

const secret = 'whsec_of_a_test'
const signed = () =>
  signWebhook({ secret, event: { type: 'notification.test', data: { message: 'Hello' } } })

/** Runs a program with the delivery as JSON in its first argument; returns what it printed last. */
function run(command: string, args: string[], delivery: unknown): string {
  const { stdout, stderr } = spawnSync(command, [...args, JSON.stringify(delivery)], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  return stdout.trim() || stderr
}

const PYTHON = `${VERIFY.python}
import sys
from email.message import Message  # what servers of Python have headers in: names in any case
given = json.loads(sys.argv[1])
headers = Message()
for name, value in given["headers"].items(): headers[name] = value
print(receive(given["secret"], headers, given["body"].encode())["type"])`
const TYPESCRIPT = `${VERIFY.typescript}
const { secret, headers, body } = JSON.parse(process.argv[1]!)
console.log((await receive(secret, headers, body)).type)`

const hasPython = spawnSync('python3', ['--version']).status === 0
const programs = [
  ['TypeScript', process.execPath, ['--input-type=module-typescript', '-e', TYPESCRIPT]],
  ...(hasPython ? [['Python', 'python3', ['-c', PYTHON]] as const] : []),
] as const

test.each(programs)(
  'the receiver in %s takes what we sign, and nothing else',
  async (_name, ...how) => {
    const [command, args] = how
    const { headers, body } = await signed()
    const delivery = { secret, headers, body: String(body) }
    expect(run(command, [...args], delivery)).toBe('notification.test')
    const changed = run(command, [...args], { ...delivery, body: `${delivery.body} ` })
    expect(changed).toMatch(/not from Ergon|WebhookError/)
    const old = { ...headers, 'x-service-timestamp': '1' }
    expect(run(command, [...args], { ...delivery, headers: old })).toMatch(/stale/)
  },
)
