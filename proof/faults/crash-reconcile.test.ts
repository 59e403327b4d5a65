// Proves: deposits, chain.
import { decodeTransaction, toBase58 } from '@ergon/tron'
import { expect, test } from 'vitest'
import { brokenInvariants } from '../testing/invariants.ts'
import { stretched } from '../testing/stretched.ts'
import { patient } from './manyDeaths.ts'
import { ask, runWorld, type World } from './mortalWorld.ts'

// By the clock a reconciliation comes every ten minutes, so no other crash test can wait for one. A sweep makes one as
// well, before it asks for a signature: the process is killed at both of its commits, and the money is swept once.

const DEPOSIT = 50_000_000
const SWEEP_MIN = 5_000_000
const PLACES = [
  // The books are read as of one moment; a crash before the result is written loses that.
  'committed after deposits.sweepsUnderWay',
  'committed after deposits.writeReconciliation',
]
const deposited = new Map<World, string>()

async function live(world: World): Promise<void> {
  const { mineUntil, control, arm } = patient(world, Number.POSITIVE_INFINITY)
  const [payer] = world.devnet.chain.network.funded
  const { deposit_address: address } = await ask(world, 'POST', '/sandbox/accounts', { body: {} })
  deposited.set(world, address!)
  await control('transfer', {
    from: toBase58(payer!.address),
    to: address,
    amount_sun: `${DEPOSIT}`,
  })
  await mineUntil('the credit', `select from ledger.account where balance_sun = ${DEPOSIT}`)
  arm()
  await mineUntil(
    'swept',
    `select from deposits.sweep where address = '${address}' and state = 'booked'`,
  )
}

async function check(world: World): Promise<void> {
  const { database, devnet } = world
  expect(await brokenInvariants(database)).toEqual([])
  const [last] = await database.sql<{ covered: boolean }>(
    `select surplus_sun >= 0 as covered from deposits.reconciliation`,
  )
  expect(last).toEqual({ covered: true })
  // By the chain alone: one transfer from the deposit address.
  const sent = Array.from({ length: devnet.chain.head.number }, (_, n) => devnet.chain.block(n + 1))
    .flatMap((block) => block!.transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract)
    .filter(({ type }) => type === 'TransferContract')
    .map(({ value }) => toBase58((value as { owner_address: string }).owner_address))
  expect(sent.filter((from) => from === deposited.get(world))).toHaveLength(1)
}

test.each(PLACES)(
  'kill -9 of a reconciliation, %s: swept once, and reconciled again',
  async (step) => {
    const settings = { MORTAL_SWEEP_MIN: String(SWEEP_MIN) }
    const { deaths } = await runWorld({ live, check }, { program: 'app', step }, settings)
    expect(deaths).toBe(1)
  },
  stretched(240_000),
)
