/** English, and the shape of every other dictionary. The page replaces words in braces. */
export const en = {
  page: {
    fallbackTitle: 'TRON Energy',
    offer: '{energy} Energy for {price} TRX',
    lead: 'Send {price} TRX from the wallet that needs the Energy. The Energy arrives there about a minute later and can be used for one hour.',
    language: 'Language',
    payTo: 'Send TRX to this address',
    qr: 'QR code of the address',
    copyAddress: 'Copy address',
    copyAmount: 'Copy amount',
    copied: 'Copied',
    units: 'Units',
    oneUnit: 'One unit is {energy} Energy for {price} TRX.',
    fewer: 'One unit less',
    more: 'One unit more',
    send: 'You send',
    get: 'You get',
    energy: 'Energy',
    exchange:
      'Pay from your own wallet, not from an exchange: the Energy goes to the address that sends.',
    use: 'A USDT transfer needs about 65,000 Energy, or about 131,000 when the recipient has no USDT yet.',
    amounts: 'Other amounts',
    below: 'Less than {price} TRX',
    belowThen: 'No Energy, and the TRX is not sent back.',
    between: 'In between, such as {amount} TRX',
    betweenThen: 'Only whole units count: {energy} Energy. The seller keeps the rest.',
    above: 'More than {amount} TRX',
    aboveThen: '{energy} Energy, the most for one payment. The seller keeps the rest.',
    follow: 'Follow your payment',
    followHint:
      'Enter the wallet that you pay from. We check that it can receive Energy, and show the delivery here.',
    followPaused:
      'Paid before the pause? Enter the wallet that you paid from, and see here what became of it.',
    wallet: 'Your wallet address',
    check: 'Check and follow',
    noScript: 'Payments work without JavaScript. Turn it on to follow the delivery on this page.',
    paused: 'No payments right now',
    pausedText:
      'The seller cannot deliver at the moment. Please send no TRX now: it would not become Energy. Try again later.',
    missing: 'This pay page does not exist',
    missingText:
      'It may have been removed, or the link has a typing error. Do not pay to an address that you kept from it. Ask the seller for a new link.',
    transferFailed: 'My transfer failed',
    maintenance: 'Maintenance is under way, until {until}. Energy may arrive late.',
    maintenancePlanned: 'Maintenance is planned from {from} to {until}.',
    moreAbout: 'More about it',
    footer: 'No tracking, no cookies.',
  },
  live: {
    waiting: 'Waiting for a payment from {payer}',
    waitingHint: 'It shows up here a few seconds after the network has it.',
    seen: 'Payment seen',
    delegating: 'Delegating Energy',
    delegated: 'Energy delegated',
    skipped: 'Not delivered',
    failed: 'Delivery failed',
    payment: 'Your payment',
    delegation: 'Delegation',
    energy: '{energy} Energy',
    usable: 'Usable until {time}',
    left: '{minutes} min left',
    over: 'The hour is over.',
    copied: 'Copied',
    copyId: 'Copy transaction id',
    lost: 'The connection was lost. Trying again.',
    noCheck: 'The check could not be made. Try again in a moment.',
    another: 'Make another payment',
    notTwice: 'You do not have to send anything more for it.',
  },
  status: {
    processing: 'Your payment was seen and is being checked.',
    delivering: 'The Energy is on its way to your wallet.',
    completed: 'The Energy is on your wallet.',
    failed:
      'The Energy could not be delivered. Your TRX is with the seller: ask them to return it.',
  },
  skipped: {
    below_base:
      'The amount is below the price of one unit, so no Energy was sent. Ask the seller to return it, and pay the whole price in one transfer.',
    insufficient_balance:
      'The seller cannot deliver at the moment. Your TRX is with the seller, who can still deliver within 30 days: ask them for the Energy, or for your TRX.',
    paused:
      'Sales were paused when you paid. Your TRX is with the seller, who can still deliver within 30 days: ask them for the Energy, or for your TRX.',
    price_above_base:
      'Energy has become dearer than the price on this page. Your TRX is with the seller, who can still deliver within 30 days: ask them for the Energy, or for your TRX.',
    payer_is_own_address: 'This payment came from an address that is not a customer’s wallet.',
    address_is_contract:
      'The address that you paid belongs to a contract, so nothing can be sold there. Ask the seller to return your TRX.',
    payer_is_contract:
      'The payment came from a contract, and Energy can only go to a wallet. Your TRX is with the seller: ask them to return it.',
    account_blocked:
      'Sales had stopped when you paid, so no Energy was sent. Your TRX is with the seller: ask them to return it.',
    service_unavailable:
      'No Energy could be bought within ten minutes. Your TRX is with the seller, who can still deliver within 30 days: ask them for the Energy, or for your TRX.',
    orphaned: 'The network undid this transfer: the TRX never left your wallet. You can pay again.',
    other: 'This payment did not become Energy. Your TRX is with the seller: ask them about it.',
  },
  check: {
    able: 'This address can receive Energy.',
    not_an_address: 'This is not a TRON address: 34 characters that start with T.',
    is_paid: 'This is the address that is paid. Use the wallet that needs the Energy.',
    contract: 'This is a contract. Energy can only go to a wallet.',
    not_activated: 'This address has never been used. Send it a little TRX first.',
    unknown: 'The network did not answer in time. Try again in a moment.',
  },
}

export type Messages = typeof en
