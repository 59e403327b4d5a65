// Proves: signing, signer, deposits.
import { type Contract, type HexAddress, parseAddress, toBase58, toHex } from '@ergon/tron'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { SANDBOX_HOT_ADDRESS, SANDBOX_STAKE } from '../../service/app/sandboxNetwork.ts'
import { SANDBOX_OPERATORS } from '../../service/app/sandboxOperators.ts'
import { sun } from '../../service/kernel/index.ts'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { BLOCK_MS, openPassingTime, type PassingTime } from '../testing/passingTime.ts'
import { stretched } from '../testing/stretched.ts'
import { openThief, type Thief } from '../testing/thief.ts'
import { until } from '../testing/until.ts'

// An attacker with the service's database role tries for an hour whatever it can write. Nothing
// leaves except within the signer's limits, and every attempt is a finding.

vi.setConfig({ testTimeout: stretched(180_000) })

const TRX = 1_000_000n
const PAYOUT_TRX_MAX = 100n
const STAKE_TRX_MAX = 50n
const LIMITS = {
  SIGNER_HOURLY_PAYOUT_TRX_MAX: String(PAYOUT_TRX_MAX),
  SIGNER_HOURLY_TRX_MAX: String(STAKE_TRX_MAX),
  LOG_LEVEL: 'silent',
}
const hot = toHex(SANDBOX_HOT_ADDRESS)
const [stakeText = '', permission = ''] = SANDBOX_STAKE.split(':')
const stake = parseAddress(stakeText)!
const permissionId = Number(permission)

let time: PassingTime
let app: TestApp
let thief: Thief
let victim: TestAccount
let pocket: HexAddress

beforeAll(async () => {
  time = await openPassingTime()
  app = await openTestApp({
    devnet: time.devnet,
    runtime: time.newRuntime(),
    blockMs: BLOCK_MS,
    signer: LIMITS,
    sweepMin: sun(1_000_000n * TRX),
  })
  pocket = app.devnet.chain.network.funded[4]!.address
  victim = await app.newAccount({ deposit_trx: '500' })
  time.pass(60)
  await untilRead()
  thief = await openThief(app)
})
afterAll(async () => {
  await thief.end()
  await app.close()
  await time.devnet.close()
})

const balanceOf = async (address: HexAddress) =>
  (await app.rooms.chain.node.getAccount(address))?.balance ?? 0n
const untilRead = () =>
  until('the newest block is read', async () => {
    const at = await app.rooms.chain.progress()
    return at?.number === app.devnet.chain.head.number
  })
const transfer = (from: HexAddress, to: HexAddress, amount: bigint): Contract => ({
  type: 'TransferContract',
  value: { owner_address: from, to_address: to, amount },
})
const delegation = (balance: bigint, resource: 'ENERGY' | 'BANDWIDTH' = 'ENERGY'): Contract => ({
  type: 'DelegateResourceContract',
  value: { owner_address: stake, receiver_address: pocket, resource, balance },
  permissionId,
})
const refusals = async () => (await app.rooms.signing.refused()).count
const findings = async () => (await app.rooms.signing.outflows.list()).map(({ txid }) => txid)

/** The tables that the service, and so the attacker, can write where money is moved. */
const WRITABLE = [
  'addresses.address insert',
  'addresses.counter update',
  'chain.block delete',
  'chain.block insert',
  'chain.block update',
  'chain.broadcast insert',
  'chain.broadcast update',
  'chain.caller insert',
  'chain.cursor insert',
  'chain.cursor update',
  'chain.head insert',
  'chain.head update',
  'chain.watched insert',
  'deposits.deposit insert',
  'deposits.deposit update',
  'deposits.holding insert',
  'deposits.holding update',
  'deposits.pass update',
  'deposits.payout insert',
  'deposits.payout update',
  'deposits.reconciliation insert',
  'deposits.reconciliation update',
  'deposits.sweep insert',
  'deposits.sweep update',
  'deposits.switch update',
  'deposits.token delete',
  'deposits.token insert',
  'signing.approval insert',
  'signing.approval update',
  'signing.request insert',
]

