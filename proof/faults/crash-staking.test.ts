// Proves: staking, signer, signing.
import type { Devnet } from '@ergon/devnet'
import { decodeTransaction, toBase58 } from '@ergon/tron'
import { expect, test } from 'vitest'
import { SANDBOX_STAKE } from '../../service/app/sandboxNetwork.ts'
import type { Staking } from '../../service/staking/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { approveStake } from '../testing/stakeApprovals.ts'
import { stretched } from '../testing/stretched.ts'
import { votingFolder } from '../testing/votingFolder.ts'
import { dieEverywhere, patient } from './manyDeaths.ts'
import { ask, type World } from './mortalWorld.ts'

// The service and the signer are killed at every step of a freeze, a vote, a claim and an unfreeze, each the first time
// it is reached, and at those of a withdrawal once more. Everything is done once and booked once.

const TRX = 1_000_000n
const FREEZE = 71n * TRX
const UNFREEZE = 29n * TRX
const PLACES = /staking\.|signer\.|signing\.(insertRequests|insertAnswers)|ledger\.transfer/
type Wish = Omit<Parameters<Staking['request']>[0], 'stake' | 'reason' | 'by'>

/** Operators, on a process that is not killed. */
async function asOperator<T>(world: World, work: (app: TestApp) => Promise<T>): Promise<T> {
  const { database, devnet } = world
  const app = await openTestApp({ role: 'api', database, devnet })
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}

async function live(world: World): Promise<void> {
  const { become, mineUntil, arm, armAgain } = patient(world, 60)
  const { witness } = world.devnet.chain.network
  await asOperator(world, async ({ rooms: { staking } }) => {
    const done = async (wish: Wish) => {
      let id = ''
      await become(`${wish.action} is asked for`, async () => {
        const said = { stake: '', reason: 'a test', by: 'ann' }
        const one = await staking.request({ ...said, ...wish })
        if ('id' in one) id = one.id
        return 'id' in one
      })
      await approved(id)
    }
    const approved = async (id: string) => {
      const { needsApproval, action } = (await staking.find(id))!
      if (needsApproval) {
        await become('it is approved', async () => 'id' in (await approveStake(staking, id)))
      }
      await mineUntil(
        `${action} is done`,
        `select from staking.operation where id = '${id}' and state = 'done'`,
      )
    }
    arm()
    await done({ action: 'freeze', amount: FREEZE })
    await done({ action: 'vote', shares: [toBase58(witness.address)] })
    for (let cycle = 0; cycle < 5; cycle++) {
      await ask(world, 'POST', '/sandbox/clock', { body: { advance_seconds: 6 * 3_600 } })
      world.devnet.chain.mine()
    }
    await done({ action: 'claim' })
    await done({ action: 'unfreeze', amount: UNFREEZE })
    await ask(world, 'POST', '/sandbox/clock', { body: { advance_seconds: 15 * 86_400 } })
    armAgain()
    const withdrawal = async () =>
      (await staking.list(10)).find(({ action }) => action === 'withdraw')?.id
    await become('what is unfrozen is proposed to be withdrawn', withdrawal)
    await approved((await withdrawal())!)
  })
}

async function check({ database, devnet }: World): Promise<void> {
  expect(await brokenInvariants(database)).toEqual([])
  const { chain } = devnet
  const kinds = Array.from({ length: chain.head.number }, (_, n) => chain.block(n + 1)!)
    .flatMap(({ transactions }) => transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract.type)
    .filter((type) => type !== 'TransferContract')
  expect(kinds.toSorted()).toEqual([
    'FreezeBalanceV2Contract',
    'UnfreezeBalanceV2Contract',
    'VoteWitnessContract',
    'WithdrawBalanceContract',
    'WithdrawExpireUnfreezeContract',
  ])
  const [claim] = await database.sql<{ moved: string }>(
    `select moved_sun as moved from staking.operation where action = 'claim' and state = 'done'`,
  )
  const rewards = await database.sql(
    `select amount_sun as moved from ledger.movement where kind = 'reward'`,
  )
  expect(rewards).toEqual([{ moved: claim!.moved }])
  expect(await database.sql(`select txid from signing.outflow`)).toEqual([])
}

/** Files of the signer, and the stake under its permission. */
async function settingsFor(devnet: Devnet): Promise<Record<string, string>> {
  const witness = toBase58(devnet.chain.network.witness.address)
  return { SIGNER_DIR: votingFolder(devnet, [witness]), SIGNER_STAKES: SANDBOX_STAKE }
}

test(
  'kill -9 at each step of what is done with a stake: done once, booked once',
  async () => {
    const deaths = await dieEverywhere(
      { live, check },
      { name: 'staking', places: PLACES, parts: 4, settings: settingsFor },
    )
    // The number of places differs from day to day.
    expect(deaths).toBeGreaterThan(2)
  },
  stretched(600_000),
)
