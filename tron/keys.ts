import { pbkdf2Sync } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { HDKey } from '@scure/bip32'
import * as bip39 from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import type { HexAddress } from './address.ts'

export class KeyError extends Error {
  override name = 'KeyError'
}

const hardened = 0x8000_0000

export function generateMnemonic(): string {
  return bip39.generateMnemonic(wordlist, 128)
}

/** The hex private key at m/44'/195'/account'/0/index. */
export function privateKeyAt(mnemonic: string, index: number, account = 0): string {
  const { privateKey } = externalChain(mnemonic, account).deriveChild(childIndex(index))
  if (!privateKey) throw new KeyError('derivation gave no private key')
  return bytesToHex(privateKey)
}

/** The extended public key of m/44'/195'/account'/0: it derives every address and cannot spend. */
export function extendedPublicKey(mnemonic: string, account = 0): string {
  return externalChain(mnemonic, account).publicExtendedKey
}

export function addressAt(xpub: string, index: number): HexAddress {
  return addressDeriver(xpub)(index)
}

/** Like addressAt, for many indexes of one key: the extended key is parsed and checked once. */
export function addressDeriver(xpub: string): (index: number) => HexAddress {
  const chain = parseExtendedKey(xpub)
  return (index) => {
    const { publicKey } = chain.deriveChild(childIndex(index))
    if (!publicKey) throw new KeyError('derivation gave no public key')
    return addressOfPublicKey(publicKey)
  }
}

export function addressOfPrivateKey(privateKeyHex: string): HexAddress {
  return addressOfPublicKey(secp256k1.getPublicKey(privateKeyBytes(privateKeyHex), false))
}

/** Accepts the compressed and the uncompressed form. */
export function addressOfPublicKey(publicKey: Uint8Array): HexAddress {
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  return `41${bytesToHex(keccak_256(uncompressed.subarray(1)).subarray(12))}`
}

// A wrong key is never part of the message: error messages end up in logs.
export function privateKeyBytes(privateKeyHex: string): Uint8Array {
  const digits = privateKeyHex.replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw new KeyError('a private key is 64 hex digits')
  const bytes = hexToBytes(digits)
  if (!secp256k1.utils.isValidSecretKey(bytes)) throw new KeyError('private key out of range')
  return bytes
}

function externalChain(mnemonic: string, account: number): HDKey {
  if (!bip39.validateMnemonic(mnemonic, wordlist)) throw new KeyError('not a BIP-39 mnemonic')
  return HDKey.fromMasterSeed(seedOf(mnemonic)).derive(`m/44'/195'/${childIndex(account)}'/0`)
}

/** The seed of BIP-39, without a passphrase. By OpenSSL: in JavaScript it takes 70 ms of each derived key. */
function seedOf(mnemonic: string): Uint8Array {
  return pbkdf2Sync(mnemonic.normalize('NFKD'), 'mnemonic', 2_048, 64, 'sha512')
}

function parseExtendedKey(xpub: string): HDKey {
  try {
    return HDKey.fromExtendedKey(xpub)
  } catch {
    throw new KeyError('not an extended public key')
  }
}

function childIndex(index: number): number {
  if (!Number.isInteger(index) || index < 0 || index >= hardened) {
    throw new KeyError(`derivation index out of range: ${index}`)
  }
  return index
}
