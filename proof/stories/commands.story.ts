// Proves: operator.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toBase58, toHex } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import type { TestAccount } from '../testing/app.ts'
import { FIRST, SECOND } from '../testing/approvals.ts'
import { moveAccounts } from '../testing/groupCommands.ts'
import { makeKeys, recoverNothing, resealSecrets } from '../testing/keyCommands.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { isMentionOf, mentionsIn } from '../testing/mention.ts'
import { changeOperators } from '../testing/operatorCommands.ts'
import { readReports } from '../testing/reportCommands.ts'
import { runningErgon } from '../testing/runningErgon.ts'
import { decideStatements } from '../testing/statementCommands.ts'
import { tellClients } from '../testing/statusCommands.ts'
import { moveStakes, setTreasury } from '../testing/treasuryCommands.ts'
import { until } from '../testing/until.ts'

// The operator's commands: their output for people and as JSON, and their exit codes, as
// docs/operating/commands.md says. They run as separate programs where it matters that they end.

const ROOT = join(import.meta.dirname, '../..')
const pages = globSync('docs/operating/*.md', { cwd: ROOT }).sort()
const folder = mkdtempSync(join(tmpdir(), 'ergon-commands-'))
const passphrase = join(folder, 'passphrase')
writeFileSync(passphrase, 'correct horse battery staple\n', { mode: 0o600 })

let market: Market
let client: TestAccount
let env: Record<string, string>
beforeAll(async () => {
  market = await openMarket({ blockMs: 200 })
  client = await market.fundedAccount('500', { name: 'Corner shop' })
  env = {
    DATABASE_URL: market.database.url('ergon_app'),
    TRON_URL: market.devnet.url,
    DATA_DIR: folder,
    PORT: '0',
    DEVNET_PORT: '0',
  }
})
afterAll(async () => {
  close()
  await market?.close()
  rmSync(folder, { recursive: true, force: true })
})

const { ergon, both, program, answered, close } = runningErgon(() => env)
const BY = ['--by', 'ann', '--why', 'a test']
const given = () => ({ ergon, both, program, market, client, folder, passphrase })

