const SENTENCES: Record<string, string> = {
  timeout: 'The receiver did not answer in full within 5 seconds.',
  connection_refused: 'The receiver refused the connection.',
  connection_failed: 'The connection to the receiver failed or broke off.',
  tls_failed: 'TLS failed: the certificate must be valid for the host.',
  host_not_public: 'The host is not public: every address of its name must be.',
  host_not_resolved: 'The host name has no address.',
  url_refused: 'The URL is not allowed for webhooks.',
  webhook_disabled: 'The webhook was disabled before it was sent.',
  webhook_removed: 'The webhook was removed before it was sent.',
  not_attempted: 'It was not sent.',
  aborted: 'The service stopped before the receiver answered.',
  internal_error: 'The service could not send it.',
}

/**
 * Why an attempt failed, in a sentence for the webhook's owner; null for one that did not. It speaks of
 * the receiver only: no address, port or error text of our network.
 */
export function reasonOf(word: string | null, status: number | null): string | null {
  if (word === null) return null
  if (status === null) return SENTENCES[word] ?? SENTENCES.internal_error!
  const isRedirect = status >= 300 && status < 400
  return isRedirect
    ? `The receiver answered ${status}, a redirect; redirects are not followed.`
    : `The receiver answered ${status}; only 2xx counts.`
}
