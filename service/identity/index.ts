export { type Accounts, createAccounts, type OnAccount } from './accounts.ts'
export { type Authenticator, createAuthenticator } from './authenticate.ts'
export type { ApiKey } from './key.ts'