test('audit, reconcile, status and rescan look, and say what they saw', async () => {
  const [audit, auditJson] = await Promise.all([program(['audit']), program(['audit', '--json'])])
  expect([audit.code, audit.out]).toEqual([0, 'The books add up: every invariant holds.\n'])
  expect([auditJson.code, auditJson.json]).toEqual([0, { invariant: null }])
  const [table, sums] = await both('reconcile')
  expect(table.out).toMatch(/^clients' balances +-500\.000000 TRX$/m)
  expect([table.code, sums.code, sums.json.clients]).toEqual([0, 0, '500000000'])
  const [shown, status] = await both('status')
  expect([shown, status]).toMatchObject([{ code: 0 }, { code: 0, json: { put_aside: [] } }])
  const lost = await ergon(['reconcile'], { DEVNET_PORT: '1', TRON_URL: '' })
  expect([lost.code, lost.err]).toEqual([3, expect.stringContaining('TRON_URL says where it is')])
  const rescan = await ergon(['rescan', '--from', '1'])
  expect([rescan.code, rescan.out]).toEqual([0, expect.stringMatching(/^\d+ blocks read again\./)])
})

test('stakes shows what is staked and what unlocks', async () => {
  const [text, json] = await both('stakes')
  expect([text.code, text.out]).toEqual([0, expect.stringContaining('  Nothing is unfreezing.')])
  expect(json.json.stakes).toMatchObject([{ unfreezing: '0', energy: '50000000000000' }])
  const cost = ['stakes', 'cost', '--days', '7', '--by', 'ann', '--why', 'a test']
  const set = await ergon(cost)
  expect([set.code, set.out]).toEqual([0, expect.stringContaining('It must earn 5.00 % a year')])
  expect((await ergon(['stakes', 'cost', '--by', 'ann', '--why', 'a test'])).code).toBe(2)
})

test('sql reads and cannot write', async () => {
  const [text, json] = await both('sql', 'select name from identity.account')
  expect([text.code, text.out]).toEqual([0, '{"name":"Corner shop"}\n'])
  expect(json.json).toEqual([{ name: 'Corner shop' }])
  const write = await ergon(['sql', "update identity.account set name = 'x'"])
  expect([write.code, write.out]).toEqual([1, ''])
  expect(write.err).toContain('read-only')
})

test('accounts finds, gives a discount, and ends with 1 where nobody is', async () => {
  const [text, json] = await both('accounts', 'corner')
  expect(text.out).toContain(`${client.account_id}  500 TRX (500 spendable)`)
  expect(json.json).toMatchObject([{ id: client.account_id, balance: '500000000' }])
  const discount = ['accounts', 'discount', client.account_id, '--bps', '250']
  const given = await ergon([...discount, ...BY])
  expect([given.code, given.out]).toEqual([0, expect.stringContaining('VIP 2.5 %')])
  expect((await ergon(['accounts', 'nobody'])).code).toBe(1)
})

test('groups are made once, and an account is moved in and out', () => moveAccounts(given()))

test('clients are told what is planned and what is wrong', () => tellClients(given()))

test('adjust books within the limit, and waits for a second person above it', async () => {
  const adjust = (trx: string) =>
    ergon(['adjust', 'request', '--account', client.account_id, '--trx', trx, ...BY, '--json'])
  const stranger = ['--account', '01980000-0000-7000-8000-000000000000', '--trx', '1', ...BY]
  expect(await ergon(['adjust', 'request', ...stranger])).toMatchObject({
    code: 1,
    err: 'There is no account with this id; look it up in the list of accounts.\n',
  })
  const waits = (await adjust('100000')).json
  expect(waits.state).toBe('requested')
  const own = await ergon(['adjust', 'approve', waits.id, ...BY])
  expect([own.code, own.out, own.err]).toEqual([1, '', expect.stringContaining('Somebody else')])
  const text = await ergon(['adjust', 'list'])
  expect(text.out).toContain(`requested  100000 TRX  ${client.account_id}`)
  const refuse = ['adjust', 'refuse', waits.id, '--by', 'bob', '--why', 'too much']
  expect(await ergon(refuse)).toMatchObject({ code: 0, out: expect.stringContaining('refused') })
})

test('payout is asked for by one and approved by another', async () => {
  const to = toBase58(market.devnet.chain.network.funded[2]!.address)
  const wish = ['--account', client.account_id, '--to', to, '--trx', '5', '--reason', 'asked for']
  const asked = await until(
    'verified money',
    async () => {
      const ran = await ergon(['payout', 'request', ...wish, '--by', 'ann', '--json'])
      return ran.code === 0 && ran.json
    },
    60_000,
  )
  const key = await operatorKey('bob')
  const approve = (...given: string[]) => ergon(['payout', 'approve', asked.id, ...given])
  expect((await approve('--by', 'bob')).code).toBe(2)
  const byFile = ['--key-file', key.file, '--passphrase-file', passphrase]
  expect((await approve(...byFile, '--by', 'bob', '--why', 'yes')).code).toBe(0)
  const text = await ergon(['payout', 'list'])
  expect(text.out).toContain(`5 TRX to ${to}  ann, approved by bob: asked for`)
  const toSign = await ergon(['payout', 'text', asked.id])
  expect(toSign.out).toContain(`payout: ${asked.id}\nattempt: 1\namount in SUN: 5000000\n`)
  const cancelled = await ergon(['payout', 'cancel', asked.id, '--by', 'ann', '--json'])
  expect([cancelled.code, cancelled.json]).toEqual([0, { id: asked.id }])
})

/** An operator's own key, in an encrypted file. */
async function operatorKey(name: string) {
  const file = join(folder, `${name}.json`)
  const on = ['--file', file, '--passphrase-file', passphrase]
  const made = await ergon(['operator-key', 'create', ...on, '--json'])
  expect(made.code).toBe(0)
  const sign = async (text: string) => {
    const textFile = join(folder, 'text')
    writeFileSync(textFile, text)
    const { out } = await ergon(['operator-key', 'sign', textFile, ...on])
    return out.trim().split('\n').at(-1)!
  }
  return { key: made.json.key as string, file, on, sign }
}

test('the signer accepts a new key after a day, or when two operators sign', async () => {
  const people = await Promise.all(['carl', 'cleo', 'dora'].map(operatorKey))
  const [carl, cleo, dora] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]]
  expect((await ergon(['operator-key', 'show', ...carl.on])).out).toBe(`${carl.key}\n`)
  const dir = ['--dir', join(folder, 'signer')]
  const chain = market.devnet.chain.block(0)!.id
  const keys = `carl@example.com=${carl.key},cleo@example.com=${cleo.key}`
  const init = ['signer', 'init', '--chain', chain, '--hot', SANDBOX_HOT_ADDRESS, '--keys', keys]
  expect((await ergon([...init, ...dir])).out).toContain(
    `key         ${cleo.key} cleo@example.com, from `,
  )
  expect(await ergon([...init, ...dir])).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not overwritten'),
  })
  const add = ['signer', 'keys', 'add', `dora@example.com=${dora.key}`, ...dir]
  const text = (await ergon([...add, '--text'])).out
  expect(text).toContain(`change: add key ${dora.key} of dora@example.com\n`)
  const one = await carl.sign(text)
  expect((await ergon([...add, '--signed', one])).code).toBe(1)
  const signed = await ergon([...add, '--signed', `${one},${await cleo.sign(text)}`, '--json'])
  expect(Date.parse(signed.json.effectiveFrom)).toBeLessThanOrEqual(Date.now())
  const removed = await ergon(['signer', 'keys', 'remove', carl.key, ...dir])
  expect([removed.code, removed.out]).toEqual([0, expect.stringMatching(/^It holds from /)])
  const [to] = market.receivers
  const allowed = await ergon(['signer', 'allow', 'add', toHex(to!), ...dir, '--json'])
  expect(Date.parse(allowed.json.effectiveFrom)).toBeGreaterThan(Date.now() + 86_000_000)
  const caps = ['--hourly', '100', '--daily', '300']
  expect((await ergon(['signer', 'treasury', 'add', to!, ...caps, ...dir])).code).toBe(0)
  expect((await ergon(['signer', 'witnesses', 'add', to!, ...dir])).code).toBe(0)
  const listed = await ergon(['signer', 'keys', ...dir])
  expect(listed.out).toContain(`treasury    ${to}, 100 TRX an hour, 300 a day, from `)
  expect(listed.out).toContain(`witness     ${to}, from `)
  expect(listed.out).not.toContain(carl.key)
  expect((await ergon(['signer', 'witnesses', ...dir])).out).toBe(listed.out)
  for (const list of ['allow', 'treasury', 'witnesses']) {
    expect((await ergon(['signer', list, 'remove', to!, ...dir])).code).toBe(0)
    expect((await ergon(['signer', list, 'remove', to!, ...dir])).code).toBe(1)
  }
  expect((await ergon(['signer', 'keys', 'add', 'nobody', ...dir])).code).toBe(2)
  expect((await ergon(['signer', 'keys'])).code).toBe(1)
})

