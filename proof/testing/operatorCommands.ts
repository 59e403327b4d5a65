import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOTP } from '@better-auth/utils/otp'
import { expect } from 'vitest'
import type { Market } from './market.ts'
import { atConsole } from './operator.ts'
import { fromBase32 } from './otp.ts'
import { addPasskey, openDevice, signInBy } from './passkey.ts'
import type { runningErgon } from './runningErgon.ts'
import { PASSWORD } from './visitor.ts'

const BY = ['--by', 'ann', '--why', 'a test']

type Given = Pick<ReturnType<typeof runningErgon>, 'ergon' | 'both' | 'program'> & {
  market: Market
  folder: string
}

/** Signs in at the console with password and code, with the app secret that a command printed. */
async function enter(market: Market, email: string, secret: string) {
  const visitor = atConsole(market.url)
  await visitor.call('POST', '/session/sign-in', { email, password: PASSWORD })
  const code = await createOTP(fromBase32(secret)).totp()
  return { visitor, status: (await visitor.call('POST', '/session/code', { code })).status }
}

const entersWith = async (...how: Parameters<typeof enter>) => (await enter(...how)).status

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
  const entered = await enter(market, email, replaced.json.totp_secret)
  expect(entered.status).toBe(200)
  const device = openDevice(market.url)
  const { id } = await addPasskey(entered.visitor, device)
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
  const [shown, items] = await both('operators', 'passkeys', email)
  expect(shown.out).toMatch(new RegExp(`^${id} {2}A key in software {2}since .*, never used$`, 'm'))
  expect(items.json).toMatchObject([{ id, name: 'A key in software', lastUsedAt: null }])
  expect(JSON.stringify(items.json)).not.toContain('ublicKey')
  expect((await ergon(['operators', 'list'])).out).toContain('with an app and 1 passkey')
  const passkeys = ['operators', 'passkeys', email, '--remove']
  expect((await ergon([...passkeys, 'everything'])).code).toBe(2)
  expect((await ergon([...passkeys, '01a1dd1e-0000-7000-8000-000000000000', ...BY])).code).toBe(1)
  const dan = ['--by', 'dan', '--why', 'a try']
  expect((await ergon([...passkeys, 'all', ...dan])).err).toContain('this needs administrator')
  expect((await signInBy(atConsole(market.url), device)).status).toBe(200)
  const gone = await ergon([...passkeys, 'all', ...BY])
  expect([gone.code, gone.out]).toEqual([0, expect.stringContaining('Removed: A key in software')])
  expect(await market.database.sql(sessions)).toEqual([])
  expect((await signInBy(atConsole(market.url), device)).status).toBe(401)
  const none = await ergon(['operators', 'passkeys', 'nobody@example.com'])
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('No operator has this')])
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
    { who: email, what: 'add_passkey', done: true },
    { who: 'command line', what: 'remove_operator', done: false },
    { who: 'command line', what: 'change_role', done: false },
    {
      who: 'ann@example.com',
      what: 'change_role',
      change: expect.stringContaining('"after": "support"'),
    },
    { who: 'ann@example.com', what: 'remove_passkeys', done: false },
    {
      who: 'ann@example.com',
      what: 'remove_passkeys',
      change: expect.stringContaining('A key in software'),
    },
    { who: 'command line', what: 'remove_operator', done: true },
    { who: 'command line', what: 'remove_operator', done: false },
  ])
}
