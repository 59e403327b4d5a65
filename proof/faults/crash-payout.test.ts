// Proves: signer, signing, deposits.
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { decodeTransaction, toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sun } from '../../service/kernel/index.ts'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { approvalBy, approveBoth, FIRST } from '../testing/approvals.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { stretched } from '../testing/stretched.ts'
import { until } from '../testing/until.ts'
import { signerFolder } from '../testing/world.ts'
import { partOfToday } from './manyDeaths.ts'
import { type MortalSigner, startMortalSigner } from './mortalSigner.ts'

// The signer is killed at every step of a payout, an eighth of the steps each day. Its file is there
// when it restarts, or lost, and a fork removes the block with the payment. A payout is paid once,
// or not at all.

const TRX = 1_000_000n
let app: TestApp
let account: TestAccount
let folder: string
let receiver: string
let signer: MortalSigner
let cases = 0n
beforeAll(async () => {
  app = await openTestApp()
  folder = signerFolder(app.devnet)
  receiver = toBase58(app.devnet.chain.network.funded[3]!.address)
  // The first start publishes the hot wallet.
  signer = await start()
  await signer.kill()
  account = await app.newAccount({ deposit_trx: '5000' })
  mine(SOLID_LAG + 2)
  await until('the deposit to be verified', async () => {
    const { body } = await app.call('GET', '/v1/deposits', { key: account.api_key })
    return body.deposits[0]?.verified_at
  })
})
afterAll(async () => {
  await signer?.kill()
  expect(await brokenInvariants(app.database)).toEqual([])
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const payouts = () => app.rooms.deposits.payouts
const log = () => join(folder, 'payouts.jsonl')
const start = (step?: string) =>
  startMortalSigner({
    databaseUrl: app.database.url('ergon_signer'),
    folder,
    ...(step !== undefined && { step }),
  })
const mine = (blocks: number) => {
  for (let block = 0; block < blocks; block++) app.devnet.chain.mine()
}
let nudgedMs = 0
/**
 * Notifies the service of a signature: the signer is not its child process here, so nobody else
 * does.
 */
function nudge() {
  if (performance.now() - nudgedMs < 100) return
  nudgedMs = performance.now()
  app.rooms.chain.broadcasts.loop.wake()
  app.rooms.deposits.wake()
}
/** Finds a payment by its amount; each case pays another one. */
const paidOnChain = (amount: bigint) => {
  const { chain } = app.devnet
  return Array.from({ length: chain.head.number }, (_, n) => chain.block(n + 1)!)
    .flatMap(({ transactions }) => transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract)
    .filter(({ type, value }) => type === 'TransferContract' && value.amount === amount).length
}

async function approvedPayout(): Promise<{ id: string; amount: bigint }> {
  cases += 1n
  const amount = TRX + cases
  const wish = { account: account.account_id, to: receiver, amount: sun(amount) }
  const output = await payouts().request({ ...wish, reason: 'asked for', by: 'ann' })
  if ('refused' in output) throw new Error(output.refused)
  await approveBoth(payouts(), output.id, ['ann', 'bob'])
  app.rooms.deposits.wake()
  return { id: output.id, amount }
}
const stateOf = async (id: string) => (await payouts().find(id))!

/**
 * Mined, removed by a fork, and mined again with the same bytes or not at all. If the fork drops
 * them, the service sends them again, which takes seconds.
 */
async function minedThroughFork(id: string, drops = false) {
  const { chain } = app.devnet
  const inPool = (txid: string | null) => txid !== null && chain.pool.has(txid)
  await until('the payout in the pool', async () => {
    nudge()
    return inPool((await stateOf(id)).txid)
  })
  chain.mine()
  const { txid } = await stateOf(id)
  chain.reorg(1, new Set(drops ? [txid!] : []))
  await until('the payout in the pool or in the other branch', () => {
    nudge()
    return inPool(txid) || chain.transaction(txid!)
  })
  mine(SOLID_LAG + 2)
  await until('it is paid', async () => {
    nudge()
    return (await stateOf(id)).state === 'paid'
  })
}

/** The signer's steps for one payout, from first to last. */
async function stepsOfPayout(): Promise<string[]> {
  signer = await start()
  const { id, amount } = await approvedPayout()
  await minedThroughFork(id, true)
  expect(paidOnChain(amount)).toBe(1)
  await signer.kill()
  // A read changes nothing, so the step after it equals the one before.
  return signer.steps.filter((step) => !/^commit after (?!signing\.insertAnswers)/.test(step))
}

/** Between writing the file and writing the answer. These steps are tried every day. */
const CRITICAL = ['signer.beforeLine', 'signer.afterLine', 'signing.insertAnswers']
const isCritical = (step: string) => CRITICAL.some((one) => step.includes(one))

let steps: string[] = []
test(
  'a payout without a death shows its steps',
  async () => {
    const all = await stepsOfPayout()
    for (const critical of CRITICAL) {
      const found = all.some((step) => step.includes(critical))
      expect(found, critical).toBe(true)
    }
    const { part, parts } = partOfToday(8)
    steps = all.filter((step, index) => isCritical(step) || index % parts === part)
    console.log(`payout: killed at ${steps.length} of ${all.length} steps`)
  },
  stretched(120_000),
)

test(
  'killed at each of these steps, with its file and a fork: paid once',
  async () => {
    for (const step of steps) {
      signer = await start(step)
      const { id, amount } = await approvedPayout()
      await signer.died
      signer = await start()
      await minedThroughFork(id)
      expect([step, paidOnChain(amount)]).toEqual([step, 1])
      await signer.kill()
    }
  },
  stretched(600_000),
)

test(
  'killed at each of these steps, and its file is gone: at most once, and nothing without the file',
  async () => {
    for (const step of steps) {
      signer = await start(step)
      const { id, amount } = await approvedPayout()
      await signer.died
      const saved = `${log()}.saved`
      copyFileSync(log(), saved)
      rmSync(log())
      signer = await start()
      const isSigned = await until('an answer', async () => {
        app.rooms.deposits.wake()
        const { txid, trouble } = await stateOf(id)
        if (trouble?.includes('missing or unreadable')) return 'refused'
        return txid !== null && app.devnet.chain.pool.has(txid) && 'signed'
      })
      expect(existsSync(log())).toBe(false)
      await signer.kill()
      copyFileSync(saved, log())
      signer = await start()
      if (isSigned === 'signed') await minedThroughFork(id)
      else await payOrCancel(id)
      const { state } = await stateOf(id)
      expect([step, paidOnChain(amount)]).toEqual([step, state === 'paid' ? 1 : 0])
      await signer.kill()
    }
  },
  stretched(600_000),
)

/**
 * With its file the signer pays. If the line was written and the signature never sent, the signer
 * cannot know that and refuses the attempt; operators then cancel, and the money is returned.
 */
async function payOrCancel(id: string) {
  await payouts().approve(id, 'ann', await approvalBy(payouts(), id, FIRST))
  const next = await until('signed or refused', async () => {
    nudge()
    const { txid, trouble } = await stateOf(id)
    if (trouble?.includes('attempt 1 was signed as')) return 'cancel'
    return txid !== null && app.devnet.chain.pool.has(txid) && 'pay'
  })
  if (next === 'pay') return minedThroughFork(id)
  expect(await payouts().cancel(id, 'ann')).toEqual({ id })
  await until('cancelled', async () => {
    nudge()
    return (await stateOf(id)).state === 'cancelled'
  })
}
