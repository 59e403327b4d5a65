import {
  addressOfPublicKey,
  contractIds,
  type HexAddress,
  type Permission,
  toBase58,
} from '@ergon/tron'
import { recover } from 'tiny-secp256k1'
import { defaultPermissions, permissionsOf } from './account.ts'
import { allows } from './actuators/permissions.ts'
import type { Incoming } from './execute.ts'
import { limits } from './parameters.ts'
import { Refusal } from './refusal.ts'
import type { ReadTables } from './state.ts'

export type SignerOf = (digest: Uint8Array, signature: Uint8Array) => HexAddress | undefined

/** Who signed? By libsecp256k1 in WebAssembly, five times as fast as JavaScript. */
export function signerOf(digest: Uint8Array, signature: Uint8Array): HexAddress | undefined {
  const v = (headerOf(signature) - 27) & 3
  try {
    const key = recover(digest, signature.subarray(0, 64), v as 0 | 1 | 2 | 3, false)
    return key ? addressOf(key) : undefined
  } catch {
    return undefined
  }
}

/** The last byte; below 27 it is counted from 0. 31 to 34 mean 27 to 30 with a compressed key. */
function headerOf(signature: Uint8Array): number {
  const v = signature[64]!
  return v < 27 ? v + 27 : v
}

const headerMax = 34
const curve = {
  p: 2n ** 256n - 2n ** 32n - 977n,
  n: 2n ** 256n - 0x14551231950b75fc4402da1732fc9bebfn,
}

/** Why java finds no key: no point has this x, or x is beyond the field. */
function recoveryError(signature: Uint8Array): string {
  const r = BigInt(`0x${Buffer.from(signature.subarray(0, 32)).toString('hex')}`)
  const isSecond = ((headerOf(signature) - 27) & 2) !== 0
  if (isSecond && r + curve.n >= curve.p) {
    return 'java.security.SignatureException: Could not recover public key from signature'
  }
  return 'java.lang.IllegalArgumentException: Invalid point compression'
}

// The same keys sign again and again, and the address of a key costs a point check and a keccak.
const addresses = new Map<string, HexAddress>()
const addressesMax = 10_000

function addressOf(publicKey: Uint8Array): HexAddress {
  const name = Buffer.from(publicKey).toString('latin1')
  const known = addresses.get(name)
  if (known) return known
  const address = addressOfPublicKey(publicKey)
  if (addresses.size >= addressesMax) addresses.clear()
  addresses.set(name, address)
  return address
}

/** The permission is there, allows the contract, and is signed with enough weight. */
export function checkSignatures(
  tables: ReadTables,
  transaction: Incoming,
  signer: SignerOf = signerOf,
): void {
  const { signatures, raw } = transaction
  if (signatures.length === 0) throw signatureError('miss sig or contract')
  if (signatures.length > limits.signaturesMax) throw signatureError('too many signatures')
  const { type, permissionId = 0 } = raw.contract
  const owner = raw.contract.value.owner_address
  const permission = permissionById(tables, owner, permissionId)
  if (!permission) throw signatureError("permission isn't exit")
  if (permissionId !== 0) {
    if (permission.type !== 'Active') throw signatureError('Permission type is error')
    if (!allows(permission.operations ?? '', contractIds[type])) {
      throw signatureError('Permission denied')
    }
  }
  if (weigh(permission, transaction, signer).weight < permission.threshold) {
    throw signatureError('sig error')
  }
}

/** A missing account has the permissions it would be born with, as on a node. */
export function permissionById(
  tables: ReadTables,
  owner: HexAddress,
  id: number,
): Permission | undefined {
  const account = tables.accounts.get(owner)
  const set = account ? permissionsOf(owner, account) : defaultPermissions(owner, false)
  if (id === 0) return set.owner
  if (id === 1) return set.witness
  return set.actives.find((active) => active.id === id)
}

/** Adds up the weight of the signatures; a signature by an unknown key is refused. */
export function weigh(
  permission: Permission,
  { signatures, txid }: Incoming,
  signer: SignerOf = signerOf,
): { weight: bigint; approved: HexAddress[] } {
  if (signatures.length > permission.keys.length) {
    throw signatureError(
      `Signature count is ${signatures.length} more than key counts of permission : ${permission.keys.length}`,
    )
  }
  const digest = Buffer.from(txid, 'hex')
  const approved: HexAddress[] = []
  let weight = 0n
  for (const hex of signatures) {
    const signature = Buffer.from(hex, 'hex')
    if (signature.length < 65) throw signatureError(`Signature size is ${signature.length}`)
    const header = headerOf(signature)
    if (header > headerMax) {
      const text = `java.security.SignatureException: Header byte out of range: ${header}`
      throw signatureError(text)
    }
    const address = signer(digest, signature)
    if (!address) throw signatureError(recoveryError(signature))
    const key = permission.keys.find((candidate) => candidate.address === address)
    if (!key) {
      throw signatureError(
        `${hex} is signed by ${toBase58(address)} but it is not contained of permission.`,
      )
    }
    if (approved.includes(address)) throw signatureError(`${toBase58(address)} has signed twice!`)
    approved.push(address)
    weight += key.weight
  }
  return { weight, approved }
}

function signatureError(text: string): Refusal {
  return new Refusal('SIGERROR', `Validate signature error: ${text}`)
}
