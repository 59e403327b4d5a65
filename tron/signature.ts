import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { HexAddress } from './address.ts'
import { addressOfPublicKey, privateKeyBytes } from './keys.ts'

const digestHexForm = /^(0x)?[0-9a-fA-F]{64}$/
const signatureHexForm = /^(0x)?[0-9a-fA-F]{130}$/

/** Signs a 32-byte digest (a txID, a message hash). Hex of r‖s‖v, v 27 or 28, s in the low half. */
export function sign(digestHex: string, privateKeyHex: string): string {
  if (!digestHexForm.test(digestHex)) throw new RangeError('a digest is 64 hex digits')
  // prehash: false, because the digest is signed as it is; noble would hash it again by default.
  const recovered = secp256k1.sign(
    hexToBytes(digestHex.replace(/^0x/, '')),
    privateKeyBytes(privateKeyHex),
    { prehash: false, lowS: true, format: 'recovered' },
  )
  // noble puts the recovery bit first, TRON expects it last.
  const v = 27 + recovered[0]!
  return bytesToHex(recovered.subarray(1)) + v.toString(16)
}

/**
 * The address that signed this digest; undefined for an invalid signature. Accepts v 0/1 and 27/28.
 */
export function recover(digestHex: string, signatureHex: string): HexAddress | undefined {
  if (!digestHexForm.test(digestHex) || !signatureHexForm.test(signatureHex)) return undefined
  const signature = hexToBytes(signatureHex.replace(/^0x/, ''))
  const recovery = recoveryBit(signature[64]!)
  if (recovery === undefined) return undefined
  try {
    const recoverable = Uint8Array.of(recovery, ...signature.subarray(0, 64))
    const digest = hexToBytes(digestHex.replace(/^0x/, ''))
    return addressOfPublicKey(secp256k1.recoverPublicKey(recoverable, digest, { prehash: false }))
  } catch {
    return undefined
  }
}

function recoveryBit(v: number): number | undefined {
  if (v === 0 || v === 1) return v
  if (v === 27 || v === 28) return v - 27
  return undefined
}
