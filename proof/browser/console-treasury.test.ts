// Proves: operator, treasury, staking, books.
import { rmSync } from 'node:fs'
import { type Devnet, mnemonic } from '@ergon/devnet'
import { parseAddress, privateKeyAt, toBase58 } from '@ergon/tron'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SANDBOX_STAKE_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { readTrust, writeTrust } from '../../service/signer/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { FIRST } from '../testing/approvals.ts'
import { openBrowser, saveScreenshot } from '../testing/browser.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { createOperator } from '../testing/operator.ts'
import { buildPages, seriousFindings } from '../testing/pages.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { openStandIn, type StandIn } from '../testing/standIn.ts'
import { sendWithKey } from '../testing/thief.ts'
import { bookedOn } from '../testing/treasuryBooks.ts'
import { until } from '../testing/until.ts'
import { openDevnet, signerFolder } from '../testing/world.ts'
import { expectFits } from './fits.ts'
import { bringKey, confirm, signInAt } from './operatorTab.ts'
import { load, newTab } from './tab.ts'

// Stakes, the hot wallet, floats and statements of marketplaces, on the pages where operators look after them.

const TRX = 1_000_000n
const EMAIL = 'ann@example.com'
const COST = 65_000n * 19n

let devnet: Devnet
let catfee: StandIn
let tronsave: StandIn
let market: Market
let client: TestAccount
let browser: Browser
let tab: Page
let folder: string
let cold: string
let deposit: string
const complaints: string[] = []

