import { randomBytes } from 'node:crypto'
import { addressOfPrivateKey, sign, toBase58 } from '@ergon/tron'
import type { Chain } from '../chain.ts'
import { addressWord, word } from '../contracts/builtIn.ts'
import { fundedKeys, usdtAddress, witnessKey } from '../networkKeys.ts'
import { sendAs, signedBy } from '../sender.ts'
import type { Names } from './pattern.ts'

// What the recording does not say of itself: who has what at the beginning, who signs, and where
// the scenario waited for a block.

type Actor = { key: string; hex: string; base58: string }

const trx = 1_000_000n
const trxOf = { a: 210_000, b: 20_000, c: 2000, d: 2000, e: 2000, f: 10_000, g: 2000, h: 2000 }
const others = ['x', 'y', 'z', 'fresh', 'created'] as const
type Name = keyof typeof trxOf | (typeof others)[number]

/** The chain that the scenario plays on; it makes a block when it is told to. */
export type Stage = { chain: Chain; mine(): void }

export type Cast = {
  actors: Record<Name, Actor>
  addresses: Record<string, { hex: string; base58: string }>
  /** Steps that send the transaction of another step again. */
  sameAs: Record<string, string>
  signatures(step: string, transaction: { txID: string; raw_data: object }): string[]
  /** The last byte that the signature of h has to have before it is changed. */
  wantedV(step: string): string | undefined
  vOf(txid: string): string
  /** What was sent only as hex: a transfer of h to g of this amount. */
  sentAsHex(step: string): Record<string, unknown>
}

/** New accounts, and the money that the recorded ones had. */
export function fund({ chain, mine }: Stage): Cast {
  const names = [...(Object.keys(trxOf) as Name[]), ...others]
  const actors = Object.fromEntries(names.map((name) => [name, newActor()])) as Cast['actors']
  const bank = fundedKeys[0]!
  const from = { owner_address: bank.address }
  for (const [name, amount] of Object.entries(trxOf)) {
    const value = { ...from, to_address: actors[name as Name].hex, amount: BigInt(amount) * trx }
    sendAs(chain, bank.privateKey, { type: 'TransferContract', value })
  }
  mine()
  for (const name of ['b', 'c', 'e'] as const) {
    const data = `a9059cbb${addressWord(actors[name].hex)}${word(100n * trx)}`
    const value = { ...from, contract_address: usdtAddress, data }
    const contract = { type: 'TriggerSmartContract', value } as const
    sendAs(chain, bank.privateKey, contract, { feeLimit: 100n * trx })
  }
  mine()
  const known = { usdt: usdtAddress, witness: witnessKey.address, bank: bank.address }
  const addresses = {
    ...Object.fromEntries(names.map((name) => [name, actors[name]])),
    ...Object.fromEntries(
      Object.entries(known).map(([name, hex]) => [name, { hex, base58: toBase58(hex) }]),
    ),
  }
  return {
    actors,
    addresses,
    sameAs: { 'again while pending': 'first time', 'again after mined': 'first time' },
    signatures: (step, transaction) => signaturesOf(actors, step, transaction),
    wantedV: (step) =>
      /^v \d+ for (28|27)$/.exec(step)?.[1]?.replace('28', '1c').replace('27', '1b'),
    vOf: (txid) => sign(txid, actors.h.key).slice(-2),
    sentAsHex: (step) => transferRequest(step === 'first time' ? 1018 : 1021),
  }
}

function newActor(): Actor {
  const key = randomBytes(32).toString('hex')
  const hex = addressOfPrivateKey(key)
  return { key, hex, base58: toBase58(hex) }
}

function transferRequest(amount: number): Record<string, unknown> {
  const type = 'TransferContract'
  const value = { owner_address: '<h>', to_address: '<g>', amount }
  const parameter = { value, type_url: `type.googleapis.com/protocol.${type}` }
  const reference = { ref_block_bytes: '<ref_block_bytes>', ref_block_hash: '<ref_block_hash>' }
  return { raw_data: { contract: [{ parameter, type }], ...reference, expiration: '<time>' } }
}

/** Steps that somebody else than the owner signs, or more than one. */
const signers: Record<string, Name[]> = {
  'no signature': [],
  'key of another': ['c'],
  'broadcast visible, key of another': ['c'],
  'the same signature twice': ['h', 'h'],
  'a signature too many': ['h', 'c'],
  'operation not in the permission': ['d'],
  'f: two signatures': ['f', 'g'],
  'f: freeze': ['f', 'g'],
  'cancel 32': ['f', 'g'],
  'g delegates for f': ['g'],
  'g undelegates for f': ['g'],
  'g may not freeze for f': ['g'],
}

function signaturesOf(
  actors: Cast['actors'],
  step: string,
  { txID, raw_data }: { txID: string; raw_data: object },
): string[] {
  const shown = JSON.stringify(raw_data)
  const owner = Object.values(actors).find(
    ({ hex, base58 }) =>
      shown.includes(`"owner_address":"${hex}"`) || shown.includes(`"owner_address":"${base58}"`),
  )
  const who = signers[step]?.map((name) => actors[name]) ?? [owner!]
  const made = who.map(({ key }) => sign(txID, key))
  if (step === 'short signature') return made.map((signature) => signature.slice(0, 20))
  if (step === 'zero signature') return ['00'.repeat(65)]
  const v = /^v (\d+) for/.exec(step)?.[1]
  if (!v) return made
  return made.map((one) => one.slice(0, -2) + Number(v).toString(16).padStart(2, '0'))
}

/** What happened between two recorded calls. */
export function prepare(stage: Stage, name: string, { cast, names }: { cast: Cast; names: Names }) {
  const { chain, mine } = stage
  if (name.endsWith(': info') || name === 'again after mined: json') mine()
  if (name === 'getdelegatedresourcev2 solidity') settle(stage)
  if (name === 'getnowblock') mine()
  if (name === 'x: pending: build' || name === 'getnowblock') settle(stage)
  if (name === 'transfer activates: build' || name === 'first time') mine()
  if (name === 'x: second transfer: build') mine()
  if (name === 'unfreeze a 33rd time') unfreezeOften(stage, cast)
  if (name === 'transfer: info') names.block = chain.head.number
}

/** Until what is the head now is solid. */
function settle({ chain, mine }: Stage): void {
  const { number } = chain.head
  while (chain.solidNumber < number) mine()
}

function unfreezeOften({ chain, mine }: Stage, { actors: { f, g } }: Cast): void {
  for (let i = 0; i < 32; i++) {
    const value = {
      owner_address: f.hex,
      unfreeze_balance: trx + BigInt(i),
      resource: 'ENERGY' as const,
    }
    const contract = { type: 'UnfreezeBalanceV2Contract', value } as const
    chain.broadcast(signedBy([f.key, g.key], contract, { chain }))
  }
  mine()
}