test('what the role can write where money moves is this and no more', async () => {
  const rows = await app.database.sql<{ right: string }>(`
    select n.nspname || '.' || c.relname || ' ' || p.name as right
      from pg_class c join pg_namespace n on n.oid = c.relnamespace,
           unnest(array['insert', 'update', 'delete', 'truncate']) as p(name)
     where n.nspname in ('addresses', 'chain', 'deposits', 'ledger', 'signing') and c.relkind in ('r', 'p')
       and has_table_privilege('ergon_app', c.oid, p.name)
     order by 1`)
  expect(rows.map(({ right }) => right)).toEqual(WRITABLE)
})

const FORBIDDEN = [
  `update signing.switch set enabled = true`,
  `update signing.switch set reason = ''`,
  `insert into signing.switch default values`,
  `delete from signing.switch`,
  `update signing.outflow set looked_at = clock_timestamp(), looked_by = 'me'`,
  `delete from signing.outflow`,
  `insert into signing.outflow (txid, address, amount_sun, contract, found_at) values ('a', 'b', 1, 'c', clock_timestamp())`,
  `insert into signing.answer (request_id, state, answered_at) select id, 'refused', clock_timestamp() from signing.request`,
  `update signing.answer set state = 'signed'`,
  `delete from signing.answer`,
  `insert into signing.address (address, purpose, position) values ('41' || repeat('6', 40), 'hot', 7)`,
  `update signing.address set permission_id = null`,
  `delete from signing.address`,
  `update signing.request set raw_bytes = '\\x00'`,
  `delete from signing.request`,
  `delete from chain.watched`,
  `delete from chain.caller`,
  `update ledger.account set balance_sun = 0`,
  `set role ergon_signer`,
  `set role ergon_owner`,
  `alter function signing.turn_off(text) owner to ergon_app`,
]

test.each(FORBIDDEN)('the database refuses: %s', async (sql) => {
  await expect(thief.sql(sql)).rejects.toMatchObject({ code: '42501' })
})

test('what breaks a rule of the signer is refused, and each refusal is a finding', async () => {
  const deposit = toHex(victim.deposit_address)
  const [row] = await thief.sql<{ position: string }>(
    `select position from addresses.address where address = $1`,
    [victim.deposit_address],
  )
  const position = Number(row!.position)
  const attempts: [purpose: string, contract: Contract, position?: number][] = [
    ['sweep', transfer(deposit, pocket, TRX), position],
    ['sweep', transfer(deposit, hot, TRX), position + 1],
    ['sweep', transfer(hot, pocket, TRX), position],
    ['payout', transfer(deposit, pocket, TRX)],
    ['payout', transfer(stake, pocket, TRX)],
    ['payout', transfer(hot, pocket, (PAYOUT_TRX_MAX + 1n) * TRX)],
    ['payout', delegation(TRX)],
    ['gift', transfer(hot, pocket, TRX)],
    ['delegate', delegation((STAKE_TRX_MAX + 1n) * TRX)],
    ['delegate', delegation(TRX, 'BANDWIDTH')],
    ['delegate', { ...delegation(TRX), permissionId: 3 }],
    ['reclaim', transfer(hot, pocket, TRX)],
  ]
  const before = await balanceOf(pocket)
  const known = await refusals()
  for (const [purpose, contract, at] of attempts) {
    const answer = await thief.answerTo(await thief.ask(purpose, contract, at))
    expect(answer, `${purpose} by ${contract.type}`).not.toBe('signed')
  }
  time.pass(30)
  await untilRead()
  expect(await refusals()).toBe(known + BigInt(attempts.length))
  const { all } = await app.rooms.operator.status()
  expect(all.find(({ what }) => what === 'signatures_refused')?.count).toBe(await refusals())
  expect(await balanceOf(pocket)).toBe(before)
})

