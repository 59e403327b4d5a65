import type { TestAccount, TestApp } from '../testing/app.ts'
import type { Visitor } from '../testing/visitor.ts'

// The rows of cross-account.test.ts: for each route, the objects of two accounts that it names.

/** `mine`: undefined where the answer to the owner is 204 and can be had only once. */
type Subject = {
  mine: string | undefined
  foreign: string
  absent: string[]
  changes?: boolean
  body?: unknown
}

/**
 * What account B tries with objects of account A. `none`: the route names no object of an account.
 */
export const matrix: Record<string, 'none' | ((world: World) => Subject) | 'list'> = {
  getAccount: 'none',
  getEstimate: 'none',
  // proof/contract/post-quotes.test.ts tries the quote of another account.
  postBuy: 'none',
  postBuyBatch: 'none',
  postQuote: 'none',
  getPublicPricing: 'none',
  getPublicEnergy: 'none',
  getAgentSummary: 'none',
  getAgentQuote: 'none',
  postAgentConfig: 'none',
  getAgentConfigs: 'list',
  getAgentPayments: 'list',
  // proof/contract/agent-deliver.test.ts tries the payment of another account.
  postAgentDeliver: 'none',
  patchAgentConfig: (world) => configPaths(world, ''),
  postAgentPause: (world) => configPaths(world, '/pause'),
  postAgentResume: (world) => configPaths(world, '/resume'),
  deleteAgentConfig: (world) => ({ ...configPaths(world, ''), mine: undefined }),
  // Pay pages are public for everybody who has their address; only an unknown address is refused.
  getPay: 'none',
  getPayCheck: 'none',
  getPayLive: 'none',
  // Public; proof/contract/public-proof.test.ts checks what it leaves out.
  getPublicProof: 'none',
  getPublicTransfer: 'none',
  getPublicScorecard: 'none',
  getPublicStatus: 'none',
  getOrder: ({ orderOfA, orderOfB }) => ({
    mine: `/order/${orderOfB}`,
    foreign: `/order/${orderOfA}`,
    absent: [
      '/order/01a1dd1e-0000-7000-8000-000000000000',
      '/order/not-an-id',
      `/order/${orderOfA.toUpperCase()}`,
      `/order/${orderOfA}%00`,
      '/order/%27%20or%201%3D1',
    ],
  }),
  getTransactions: ({ cursorOfA, cursorOfB }) => ({
    mine: `/transactions?cursor=${encodeURIComponent(cursorOfB)}`,
    foreign: `/transactions?cursor=${encodeURIComponent(cursorOfA)}`,
    absent: [
      '/transactions?cursor=AAAA',
      `/transactions?cursor=${encodeURIComponent(`${cursorOfB}A`)}`,
    ],
  }),
  getEvents: ({ feedOfA, feedOfB, cursorOfB }) => ({
    mine: `/events?cursor=${feedOfB}`,
    foreign: `/events?cursor=${feedOfA}`,
    absent: ['/events?cursor=AAAA', `/events?cursor=${cursorOfB}`, `/events?cursor=${feedOfB}A`],
  }),
  postSubscription: 'none',
  postSubscriptionBatch: 'none',
  getSubscriptions: 'list',
  getSubscription: subscription(''),
  getSubscriptionUsage: subscription('/usage'),
  getSubscriptionBilling: subscription('/billing'),
  postSubscriptionClose: subscription('/close', true),
  postSubscriptionReactivate: subscription('/reactivate', true),
  deleteSubscription: subscription('', true),
  getOrders: 'list',
  getDeposits: 'list',

  getCheckout: ({ checkoutOfA, checkoutOfB }) => ({
    mine: `/checkouts/${checkoutOfB}`,
    foreign: `/checkouts/${checkoutOfA}`,
    absent: ['/checkouts/01a1dd1e-0000-7000-8000-000000000000', '/checkouts/x'],
  }),
  patchKey: (world) => ofKey(world, { note: 'changed' }),
  deleteKey: (world) => ofKey(world),
  deleteSession: ({ sessionOfA, sessionOfB }) => ({
    mine: `/sessions/${sessionOfB}`,
    foreign: `/sessions/${sessionOfA}`,
    absent: ['/sessions/01a1dd1e-0000-7000-8000-000000000000', '/sessions/x'],
  }),
  getKeys: 'list',
  getRequests: 'list',
  getAgentReport: 'list',
  getSessions: 'list',
  getOverview: 'list',
  getSettings: 'none',
  patchSettings: 'none',
  getReceiver: 'none',
  getStatement: 'none',
  getStatementFile: 'none',
  getMovements: 'none',
  // By month; proof/stories/invoices.story.ts asks for a month that only another account has.
  getInvoices: 'list',
  getInvoice: 'none',
  getInvoicePage: 'none',
  getInvoiceFile: 'none',
  getParticulars: 'none',
  patchParticulars: 'none',
  // The same for everybody; what one account has dismissed is in its own row.
  getAnnouncements: 'none',
  postAnnouncementDismissal: 'none',
  getTerms: 'none',
  postTerms: 'none',
  getOrderSearch: 'list',
  getSession: 'none',
  postCheckout: 'none',
  postKey: 'none',
  postSignUp: 'none',
  postSignUpConfirmation: 'none',
  postSignIn: 'none',
  postSignInCode: 'none',
  // The e-mail goes to the owner of the address only: proof/stories/forgotten.story.ts.
  postForgotten: 'none',
  postReset: 'none',
  postSignOut: 'none',
  postWalletSignInChallenge: 'none',
  postWalletSignIn: 'none',
  postPassword: 'none',
  postTotp: 'none',
  postTotpConfirmation: 'none',
  postTotpRemoval: 'none',
  postStepUp: 'none',
  // proof/attacks/passkeys.test.ts tries passkeys, challenges and ids of other accounts.
  postPasskeySignInChallenge: 'none',
  postPasskeySignIn: 'none',
  getPasskeys: 'list',
  postPasskeyChallenge: 'none',
  postPasskey: 'none',
  patchPasskey: (world) => ofPasskey(world, { name: 'changed' }),
  deletePasskey: (world) => ofPasskey(world),
  postStepUpChallenge: 'none',
  postStepUpPasskey: 'none',
  // proof/stories/sessions.story.ts tries a text that was made for another account.
  postWalletChallenge: 'none',
  postWallet: 'none',
  deleteWallet: 'none',
  getChats: 'list',
  // A code links the chat that sends it; proof/stories/chat.story.ts tries old and foreign codes.
  postChatCode: 'none',
  patchChat: (world) => ofChat(world, '', { events: { 'balance.low': true } }),
  postChatTest: (world) => ofChat(world, '/test'),
  deleteChat: (world) => ({ ...ofChat(world, ''), mine: undefined }),
  postWebhook: 'none',
  getWebhooks: 'list',
  patchWebhook: (world) => ofWebhook(world, '', { name: 'changed' }),
  postWebhookTest: (world) => ofWebhook(world, '/test'),
  postWebhookRotate: (world) => ofWebhook(world, '/rotate-secret', {}),
  getWebhookDeliveries: (world) => ofWebhook(world, '/deliveries'),
  getWebhookDelivery: (world) => ofDelivery(world, ''),
  postWebhookResend: (world) => ofDelivery(world, '/resend'),
  // Nothing happened since, so it ends at once.
  postWebhookReplay: (world) => ofWebhook(world, '/replay', { from: new Date().toISOString() }),
  deleteWebhook: (world) => ({ ...ofWebhook(world, ''), mine: undefined }),
}

