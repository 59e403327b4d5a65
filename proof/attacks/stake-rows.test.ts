// Proves: staking, signer.
import { randomUUID } from 'node:crypto'
import { toBase58 } from '@ergon/tron'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SANDBOX_STAKE_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'

// A thief with the service's role in the database writes operations that nobody asked for. The service asks the signer
// for them as for any other; the signer has its own rules.

const TRX = 1_000_000n
let market: Market
let thief: pg.Client
beforeAll(async () => {
  market = await openMarket()
  thief = new pg.Client({ connectionString: market.database.url('ergon_app') })
  await thief.connect()
})
afterAll(async () => {
  await thief.end()
  await market.close()
})

const staking = () => market.rooms.staking
const stakeNow = async () => (await staking().stakes())[0]!.stake

async function planted(action: string, what: { amount?: bigint; votes?: string[] } = {}) {
  const id = randomUUID()
  const { amount, votes = [] } = what
  await thief.query(
    `insert into staking.operation (id, stake, action, amount_sun, resource, votes, reason, requested_by, requested_at, state, approved_at)
     values ($1, $2, $3, $4, $5, $6, 'it was asked for', 'ann', now(), 'approved', now())`,
    [id, SANDBOX_STAKE_ADDRESS, action, amount ?? null, amount ? 'ENERGY' : null, votes],
  )
  staking().wake()
  return id
}
const untilTrouble = (id: string) =>
  until('a trouble', async () => (await staking().find(id))?.trouble ?? undefined)

test('rows that say they are approved move no stake: the signer has no approvals of them', async () => {
  const before = await stakeNow()
  const freeze = await planted('freeze', { amount: 5n * TRX })
  expect(await untilTrouble(freeze)).toBe('a freeze needs two approvals; this attempt has none')
  const unfreeze = await planted('unfreeze', { amount: 5n * TRX })
  expect(await untilTrouble(unfreeze)).toBe('a unfreeze needs two approvals; this attempt has none')
  market.devnet.chain.mine()
  expect(await stakeNow()).toMatchObject({ energy: before.energy, unfreezing: 0n })
  const refused = await market.rooms.signing.refused()
  expect(refused.count).toBeGreaterThanOrEqual(2n)
})

test('votes go to nobody whom the signer does not know, whatever the row says', async () => {
  const stranger = toBase58(market.devnet.chain.network.witness.address)
  const vote = await planted('vote', { votes: [`${stranger}=5`] })
  expect(await untilTrouble(vote)).toBe("votes go only to witnesses in the signer's file")
  expect(await staking().find(vote)).toMatchObject({ state: 'refused', txid: null })
  expect((await stakeNow()).voting).toBe(0n)
})

test('a process that is open to the internet can ask and approve, and neither sign nor end anything', async () => {
  const api = new pg.Client({ connectionString: market.database.url('ergon_api') })
  await api.connect()
  const refused = { code: '42501' }
  await expect(api.query(`update staking.operation set txid = 'x'`)).rejects.toMatchObject(refused)
  await expect(api.query(`update staking.operation set fee_sun = 0`)).rejects.toMatchObject(refused)
  await expect(api.query('delete from staking.operation')).rejects.toMatchObject(refused)
  await api.end()
})
