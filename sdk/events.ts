/** One event. New types come: a `switch` over `type` needs a default, which answers 2xx. */
export type WebhookEvent = {
  /** The same event may arrive twice: keep the ids you have handled. */
  id: string
  type: string
  created_at: string
  audience: string
  data: Record<string, unknown>
}