const ABSENT = '01a1dd1e-0000-7000-8000-000000000000'

function ofWebhook({ webhookOfA, webhookOfB }: World, end: string, body?: unknown): Subject {
  const path = (id: string) => `/webhooks/${id}${end}`
  const ids = [ABSENT, 'not-an-id', webhookOfA.toUpperCase(), `${webhookOfA}%00`]
  return { mine: path(webhookOfB), foreign: path(webhookOfA), absent: ids.map(path), body }
}

function ofDelivery(world: World, end: string): Subject {
  const { webhookOfA, webhookOfB, deliveryOfA, deliveryOfB } = world
  const path = (webhook: string, delivery: string) =>
    `/webhooks/${webhook}/deliveries/${delivery}${end}`
  return {
    mine: path(webhookOfB, deliveryOfB),
    foreign: path(webhookOfA, deliveryOfA),
    absent: [path(ABSENT, ABSENT), path('not-an-id', deliveryOfA), path(ABSENT, deliveryOfB)],
  }
}

function ofKey({ keyOfA, keyOfB }: World, body?: unknown): Subject {
  const path = (id: string) => `/keys/${id}`
  return { mine: path(keyOfB), foreign: path(keyOfA), absent: [ABSENT, 'x'].map(path), body }
}

function ofPasskey({ passkeyOfA, passkeyOfB }: World, body?: unknown): Subject {
  const path = (id: string) => `/passkeys/${id}`
  const absent = [ABSENT, 'x'].map(path)
  return { mine: path(passkeyOfB), foreign: path(passkeyOfA), absent, body }
}

function ofChat({ chatOfA, chatOfB }: World, end: string, body?: unknown): Subject {
  const path = (id: string) => `/chats/${id}${end}`
  const ids = [ABSENT, 'not-an-id', chatOfA.toUpperCase(), `${chatOfA}%00`]
  return { mine: path(chatOfB), foreign: path(chatOfA), absent: ids.map(path), body }
}

function configPaths({ configOfA, configOfB }: World, action: string): Subject {
  const path = (id: string) => `/agent/configs/${id}${action}`
  return {
    mine: path(configOfB),
    foreign: path(configOfA),
    absent: [
      path('01a1dd1e-0000-7000-8000-000000000000'),
      path('not-an-id'),
      path(configOfA.toUpperCase()),
      path('%27%20or%201%3D1'),
    ],
  }
}

function subscription(rest: string, changes = false): (world: World) => Subject {
  return ({ coveredByA, coveredByB, receiver }) => {
    const path = (address: string) => `/autoenergy/subscriptions/${address}${rest}`
    const nobodys = [receiver, 'nonsense', coveredByA.toLowerCase(), '%27%20or%201%3D1']
    return {
      mine: path(coveredByB),
      foreign: path(coveredByA),
      absent: nobodys.map(path),
      changes,
    }
  }
}

export type World = {
  receiver: string
  coveredByA: string
  coveredByB: string
  app: TestApp
  a: TestAccount
  b: TestAccount
  visitorOfB: Visitor
  checkoutOfA: string
  checkoutOfB: string
  keyOfA: string
  keyOfB: string
  sessionOfA: string
  sessionOfB: string
  passkeyOfA: string
  passkeyOfB: string
  orderOfA: string
  orderOfB: string
  cursorOfA: string
  cursorOfB: string
  feedOfA: string
  feedOfB: string
  configOfA: string
  configOfB: string
  chatOfA: string
  chatOfB: string
  webhookOfA: string
  webhookOfB: string
  deliveryOfA: string
  deliveryOfB: string
}