beforeAll(async () => {
  buildPages()
  devnet = await openDevnet()
  catfee = await openStandIn(devnet, 'catfee')
  tronsave = await openStandIn(devnet, 'tronsave')
  cold = toBase58(devnet.chain.network.funded[4]!.address)
  deposit = toBase58(catfee.market.delegator)
  folder = signerFolder(devnet)
  const caps = { hourlyTrx: 60_000, dailyTrx: 100_000, effectiveFrom: new Date(0).toISOString() }
  const treasury = [cold, deposit].map((address) => ({ address, ...caps }))
  writeTrust(folder, { ...readTrust(folder), treasury })
  const open = [catfee, tronsave]
  market = await openMarket({
    devnet,
    signer: { SIGNER_DIR: folder },
    marketplaces: open.map(({ adapter }) => adapter),
    standIns: new Map(open.map(({ name, controlUrl }) => [name, controlUrl])),
  })
  await createOperator(market, EMAIL)
  client = await market.fundedAccount('1000')
  mine(SOLID_LAG + 2)
  await settled()
  await market.rooms.deposits.reconciling().reconcile()
  browser = await openBrowser()
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  tab = await newTab(context, complaints)
  await signInAt(market, tab, EMAIL)
})
afterAll(async () => {
  await browser?.close()
  await market?.close()
  await Promise.all([catfee, tronsave].map((one) => one?.close()))
  await devnet?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const open = (path: string) => load(tab, `${market.url}/operator${path}`)

function mine(blocks: number) {
  for (let block = 0; block < blocks; block++) devnet.chain.mine()
}

/** The scanner has read the head, so that readings are steady. */
async function settled() {
  await market.scanned()
  await until('the solid block is known', async () => {
    const at = await market.rooms.chain.progress()
    return at?.solidNumber === devnet.chain.solidNumber
  })
}

async function control(one: StandIn, body: Record<string, string>) {
  const answer = await fetch(one.controlUrl, { method: 'POST', body: JSON.stringify(body) })
  expect(answer.status).toBe(200)
}

test('before anything is set, the treasury says what each part is for', async () => {
  const page = await open('/treasury')
  await page.getByText('No floor, no ceiling and no cold address are set').waitFor()
  await page.getByText('Nothing is unfreezing').waitFor()
  await expectFits(page, 'console-treasury-empty', 'Treasury')
})

test('a freeze is previewed with its numbers, asked for, approved once, and waits for the second', async () => {
  sendWithKey(devnet, privateKeyAt(mnemonic, 1, 2), {
    type: 'UnfreezeBalanceV2Contract',
    value: {
      owner_address: parseAddress(SANDBOX_STAKE_ADDRESS)!,
      unfreeze_balance: 300n * TRX,
      resource: 'ENERGY',
    },
  })
  mine(SOLID_LAG + 2)
  await settled()
  const page = await open('/treasury')
  await bringKey(page, FIRST.privateKey)
  await page.getByRole('link', { name: 'Treasury' }).last().click()
  const calendar = page.getByRole('region', { name: 'What unlocks' }).locator('tbody tr')
  await calendar.getByText('300', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Freeze', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('TRX', { exact: true }).fill('90000000000')
  await dialog.getByText(/^Only .* TRX are spendable on this stake/).waitFor()
  await dialog.getByLabel('Why').fill('more to sell')
  const ask = dialog.getByRole('button', { name: 'Freeze', exact: true })
  expect(await ask.isDisabled()).toBe(true)
  await dialog.getByLabel('TRX', { exact: true }).fill('40')
  await dialog.getByText(/^40 TRX become stake: [\d,]+ Energy a day more\.$/).waitFor()
  await dialog.getByText(/^TRON Power grows by 40 to [\d,]+\.$/).waitFor()
  await saveScreenshot(page, 'console-freeze-1440-light')
  expect(await seriousFindings(page)).toEqual([])
  await confirm(page, 'Freeze', 'more to sell')
  const operation = page
    .getByRole('region', { name: 'Operations with stakes' })
    .getByRole('row')
    .filter({ hasText: 'more to sell' })
  await operation.getByText('0 of 2 approvals').waitFor()
  await operation.getByRole('button', { name: 'Approve' }).click()
  await dialog.getByText('amount in SUN: 40000000').waitFor()
  await confirm(page, 'Approve', 'I asked for it')
  await operation.getByText('1 of 2 approvals').waitFor()
  await operation.getByText(`approved by ${EMAIL}`).waitFor()
  const rows = await market.database.sql(`select action, state from staking.operation`)
  expect(rows).toEqual([{ action: 'freeze', state: 'requested' }])
})

test('the hot wallet gets its bounds, is switched on, and says what it needs', async () => {
  const page = await open('/treasury')
  await page.getByRole('button', { name: 'Set the hot wallet' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Floor, TRX').fill('100')
  await dialog.getByLabel('Ceiling, TRX').fill('5000000')
  await dialog.getByLabel('Cold address').fill(cold)
  await saveScreenshot(page, 'console-hot-wallet-1440-light')
  await confirm(page, 'Set the hot wallet', 'as agreed')
  await page.getByRole('button', { name: 'Turn surplus on' }).click()
  await confirm(page, 'Turn surplus on', 'it is watched')
  await page.getByRole('button', { name: 'Turn surplus off' }).waitFor()
  await page.getByText('Enough for a day').waitFor()
  const forecast = page.getByRole('region', { name: 'Forecast of the next 24 hours' })
  expect(await forecast.locator('tbody tr').count()).toBeGreaterThan(3)
  expect(await market.rooms.treasury.settings.hotWallet()).toMatchObject({
    enabled: true,
    floor: 100n * TRX,
    ceiling: 5_000_000n * TRX,
    cold,
  })
})

test('a float is set and topped up; a top-up that does not arrive is decided', async () => {
  const { treasury } = market.rooms
  const [follow, plan] = [0, 1].map((n) => () => treasury.loops[n]!.runOnce())
  await control(catfee, { top_up: 'never' })
  catfee.market.drain(100n * TRX)
  await market.rooms.providers.refresh()
  const page = await open('/treasury')
  const row = page.getByRole('region', { name: 'Floats', exact: true }).getByRole('row')
  const ours = row.filter({ hasText: 'catfee' })
  await ours.getByText('not set').waitFor()
  await ours.getByRole('button', { name: /^Set/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Deposit address').fill(deposit)
  await dialog.getByLabel('Floor, TRX').fill('500')
  await dialog.getByLabel('Ceiling, TRX').fill('2000')
  await dialog.getByLabel('At most a day, TRX').fill('4000')
  await saveScreenshot(page, 'console-float-1440-light')
  await confirm(page, 'Set bounds', 'it sells well')
  await ours.getByText('2,000').waitFor()
  await page.getByRole('button', { name: 'Turn top-ups on catfee' }).click()
  await confirm(page, 'Turn top-ups on', 'it sells well')
  const newest = async () => (await treasury.view.transfers(1))[0]
  await until('a top-up is asked for', async () => {
    await settled()
    await plan!()
    return (await newest())?.state === 'requested'
  })
  const { txid, amount } = (await newest())!
  await until('it is sent', () => devnet.chain.pool.has(txid))
  mine(SOLID_LAG + 2)
  await until('it is solid', async () => {
    await follow!()
    return (await newest())!.state === 'solid'
  })
  await market.database.sql(`update treasury.transfer set due_at = now() - interval '1 hour'`)
  await until('it is missing', async () => {
    await plan!()
    return (await newest())!.state === 'missing'
  })
  await page.reload()
  await page.getByRole('button', { name: 'Decide catfee' }).click()
  await dialog.getByLabel('What became of it').selectOption('lost')
  await saveScreenshot(page, 'console-top-up-missing-1440-light')
  expect(await seriousFindings(page)).toEqual([])
  await confirm(page, 'Decide', 'they never saw it')
  await page.getByText(`decided by ${EMAIL}`).waitFor()
  expect(await bookedOn(market.database, 'cost:provider:catfee')).toBe(amount)
  await control(catfee, { top_up: 'credited' })
})

test('the treasury fits when all of it is in use', async () => {
  await expectFits(await open('/treasury'), 'console-treasury-used', 'Treasury')
})

test('statements are compared on demand; a difference says what deciding books, and is decided', async () => {
  await market.provider({ behaviour: 'down' })
  await control(catfee, { behaviour: 'down' })
  await market.rooms.providers.refresh()
  const { body } = await market.buy(client)
  await until('it is delivered', async () => {
    await market.mineWhenRead()
    return (await market.get(client, `/order/${body.order_id}`)).body.status === 'COMPLETED'
  })
  await control(catfee, { behaviour: 'ok' })
  await control(tronsave, { statement: 'charged_twice' })
  const { statements } = market.rooms
  await until('both are known', async () => (await statements.sources()).length === 2)
  const page = await open('/books')
  await page.getByText('Nothing waits for a decision').waitFor()
  await page.getByRole('button', { name: 'Compare now' }).click()
  await confirm(page, 'Compare now', 'an invoice is odd')
  await until('it is found', async () => {
    await statements.loop.runOnce()
    return (await statements.differences({ waiting: true })).length > 0
  })
  await page.reload()
  const difference = page.getByRole('region', { name: /^tronsave .*: Charged more than once$/ })
  await difference.getByText('Theirs 2.47 TRX, ours 1.235 TRX').waitFor()
  await expectFits(page, 'console-difference', 'Books')
  await difference.getByRole('button', { name: /^Accept their figure/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^1\.235 TRX go from cost:provider:tronsave to /).waitFor()
  await saveScreenshot(page, 'console-difference-accept-390-dark')
  expect(await seriousFindings(page)).toEqual([])
  await confirm(page, 'Accept their figure', 'they are right')
  await page.getByText('Settled: 1').click()
  const settledRow = page.getByRole('region', { name: 'Settled differences' })
  await settledRow.getByText(`accepted by ${EMAIL}`).waitFor()
  const booked = await market.database.sql(
    `select amount_sun::text as amount from ledger.movement where kind = 'provider_correction'`,
  )
  expect(booked).toEqual([{ amount: String(COST) }])
})

test('status fits with the cost of own stake and sizes that are not sold', async () => {
  await market.provider({ behaviour: 'ok' })
  await expectFits(await open('/'), 'console-status-used', 'Status')
})

test('no page broke its policy or complained', () => {
  expect(complaints).toEqual([])
})
