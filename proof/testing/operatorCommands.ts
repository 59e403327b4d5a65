import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOTP } from '@better-auth/utils/otp'
import { expect } from 'vitest'
import type { Market } from './market.ts'
import { atConsole } from './operator.ts'
import { fromBase32 } from './otp.ts'
import type { runningErgon } from './runningErgon.ts'
import { PASSWORD } from './visitor.ts'

const BY = ['--by', 'ann', '--why', 'a test']

type Given = Pick<ReturnType<typeof runningErgon>, 'ergon' | 'both' | 'program'> & {
  market: Market
  folder: string
}

/** Signs in at the console with password and code, with the app secret that a command printed. */
async function entersWith(market: Market, email: string, secret: string): Promise<number> {
  const visitor = atConsole(market.url)
  await visitor.call('POST', '/session/sign-in', { email, password: PASSWORD })
  const code = await createOTP(fromBase32(secret)).totp()
  return (await visitor.call('POST', '/session/code', { code })).status
}

/** Operators come, get another role and go; the log has it. */
export async function changeOperators({ ergon, both, program, market, folder }: Given) {
  const file = join(folder, 'password')
  writeFileSync(file, `${PASSWORD}\n`, { mode: 0o600 })
  const email = 'dan@example.com'
  const add = ['operators', 'add', 'Dan@example.com', '--password-file', file]
  const added = await program([...add, ...BY])
  expect([added.code, added.err]).toEqual([0, ''])
  const [, secret] = /secret=([A-Z2-7]+)&issuer=Ergon/.exec(added.out)!
  expect(added.out).toContain(`otpauth://totp/Ergon:${encodeURIComponent(email)}?`)
  expect(added.out).toMatch(new RegExp(`^ *${secret}$`, 'm'))
  expect(await entersWith(market, email, secret!)).toBe(200)
  const [text, json] = await both('operators', 'list')
  expect(text.out).toMatch(/^dan@example\.com {2}administrator {2}since .*, with an app$/m)
  expect(json.json).toMatchObject([{ email, role: 'administrator', secondStep: true }])

  const replaced = await ergon(['operators', 'totp', email, '--json'])
  expect(replaced).toMatchObject({ code: 0, json: { email, totp_uri: expect.any(String) } })
  const sessions = `select from better_auth.session s join better_auth."user" u on u.id = s."userId" where u.email = '${email}'`
  expect(await market.database.sql(sessions)).toEqual([])
  expect(await entersWith(market, email, secret!)).toBe(401)
  expect(await entersWith(market, email, replaced.json.totp_secret)).toBe(200)
  expect((await ergon(['operators', 'totp', 'nobody@example.com'])).code).toBe(1)

  const remove = ['operators', 'remove', email, '--json']
  const last = await ergon(remove)
  expect([last.code, last.err]).toEqual([1, expect.stringContaining('the last administrator')])
  const role = ['operators', 'role', email, 'support']
  expect((await ergon(role)).code).toBe(1)
  const ann = ['operators', 'add', 'ann@example.com', '--role', 'administrator']
  expect((await ergon([...ann, '--password-file', file])).code).toBe(0)
  expect(await ergon([...role, ...BY])).toMatchObject({
    code: 0,
    out: `${email} has the role support.\n`,
  })
  const invite = ['operators', 'invite', 'fay@example.com', '--role', 'viewer', ...BY]
  const invited = await ergon(invite)
  expect([invited.code, invited.out]).toEqual([0, expect.stringContaining('/operator/invitation#')])
  const [lines, rows] = await both('log', '--of', 'fay@example.com')
  expect(lines.out).toMatch(/ann@example\.com {2}invite fay@example\.com {2}done: a test$/m)
  expect(rows.json).toMatchObject([{ who: 'ann@example.com', what: 'invite' }])
  const csv = await ergon(['log', '--who', 'ann@example.com', '--csv', '--from', '2026-01-01'])
  expect(csv.out).toMatch(
    /^at,who,what,of,why,outcome,change\r\n.*,invite,fay@example.com,a test,done,/,
  )
  const turn = await ergon(['switches', 'off', 'webhooks', '--by', 'dan', '--why', 'a try'])
  expect([turn.code, turn.err]).toEqual([
    1,
    `The role of ${email} is support; this needs administrator.\n`,
  ])
  const nobody = await ergon(['switches', 'off', 'webhooks', '--by', 'eve', '--why', 'a try'])
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('is called "eve"')])
  expect(await ergon(remove)).toMatchObject({ code: 0, json: { email } })
  expect((await ergon(remove)).code).toBe(1)
  const log = await market.database.sql(
    `select a.who, a.what, o.done, o.change::text as change from operator.action a join operator.outcome o on o.action_id = a.id
      where a.subject = '${email}' order by a.at, a.id`,
  )
  expect(log).toMatchObject([
    { who: 'ann', what: 'add_operator', done: true, change: '{}' },
    { who: 'command line', what: 'replace_app', done: true, change: '{}' },
    { who: 'command line', what: 'remove_operator', done: false },
    { who: 'command line', what: 'change_role', done: false },
    {
      who: 'ann@example.com',
      what: 'change_role',
      change: expect.stringContaining('"after": "support"'),
    },
    { who: 'command line', what: 'remove_operator', done: true },
    { who: 'command line', what: 'remove_operator', done: false },
  ])
}