test('prices follows wholesale, shows what a rule would have done, and ends it', async () => {
  const rule = ['--margin', '4', '--change', '2']
  const [none] = await both('prices')
  expect(none.out).toContain('No price follows wholesale')
  const replay = await ergon(['prices', 'replay', ...rule, '--json'])
  expect([replay.code, replay.json.would.revenue]).toEqual([0, expect.any(String)])
  const begun = await ergon(['prices', 'follow', ...rule, ...BY])
  expect(begun).toMatchObject({ code: 0, out: expect.stringContaining('at most 2 SUN an hour') })
  const [shown] = await both('prices')
  expect(shown.out).toContain('everybody: wholesale + 4 SUN')
  expect((await ergon(['prices', 'end', ...BY])).code).toBe(0)
  expect((await ergon(['prices', 'end', '--experiment', ...BY])).code).toBe(1)
  expect((await ergon(['prices', 'follow', '--margin', 'x', ...BY])).code).toBe(2)
})

test('schedule shows, previews and sets prices and bounds', async () => {
  const [text, json] = await both('schedule')
  expect(text.out).toMatch(/^00:00 {2}\d+ SUN {2}margin -?\d+$/m)
  const { schedule, minAmount } = json.json.terms
  const dear = schedule.map((price: string, hour: number) => (hour === 12 ? '90' : price)).join()
  const preview = await ergon(['schedule', 'preview', '--prices', dear, '--min', '70000'])
  expect(preview.out).toMatch(/^12:00 {2}90 SUN \(was \d+\)/m)
  expect(preview.out).toMatch(/^Orders from 70000 to /m)
  const set = await ergon(['schedule', 'set', '--floor', '3', ...BY, '--json'])
  expect([set.code, set.json.terms.marginFloor]).toEqual([0, '3'])
  expect(set.json.terms).toMatchObject({ schedule, minAmount })
  const above = await ergon(['schedule', 'set', '--min', '9', '--max', '8', ...BY])
  expect([above.code, above.err]).toEqual([1, expect.stringContaining('above the largest')])
})

test('plans are shown and replaced from a file', async () => {
  const json = await ergon(['plans', '--json'])
  const file = join(folder, 'plans.json')
  writeFileSync(file, JSON.stringify([...json.json, { ...json.json[0], name: 'night' }]))
  const set = await ergon(['plans', 'set', '--file', file, ...BY, '--json'])
  expect(set.json.map(({ name }: { name: string }) => name)).toContain('night')
})

