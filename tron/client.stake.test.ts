import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { blockJson, startTestNode, type TestNode, testClient } from './testNode.ts'

// Answers of java-tron 4.8.0 about stake, from the devnet's recording, and those of its Java classes about votes.

const RECORDING = new URL('../devnet/vectors/java-tron-4.8.0.json', import.meta.url)
const address = `41${'ab'.repeat(20)}`
const witness = `41${'cd'.repeat(20)}`
const txId = 'ef'.repeat(32)

let node: TestNode
beforeEach(async () => {
  node = await startTestNode()
  node.answer('wallet/getblock', { json: blockJson(100) })
})
afterEach(() => node.close())

/** The recorded answer to a call, with real values where the recording has names. */
function recorded(name: string) {
  const calls: { name: string; response: unknown }[] = JSON.parse(readFileSync(RECORDING, 'utf8'))
  const real = JSON.stringify(calls.find((call) => call.name === name)!.response)
    .replaceAll(/"<txid:[^>]*>"/g, `"${txId}"`)
    .replaceAll(/"<[a-z]>"/g, `"${address}"`)
    .replaceAll(/"<(time|block|n)[^>]*>"/g, '1700000000')
  return JSON.parse(real)
}

test('a cancelled unfreezing says what became stake again, by resource', async () => {
  node.answer('walletsolidity/gettransactioninfobyid', { json: recorded('cancel all: info') })
  const info = await testClient([node.url]).client.getSolidTransactionInfo(txId)
  expect(info).toMatchObject({
    cancelled: { ENERGY: 2_000_000_000n, TRON_POWER: 0n, BANDWIDTH: 1_000_000_000n },
    withdrawn: 0n,
    unfrozen: 0n,
  })
})

test('what a withdrawal paid out is read from its receipt', async () => {
  const json = {
    id: txId,
    blockNumber: 7,
    blockTimeStamp: 1,
    withdraw_amount: 41,
    withdraw_expire_amount: 43,
  }
  node.answer('walletsolidity/gettransactioninfobyid', { json })
  const info = await testClient([node.url]).client.getSolidTransactionInfo(txId)
  expect(info).toMatchObject({ withdrawn: 41n, unfrozen: 43n })
})

test('unfreezing stake has its amounts and times', async () => {
  node.answer('wallet/getaccount', { json: recorded('getaccount unfreezing') })
  const account = await testClient([node.url]).client.getAccount(address)
  const sum = account!.unfreezing.reduce((total, { amount }) => total + amount, 0n)
  expect(sum).toBe(3_000_000_000n)
  expect(account).toMatchObject({ votes: [], latestWithdraw: 0 })
})

test('votes, their rewards and the last withdrawal are read', async () => {
  const votes = [{ vote_address: witness, vote_count: 12 }]
  node.answer('wallet/getaccount', { json: { address, votes, latest_withdraw_time: 5 } })
  node.answer('wallet/getReward', { json: recorded('getReward') })
  const { client } = testClient([node.url])
  expect(await client.getAccount(address)).toMatchObject({
    votes: [{ witness, count: 12n }],
    latestWithdraw: 5,
  })
  expect(await client.getReward(address)).toBe(0n)
})
