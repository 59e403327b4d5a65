import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'

/** Ed25519 keys of operators: 32 bytes each, as hex. */

const PRIVATE_DER = '302e020100300506032b657004220420'
const PUBLIC_DER = '302a300506032b6570032100'
const KEY = /^[0-9a-f]{64}$/
const SIGNATURE = /^[0-9a-f]{128}$/

export const isApprovalKey = (text: string) => KEY.test(text)

export function publicKeyOf(privateKey: string): string {
  const der = createPublicKey(privateOf(privateKey)).export({ format: 'der', type: 'spki' })
  return der.subarray(-32).toString('hex')
}

export function signText(text: string, privateKey: string): string {
  return sign(null, Buffer.from(text), privateOf(privateKey)).toString('hex')
}

export function isSignatureOf(text: string, key: string, signature: string): boolean {
  if (!KEY.test(key) || !SIGNATURE.test(signature)) return false
  try {
    const der = Buffer.from(PUBLIC_DER + key, 'hex')
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'hex'))
  } catch {
    return false
  }
}

function privateOf(privateKey: string) {
  const der = Buffer.from(PRIVATE_DER + privateKey, 'hex')
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}
