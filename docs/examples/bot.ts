import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { ApiError, Ergon, trxToSun } from '@ergon/sdk'

const sandbox = JSON.parse(readFileSync('.data/sandbox.json', 'utf8'))
const ergon = new Ergon({ baseUrl: sandbox.base_url, apiKey: sandbox.accounts[0].api_key })

/** One message of a chat: "energy ADDRESS AMOUNT". Its id is the key: a message that comes twice buys once. */
async function answer(id: string, text: string): Promise<string> {
  const [, receiver_address = '', amount = ''] = text.split(' ')
  try {
    const purchase = {
      receiver_address,
      resource_amount: Number(amount),
      max_price_sun: trxToSun('20'),
    }
    const { order_id, total_price_trx } = await ergon.buy(purchase, {
      idempotencyKey: `chat-${id}`,
    })
    const { status } = await ergon.waitForOrder(order_id)
    return status === 'COMPLETED'
      ? `Done, for ${total_price_trx} TRX. It lasts an hour.`
      : 'It failed; nothing was charged.'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `${error.message} ${error.docUrl}`
  }
}

let id = 0
for await (const text of createInterface({ input: process.stdin })) {
  id += 1
  console.log(await answer(String(id), text))
}