test('an hour of everything else: no TRX leaves, Energy for one block within the limit, and signing is off', async () => {
  const before = { hot: await balanceOf(hot), pocket: await balanceOf(pocket) }
  const asked: string[] = []
  const minute = async (number: number) => {
    asked.push(await thief.ask('payout', transfer(hot, pocket, 20n * TRX)))
    asked.push(await thief.ask('delegate', delegation(10n * TRX)))
    // Approvals in the name of both operators, made with their public keys only.
    await thief.sql(
      `insert into signing.approval (payout_id, attempt, key, approved_by, ends_at, signature, approved_at)
       select r.payout_id, 1, k.key, 'ann', r.expires_at + interval '1 hour', repeat('ab', 64), clock_timestamp()
         from signing.request r, unnest($1::text[]) as k(key) where r.payout_id is not null
       on conflict do nothing`,
      [SANDBOX_OPERATORS.map(({ key }) => key)],
    )
    await thief.sql(
      `insert into deposits.payout (id, account_id, to_address, amount_sun, reason, requested_by, requested_at,
          approved_by, approved_at, state)
        values (gen_random_uuid(), $1, $2, $3, 'for me', 'ann', clock_timestamp(), 'bob', clock_timestamp(), 'approved')`,
      [victim.account_id, toBase58(pocket), 5n * TRX],
    )
    // Reset the rows that would block the next attempt.
    await thief.sql(`update deposits.switch set sweeps_enabled = true`)
    await thief.sql(`update chain.broadcast set state = 'pending', block_number = null`)
    await thief.sql(`update signing.request set handed_over = false`)
    await thief.sql(`select signing.orphan_outflows(number) from chain.block`)
    if (number === 0) {
      await until('the signer has seen them', () => answered(asked))
      await until('what was signed is sent', () => app.devnet.chain.pool.size > 0)
    } else await thief.sql(`select signing.turn_off('nothing to see')`)
    time.pass(60)
    await untilRead()
  }
  await minute(0)
  const { reason } = await app.rooms.signing.enabled()
  expect((await findings()).some((txid) => reason.includes(txid))).toBe(true)
  for (let number = 1; number < 60; number++) await minute(number)

  expect([await balanceOf(hot), await balanceOf(pocket)]).toEqual([before.hot, before.pocket])
  const { enabled } = await app.rooms.signing.enabled()
  expect(enabled).toBe(false)
  const { all } = await app.rooms.operator.status()
  const count = (of: string) => all.find(({ what }) => what === of)!.count
  expect(count('unsigned')).toBeGreaterThan(0n)

  const known = new Set(await findings())
  const refused = await txidsOf('refused')
  const mined = await minedOf(asked)
  expect(mined.filter((txid) => !known.has(txid))).toEqual([])
  // What was neither mined nor refused is still pending, and is never sent: it has expired.
  const waits = asked.filter((txid) => !known.has(txid) && !refused.includes(txid))
  expect(waits.length).toBeGreaterThan(100)
  const signed = await txidsOf('signed')
  expect(waits.filter((txid) => signed.includes(txid))).toEqual([])
  expect((await app.rooms.audit.run())?.invariant).toBe('M25')
  expect(await app.rooms.orders.selling()).toMatchObject({ enabled: false })
})

async function answered(txids: string[]): Promise<boolean> {
  const all = [...(await txidsOf('signed')), ...(await txidsOf('refused'))]
  return txids.every((txid) => all.includes(txid))
}

async function txidsOf(state: 'signed' | 'refused'): Promise<string[]> {
  const rows = await app.database.sql<{ txid: string }>(
    `select r.txid from signing.request r join signing.answer a on a.request_id = r.id where a.state = $1`,
    [state],
  )
  return rows.map(({ txid }) => txid)
}

async function minedOf(txids: string[]): Promise<string[]> {
  const { node } = app.rooms.chain
  const infos = await Promise.all(txids.map((txid) => node.getSolidTransactionInfo(txid)))
  return txids.filter((_txid, place) => infos[place])
}
