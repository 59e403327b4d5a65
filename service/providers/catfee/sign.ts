import { createHmac } from 'node:crypto'

/**
 * Base64 of HMAC-SHA256 over time, method and path with its query as sent. The body is not part of
 * it: all inputs travel in the query.
 */
export function signCatFee(
  secret: string,
  { at, method, path }: { at: string; method: string; path: string },
): string {
  return createHmac('sha256', secret).update(`${at}${method}${path}`).digest('base64')
}
