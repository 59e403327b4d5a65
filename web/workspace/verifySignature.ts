const hex = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The signature that a secret makes for a delivery, worked out here: the secret stays in the browser. */
export async function signatureOf(secret: string, timestamp: string, body: string) {
  const text = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', text.encode(secret), algorithm, false, ['sign'])
  return `v1=${hex(await crypto.subtle.sign('HMAC', key, text.encode(`${timestamp}.${body}`)))}`
}
