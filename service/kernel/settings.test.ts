import { expect, test } from 'vitest'
import { CannotStart } from './assert.ts'
import { readSettings, settings } from './settings.ts'

test.each(Object.entries(settings))('%s parses its own default', (_name, setting) => {
  expect(setting.parse(setting.default)).not.toBeUndefined()
  expect(setting.meaning).not.toBe('')
  expect(setting.expected).not.toBe('')
})

test('nothing set gives a sandbox on loopback', () => {
  const read = readSettings({})
  expect(read).toMatchObject({ MODE: 'sandbox', HOST: '127.0.0.1', PORT: 8080, METRICS_PORT: null })
  expect(read.DATABASE_URL).toEqual([])
})

test.each([
  ['PORT', 'eighty', 'a port from 0 to 65535'],
  ['PORT', '65536', 'a port from 0 to 65535'],
  ['PORT', '-1', 'a port from 0 to 65535'],
  ['PORT', '80.5', 'a port from 0 to 65535'],
  ['PORT', '', 'a port from 0 to 65535'],
  ['METRICS_PORT', 'x', 'empty, or a port'],
  ['MODE', 'Production', 'one of sandbox, production'],
  ['ROLE', 'signer', 'one of all, api, worker, scanner'],
  ['SOLID_LAG', '0', '1 to 100'],
  ['BLOCK_MS', '3600001', 'milliseconds, 0 to 3600000'],
  ['LOG_LEVEL', 'loud', 'one of debug, info, warn, error, silent'],
])('%s="%s" stops the start with its name and what was expected', (name, value, expected) => {
  const read = () => readSettings({ [name]: value })
  expect(read).toThrow(CannotStart)
  expect(read).toThrow(`${name} is "${value}"; expected ${expected}.`)
})

test.each([
  'api.catfee.io',
  'http://api.catfee.io',
  'https://key:secret@api.catfee.io',
  'https://api.catfee.io?key=1',
  'ftp://api.catfee.io',
])('the address "%s" would carry a key where it does not belong', (address) => {
  expect(() => readSettings({ CATFEE_URL: address })).toThrow('CATFEE_URL is')
})

test('an address may be plain on this machine only', () => {
  expect(readSettings({ CATFEE_URL: 'http://127.0.0.1:1/x' }).CATFEE_URL).toBe(
    'http://127.0.0.1:1/x',
  )
  expect(() => readSettings({ CATFEE_URL: 'http://127.0.0.1.example.org' })).toThrow(CannotStart)
})

test('a secret that cannot be read is not repeated', () => {
  const read = () => readSettings({ CATFEE_SECRET: 'two words' })
  expect(read).toThrow('CATFEE_SECRET is not what it should be; expected visible ASCII characters.')
})

test('a list is read without its empty parts', () => {
  const { TRUSTED_PROXIES } = readSettings({ TRUSTED_PROXIES: ' 10.0.0.1, ,10.0.0.2,' })
  expect(TRUSTED_PROXIES).toEqual(['10.0.0.1', '10.0.0.2'])
})

test.each([
  [
    'postgresql://u@one/db, postgresql://u@two/db',
    ['postgresql://u@one/db', 'postgresql://u@two/db'],
  ],
  [
    'postgresql://u:p@one:1,two:2/db?x=1',
    ['postgresql://u:p@one:1/db?x=1', 'postgresql://u:p@two:2/db?x=1'],
  ],
  ['postgresql://u:a,b@one/db', ['postgresql://u:a,b@one/db']],
  ['postgresql://u@/db?host=/run', ['postgresql://u@/db?host=/run']],
])('the servers of %s', (given, servers) => {
  expect(readSettings({ DATABASE_URL: given }).DATABASE_URL).toEqual(servers)
})

test('variables that are not settings are not read', () => {
  expect(Object.keys(readSettings({ PATH: '/bin' }))).toEqual(Object.keys(settings))
})

test('before blocks are final 10,000 TRX are lent to an account and 100,000 to all, if nothing is set', () => {
  expect(readSettings({})).toMatchObject({
    UNVERIFIED_CREDIT_LIMIT_TRX: 10_000,
    UNVERIFIED_CREDIT_HOUSE_TRX: 100_000,
  })
})
