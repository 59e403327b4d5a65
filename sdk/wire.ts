import type {
  eventTypes,
  getAccount,
  getAgentConfigs,
  getAgentPayments,
  getAgentQuote,
  getAgentSummary,
  getDeposits,
  getEstimate,
  getOrder,
  getOrders,
  getPay,
  getPayCheck,
  getPublicEnergy,
  getPublicPricing,
  getPublicProof,
  getPublicScorecard,
  getPublicStatus,
  getPublicTransfer,
  getSubscription,
  getSubscriptionBilling,
  getSubscriptionUsage,
  getTransactions,
  getWebhookDeliveries,
  getWebhooks,
  patchAgentConfig,
  patchWebhook,
  postAgentConfig,
  postBuy,
  postQuote,
  postSubscription,
  postSubscriptionReactivate,
  postWebhook,
  postWebhookReplay,
  postWebhookTest,
  Reply,
  Route,
} from '@ergon/contract'
import type { Static, TSchema } from 'typebox'

// The types of requests and answers. Inside the repository they are derived from the contract's
// schemas; for the package `build.ts` writes each `Answer` and `Body` out in full from the same
// schemas, and copies every other line unchanged.

/** Money is bigint by its name, *_sun; every other integer is small enough for a number. */
type Field<Name, Value> = Value extends bigint
  ? Name extends `${string}_sun`
    ? bigint
    : number
  : Plain<Value>
type Plain<T> = T extends readonly (infer Item)[]
  ? Field<'', Item>[]
  : T extends object
    ? { [Name in keyof T]: Field<Name, T[Name]> }
    : T

type Answer<R extends Route> = Plain<Reply<R>>
/** Amounts may be given as a number or a bigint. */
type Body<R extends { body: TSchema }> = {
  [Name in keyof Static<R['body']>]: Name extends `${string}_sun`
    ? Static<R['body']>[Name] | bigint
    : Static<R['body']>[Name]
}

type Payloads<E extends Record<string, { data: TSchema }>> = {
  [Type in Exclude<keyof E, 'webhook.disabled'>]: Plain<Static<E[Type]['data']>>
}

export type Account = Answer<typeof getAccount>
export type Estimate = Answer<typeof getEstimate>
export type Purchase = Body<typeof postBuy>
export type Bought = Answer<typeof postBuy>
export type Quote = Answer<typeof postQuote>
export type Order = Answer<typeof getOrder>
export type OrderPage = Answer<typeof getOrders>
export type TransactionPage = Answer<typeof getTransactions>
export type Transaction = TransactionPage['transactions'][number]
export type DepositPage = Answer<typeof getDeposits>
export type Deposit = DepositPage['deposits'][number]

export type Subscription = Answer<typeof getSubscription>
export type NewSubscription = Body<typeof postSubscription>
export type Reactivation = Body<typeof postSubscriptionReactivate>
export type Usage = Answer<typeof getSubscriptionUsage>
export type UsageItem = Usage[number]
export type Billing = Answer<typeof getSubscriptionBilling>
export type BillingItem = Billing[number]

export type Webhooks = Answer<typeof getWebhooks>
export type Webhook = Webhooks['webhooks'][number]
export type WebhookWithSecret = Answer<typeof postWebhook>
export type NewWebhook = Body<typeof postWebhook>
export type WebhookChange = Body<typeof patchWebhook>
export type TestDelivered = Answer<typeof postWebhookTest>
export type DeliveryRecordPage = Answer<typeof getWebhookDeliveries>
export type DeliveryRecord = DeliveryRecordPage['deliveries'][number]
export type Replay = Answer<typeof postWebhookReplay>
export type EventPayloads = Payloads<typeof eventTypes>

export type AgentSummary = Answer<typeof getAgentSummary>
export type AgentQuote = Answer<typeof getAgentQuote>
export type AgentConfigs = Answer<typeof getAgentConfigs>
export type AgentConfig = AgentConfigs['items'][number]
export type NewAgentConfig = Body<typeof postAgentConfig>
export type AgentConfigChange = Body<typeof patchAgentConfig>
export type AgentPaymentPage = Answer<typeof getAgentPayments>
export type AgentPayment = AgentPaymentPage['items'][number]

export type Pricing = Answer<typeof getPublicPricing>
export type TransferEnergy = Answer<typeof getPublicEnergy>
export type Scorecard = Answer<typeof getPublicScorecard>
export type ServiceStatus = Answer<typeof getPublicStatus>
export type DeliveryProof = Answer<typeof getPublicProof>
export type TransferDiagnosis = Answer<typeof getPublicTransfer>
export type PayPage = Answer<typeof getPay>
export type PayCheck = Answer<typeof getPayCheck>