test('providers and switches', async () => {
  // On a busy machine the last offer may be stale for a moment, which is said by the exit code.
  await until('a fresh offer', async () => (await ergon(['providers'])).code === 0)
  const [text, json] = await both('providers')
  expect([text.code, text.out]).toEqual([0, expect.stringMatching(/^own_stake +\d+ SUN, /m)])
  expect(json.json).toMatchObject([{ name: 'own_stake', unable: null }])
  const off = await ergon(['switches', 'off', 'webhooks', ...BY, '--json'])
  expect([off.code, off.json]).toEqual([0, expect.objectContaining({ enabled: false })])
  const listed = await ergon(['switches'])
  expect(listed.out).toMatch(/^OFF webhooks +ann: a test$/m)
  // The switches that the pages about incidents name.
  const named = ['selling', 'sweeps', 'signing', 'autoenergy', 'provider:own_stake']
  const turned = await Promise.all(named.map((name) => ergon(['switches', 'off', name, ...BY])))
  expect(turned.map(({ out }) => out.split(/ +/, 2))).toEqual(named.map((name) => ['OFF', name]))
  const refused = await ergon(['switches', 'on', 'signing', ...BY])
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('npx ergon signer on')])
  const on = await ergon(['switches', 'on', 'selling', ...BY])
  expect([on.code, on.out]).toEqual([0, expect.stringMatching(/^on {2}selling /)])
  const again = await ergon(['switches', 'on', 'provider:own_stake', ...BY])
  expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^on {2}provider:own_stake /)])
})

test("signing goes on again on the signer's machine alone", async () => {
  const machine = { DATABASE_SIGNER_URL: market.database.url('ergon_signer') }
  await ergon(['switches', 'off', 'signing', ...BY])
  const off = await program(['signer'], machine)
  expect([off.code, off.out]).toEqual([0, 'Signing is OFF: ann: a test\n'])
  const elsewhere = { DATABASE_SIGNER_URL: market.database.url('ergon_app') }
  const denied = await ergon(['signer', 'on', ...BY], elsewhere)
  expect([denied.code, denied.err]).toEqual([3, expect.stringContaining('may not do that')])
  await market.database.sql(
    `insert into signing.outflow (txid, address, amount_sun, contract, found_at)
     select $1, address, 7000000, 'TransferContract', now() from signing.address where purpose = 'hot'`,
    ['a'.repeat(64)],
  )
  const shown = await ergon(['signer', 'show', '--json'], machine)
  expect(shown.json).toMatchObject({ enabled: false, outflows: [{ amount: '7000000' }] })
  const unseen = await ergon(['signer', 'on', ...BY], machine)
  expect([unseen.code, unseen.err]).toEqual([
    1,
    expect.stringMatching(/^Signing stays off\..*\na{64} TransferContract of 7 TRX from T/),
  ])
  const on = await ergon(['signer', 'on', ...BY, '--seen', 'a'.repeat(64)], machine)
  expect([on.code, on.err, on.out]).toEqual([0, '', 'Signing is on.\n'])
  expect((await ergon(['signer'], machine)).out).toBe('Signing is on.\n')
  expect((await ergon(['signer', 'on'], machine)).code).toBe(2)
})

test('bars of AutoEnergy are listed, and one is lifted with a reason', async () => {
  expect(await ergon(['bars', 'list', '--json'])).toMatchObject({ code: 0, json: [] })
  const [bar] = await market.database.sql<{ id: string }>(
    `insert into autoenergy.bar (id, account_id, address, began_at, until)
     select gen_random_uuid(), id, $1, now(), now() + interval '30 days' from identity.account limit 1
     returning id`,
    [market.receivers[5]],
  )
  const lift = ['bars', 'lift', bar!.id, ...BY]
  expect(await ergon(lift)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`The bar of ${market.receivers[5]} is lifted.`),
  })
  expect((await ergon(['bars', 'list'])).out).toContain('lifted ')
  const given = await ergon(['sql', 'select autoenergy.given_for_nothing()'])
  expect([given.code, given.err]).toEqual([0, ''])
  expect((await ergon(lift)).code).toBe(1)
})

test('operators are added with an app and a role, listed and taken out', () =>
  changeOperators(given()))

test("the code of a sandbox's operator is shown, and nobody else's", async () => {
  const [text, json] = await both('operators', 'code')
  expect([text.code, text.out]).toEqual([0, expect.stringMatching(/^\d{6}\n$/)])
  expect(json.json).toEqual({ email: FIRST.email, code: expect.stringMatching(/^\d{6}$/) })
  expect((await ergon(['operators', 'code', SECOND.email])).code).toBe(0)
  expect((await ergon(['operators', 'code', 'dan@example.com'])).code).toBe(1)
})

