/**
 * The operator's approval key in this browser: created by WebCrypto, stored in IndexedDB, and not
 * extractable, so no script can read it. What it signs is shown first.
 */
export type ApprovalKey = { publicKey: string; privateKey: CryptoKey }

const DATABASE = 'ergon-operator'
const STORE = 'approval-keys'
const PRIVATE_DER = '302e020100300506032b657004220420'

export async function findApprovalKey(email: string): Promise<ApprovalKey | null> {
  const found = await inStore('readonly', (store) => store.get(email))
  return (found as ApprovalKey | undefined) ?? null
}

export async function makeApprovalKey(email: string): Promise<ApprovalKey> {
  const pair = (await crypto.subtle.generateKey('Ed25519', false, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  return keep(email, { publicKey: hexOf(raw), privateKey: pair.privateKey })
}

/**
 * Imports an existing key, such as the sandbox's; from now on it cannot leave this browser either.
 */
export async function bringApprovalKey(email: string, privateHex: string): Promise<ApprovalKey> {
  if (!/^[0-9a-f]{64}$/.test(privateHex)) throw new Error('A private key has 64 hex digits.')
  const der = bytesOf(PRIVATE_DER + privateHex)
  const open = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', true, ['sign'])
  const { x = '' } = await crypto.subtle.exportKey('jwk', open)
  const privateKey = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign'])
  const raw = Uint8Array.from(atob(x.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
    char.charCodeAt(0),
  )
  return keep(email, { publicKey: hexOf(raw), privateKey })
}

export async function forgetApprovalKey(email: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(email))
}

export async function signText({ privateKey }: ApprovalKey, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text)
  return hexOf(new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, bytes)))
}

async function keep(email: string, key: ApprovalKey): Promise<ApprovalKey> {
  await inStore('readwrite', (store) => store.put(key, email))
  return key
}

async function inStore(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  const opening = indexedDB.open(DATABASE, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  const database = (await ended(opening)) as IDBDatabase
  try {
    return await ended(work(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

function ended(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

const hexOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const bytesOf = (hex: string) =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
