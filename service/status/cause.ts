import { COMPONENT_IDS, type Component, type Impact } from '@ergon/contract'

/** What our own measurements can find wrong: what clients read of it, and what it touches. */
export const CAUSES = {
  not_running: {
    title: 'The service did not run',
    text: 'The service did not run, or could not reach its database.',
    components: COMPONENT_IDS,
  },
  api_silent: {
    title: 'The API does not answer',
    text: 'No server of the API has reported for a minute.',
    components: ['api'],
  },
  not_selling: {
    title: 'No purchases are accepted',
    text: 'Purchases, and payments on pay pages, are not turned into Energy at the moment. Orders that were accepted go on.',
    components: ['purchases', 'agent'],
  },
  usual_not_sold: {
    title: 'Usual orders cannot be bought',
    text: 'Orders of 65,000 Energy are refused; smaller ones may go through.',
    components: ['purchases'],
  },
  deliveries_fail: {
    title: 'Deliveries fail',
    text: 'Orders fail more often than usual. Each that fails is refunded in full.',
    components: ['delivery'],
  },
  deliveries_slow: {
    title: 'Deliveries are slow',
    text: 'Orders are delivered close to their deadline. Each that misses it is refunded in full.',
    components: ['delivery'],
  },
  deliveries_wait: {
    title: 'Deliveries wait',
    text: 'Delegations are not signed at the moment. Orders that miss their deadline are refunded in full.',
    components: ['delivery', 'autoenergy'],
  },
  autoenergy_closed: {
    title: 'No new AutoEnergy subscriptions',
    text: 'Subscriptions that are active go on.',
    components: ['autoenergy'],
  },
  agent_closed: {
    title: 'Pay pages cannot be made or changed',
    text: 'Pay pages that are active go on.',
    components: ['agent'],
  },
  webhooks_stopped: {
    title: 'Webhooks are not sent',
    text: 'Deliveries wait and are sent later. Nothing is lost.',
    components: ['webhooks'],
  },
  webhooks_late: {
    title: 'Webhooks are late',
    text: 'Deliveries go out more than a minute late. Nothing is lost.',
    components: ['webhooks'],
  },
  chain_behind: {
    title: 'The TRON network is read late',
    text: 'Deposits and deliveries are seen late. Deposits are credited when their blocks are read.',
    components: ['chain'],
  },
} as const satisfies Record<
  string,
  { title: string; text: string; components: readonly Component[] }
>

export type Cause = keyof typeof CAUSES

/** What is wrong now, and which causes could not be looked at. */
export type Evidence = {
  findings: readonly { cause: Cause; impact: Impact }[]
  unknown: readonly Cause[]
}

export const isCause = (word: string): word is Cause => Object.hasOwn(CAUSES, word)
export const isWorse = (one: Impact, other: Impact) => one === 'outage' && other === 'degraded'