test('keys are made, shown, imported and sealed anew', () => makeKeys(given()))
test('secrets of webhooks go under the new key', () => resealSecrets(given()))
test('recover has nothing to do here, and is confirmed', () => recoverNothing(given()))

test('doctor finds this setup sound, and names cause and remedy where it is not', async () => {
  const sound = await program(['doctor'])
  expect([sound.code, sound.out]).toEqual([0, expect.stringMatching(/^ok {4}database /m)])
  const taken = createServer()
  await new Promise<void>((up) => taken.listen(0, '127.0.0.1', up))
  const { port } = taken.address() as { port: number }
  const ill = async (changes: Record<string, string>) => {
    const { code, json } = await ergon(['doctor', '--json'], changes)
    type Check = { name: string; ok: boolean; cause: string; remedy: string }
    return [code, ...json.filter(({ ok }: Check) => !ok)]
  }
  const nowhere = 'postgresql://ergon_app:canary@127.0.0.1:1/ergon'
  const [closed, database, keys] = await Promise.all([
    ill({ PORT: String(port) }),
    ill({ DATABASE_URL: nowhere, TRON_URL: 'http://127.0.0.1:1' }),
    ill({ MODE: 'production', ROLE: 'api', DATABASE_API_URL: market.database.url('ergon_api') }),
  ])
  taken.close()
  expect(closed).toMatchObject([1, { name: 'port', remedy: expect.stringContaining('PORT') }])
  expect(database).toMatchObject([
    1,
    { name: 'database', remedy: expect.stringContaining('DATABASE_URL') },
    { name: 'node', cause: expect.stringContaining('does not answer') },
  ])
  expect(JSON.stringify(database)).not.toContain('canary')
  expect(keys.at(-1)).toMatchObject({ name: 'keys', remedy: expect.stringMatching(/XPUB/) })
})

test('stakes: each act says its numbers, and is asked for or refused', () => moveStakes(given()))

test('hot-wallet and floats are off, and set to what the signer knows alone', () =>
  setTreasury(given()))

test('statements: what differs is listed, shown and decided once', () => decideStatements(given()))

test('report, config, migrate and undecided', async () => {
  await readReports({ ergon, market })
  const config = await ergon(['config'])
  expect([config.code, config.out]).toEqual([0, expect.stringMatching(/^MODE\W+sandbox/m)])
  const migrate = await ergon(['migrate'], {
    DATABASE_ADMIN_URL: market.database.url('ergon_admin'),
  })
  expect([migrate.code, migrate.out]).toEqual([0, 'Nothing to do.\n'])
  expect(await ergon(['undecided', 'list', '--json'])).toMatchObject({ code: 0, json: [] })
  const nobody = '01900000-0000-7000-8000-000000000000'
  expect((await ergon(['order', 'show', nobody])).code).toBe(1)
  const decide = (as: string) => ergon(['undecided', 'decide', nobody, '--as', as, ...BY])
  expect((await ergon(['undecided', 'effect', nobody, '--as', 'absent'])).code).toBe(1)
  const both = await Promise.all([decide('delivered'), decide('absent')])
  expect(both.map(({ code, out }) => `${code} ${out}`)).toEqual(['1 ', '1 '])
  const { code, out } = await ergon(['audit', '--help'])
  expect([code, out.split('\n')[0]]).toEqual([0, 'Usage: npx ergon audit [--json]'])
})

test('without a database a command ends with 3, and with 2 when it is not understood', async () => {
  const gone = await program(['accounts'], { DATABASE_URL: 'postgresql://ergon_app@127.0.0.1:1/x' })
  expect([gone.code, gone.out]).toEqual([3, ''])
  const words = ['undecided', 'rescan']
  const ran = await Promise.all(words.map((word) => ergon([word, 'x'])))
  for (const [at, { code, out, err }] of ran.entries()) {
    expect([words[at], code, out]).toEqual([words[at], 2, ''])
    expect(err).toMatch(/npx ergon/)
  }
})

test.each(pages)('%s: each of our commands that it names was run above', (page) => {
  const mentioned = mentionsIn(readFileSync(join(ROOT, page), 'utf8'))
  const ours = mentioned.filter(({ code }) => code.startsWith('npx ergon'))
  const left = ours.filter(({ code }) => !answered.some((line) => isMentionOf(code, line)))
  expect(left).toEqual([])
})

test.each(pages)('%s: what needs a public network says so', (page) => {
  const mentioned = mentionsIn(readFileSync(join(ROOT, page), 'utf8'))
  const outside = mentioned.filter(({ code }) => /^(docker|curl|git) /.test(code))
  expect(outside.filter(({ needs }) => needs !== 'a public network')).toEqual([])
})
