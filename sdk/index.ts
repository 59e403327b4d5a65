export {
  expressWebhook,
  fastifyWebhook,
  fetchWebhook,
  honoWebhook,
  type WebhookHandler,
} from './adapters.ts'
export type { AgentApi, AgentPaymentFilter } from './agent.ts'
export type { AutoEnergyApi, SubscriptionResult } from './autoenergy.ts'
export type { BatchMode, BatchPurchase, BatchResult } from './batch.ts'
export { type BuyOptions, Ergon } from './client.ts'
export {
  ApiError,
  ConnectionError,
  ERROR_CODES,
  ErgonError,
  type ErrorCode,
  type ErrorFields,
  type Fault,
  isRefused,
  type RefusedWith,
  WaitTimeoutError,
} from './errors.ts'
export type { EventFeed, EventPage, FeedOptions } from './eventFeed.ts'
export type { WebhookEvent, WebhookEventOf, WebhookEventType } from './events.ts'
export type { List } from './list.ts'
export { sunToTrx, trxToSun } from './money.ts'
export type { PublicApi } from './public.ts'
export {
  type Delivery,
  type HeadersLike,
  type SignedDelivery,
  signWebhook,
  verifyWebhook,
  WebhookError,
  type WebhookProblem,
} from './signature.ts'
export type { CallOptions, ErgonOptions } from './transport.ts'
export type { WaitOptions, WaitProgress } from './wait.ts'
export type { NewReplay, WebhooksApi } from './webhooks.ts'
export type * from './wire.ts'
