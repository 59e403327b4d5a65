/** How a receiver checks a delivery, in two languages. proof/contract/verifying.test.ts runs both. */
export const VERIFY = {
  typescript: `import { verifyWebhook } from '@ergon/sdk'

// body: the bytes as they came, before any parser
export function receive(secret: string, headers: Record<string, string>, body: string) {
  return verifyWebhook({ secret, headers, body })
}`,
  python: `import hashlib, hmac, json, time

def receive(secret, headers, body):  # body: the bytes as they came, before any parser
    timestamp = headers["X-Service-Timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("stale")
    signed = timestamp.encode() + b"." + body
    made = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(made, headers["X-Service-Signature"]):
        raise ValueError("not from Ergon")
    return json.loads(body)`,
}
