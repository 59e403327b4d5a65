import { createNodeClient, stringifyJson } from '@ergon/tron'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAddressMap } from './addressMap.ts'
import { factsOf } from './block.ts'
import { fetchAfter } from './fetch.ts'

// From a node's JSON to the facts nothing that happened is missed, although much is skipped. The
// expected facts come from what was put into the block, not from another way of reading it.

const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TIME = 1_800_000_000_000
const HEIGHT = 7
const ours = [1, 2, 3].map((n) => `41${String(n).repeat(40)}`)
const strangers = [4, 5, 6].map((n) => `41${String(n).repeat(40)}`)
const [token] = strangers as [string]
const watched = createAddressMap()
for (const address of ours) watched.set(address, 'deposit')
const isOurs = (address: string) => ours.includes(address)

const address = fc.constantFrom(...ours, ...strangers)
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 5n }),
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 63n - 1n }),
)
const succeeded = fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false))
/** Also the nanoseconds that some wallets write. */
const timestamp = fc.constantFrom(undefined, TIME, 1_800_000_000_000_000_001n)
const moved = fc.record({ to: address, amount })
const common = { from: address, succeeded, timestamp }
const happening = fc.oneof(
  fc.record({ kind: fc.constant('transfer' as const), to: address, amount, ...common }),
  fc.record({
    kind: fc.constant('call' as const),
    tokens: fc.array(moved, { maxLength: 3 }),
    internals: fc.array(fc.record({ to: address, amount, rejected: fc.boolean() }), {
      maxLength: 3,
    }),
    ...common,
  }),
  fc.record({ kind: fc.constant('delegate' as const), to: address, amount, ...common }),
  fc.record({ kind: fc.constant('vote' as const), ...common }),
)
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

const txidOf = (place: number) => place.toString(16).padStart(64, '0')
const word = (value: bigint) => value.toString(16).padStart(64, '0')

function contractOf(one: Happening) {
  const owner_address = one.from
  if (one.kind === 'transfer') {
    return ['TransferContract', { owner_address, to_address: one.to, amount: one.amount }]
  }
  if (one.kind === 'call') {
    return ['TriggerSmartContract', { owner_address, contract_address: token, data: 'a9059cbb' }]
  }
  if (one.kind === 'vote') {
    return ['VoteWitnessContract', { owner_address, votes: [{ vote_count: 2n ** 60n }] }]
  }
  const value = { owner_address, receiver_address: one.to, balance: one.amount }
  return ['DelegateResourceContract', { ...value, resource: 'ENERGY' }]
}

function transactionJson(one: Happening, place: number) {
  const [type, value] = contractOf(one)
  const { timestamp } = one
  return {
    ret: [{ contractRet: one.succeeded ? 'SUCCESS' : 'REVERT' }],
    signature: ['00'.repeat(65)],
    txID: txidOf(place),
    raw_data: {
      contract: [{ parameter: { value, type_url: `protocol.${type}` }, type }],
      expiration: TIME,
      ...(timestamp === undefined ? {} : { timestamp }),
    },
  }
}

function infoJson(one: Happening, place: number) {
  const known = { id: txidOf(place), blockNumber: HEIGHT }
  if (one.kind !== 'call') return { ...known, receipt: { net_usage: 268 } }
  return {
    ...known,
    receipt: { result: one.succeeded ? 'SUCCESS' : 'REVERT' },
    ...(one.succeeded ? {} : { result: 'FAILED' }),
    log: one.tokens.map(({ to, amount }) => ({
      address: token.slice(2),
      topics: [TRANSFER_TOPIC, word(0n), `${'0'.repeat(24)}${to.slice(2)}`],
      data: word(amount),
    })),
    internal_transactions: one.internals.map(({ to, amount, rejected }) => ({
      caller_address: token,
      transferTo_address: to,
      callValueInfo: [{ callValue: amount }],
      rejected,
    })),
  }
}

/** The expected facts, directly from the list of what happened. */
function expected(happenings: Happening[]) {
  const transfers: unknown[] = []
  const tokens: unknown[] = []
  const delegations: unknown[] = []
  happenings.forEach((one, place) => {
    const txid = txidOf(place)
    if (!one.succeeded || one.kind === 'vote') return
    if (one.kind === 'delegate') {
      delegations.push({ txid, owner: one.from, receiver: one.to, stake: one.amount })
    } else if (one.kind === 'transfer') {
      const { from, to, amount } = one
      if (isOurs(to) && amount > 0n) transfers.push({ txid, position: 0, from, to, amount })
    } else {
      one.internals.forEach(({ to, amount, rejected }, index) => {
        if (rejected || amount === 0n || !isOurs(to)) return
        transfers.push({ txid, position: index + 1, from: token, to, amount })
      })
      one.tokens.forEach(({ to, amount }, position) => {
        if (isOurs(to)) tokens.push({ txid, position, token, to, amount })
      })
    }
  })
  return { transfers, tokens, delegations }
}

function nodeWith(happenings: Happening[], printing: Printing) {
  const hash = (n: number) => n.toString(16).padStart(64, '0')
  const raw_data = { number: HEIGHT, parentHash: hash(HEIGHT - 1), timestamp: TIME }
  const transactions = happenings.map(transactionJson)
  const block = { blockID: hash(HEIGHT), block_header: { raw_data }, transactions }
  const infos = happenings.map(infoJson)
  const print = (json: unknown) => {
    const text = stringifyJson(json)
    const printed = printing.capitals ? text.replace(/"41[0-9a-f]{40}"/g, capital) : text
    return printing.note ? printed.replace('{', '{"note":"é \\" \\\\",') : printed
  }
  return createNodeClient({
    urls: ['http://memory'],
    timeoutMs: 1_000,
    now: () => TIME,
    post: async (url) => {
      const isBlock = url.endsWith('getnowblock')
      return new Response(print(isBlock ? block : printing.backwards ? infos.toReversed() : infos))
    },
  })
}
const capital = (quoted: string) => quoted.toUpperCase()
const printing = fc.record({
  backwards: fc.boolean(),
  capitals: fc.boolean(),
  note: fc.boolean(),
})
type Printing = typeof printing extends fc.Arbitrary<infer T> ? T : never

test('of a random block, however it is printed, every fact is found and none is invented', async () => {
  const block = fc.array(happening, { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(block, printing, async (happenings, how) => {
      const [fetched] = await fetchAfter(nodeWith(happenings, how), HEIGHT - 1)
      const { transfers, tokens, delegations } = factsOf(fetched!, watched)
      const known = {
        transfers: transfers.map(({ purpose: _, expiresAt: __, ...rest }) => rest),
        tokens,
        delegations: delegations.map(({ kind: _, ...rest }) => rest),
      }
      expect(known).toEqual(expected(happenings))
    }),
    { numRuns: 300 },
  )
})
