import type { MovableClock, Runtime, Settings } from '../../kernel/index.ts'

/** Result of one check. `remedy` says what to do about the cause. */
export type Check = { name: string; ok: boolean; cause: string; remedy: string }

/** The environment that doctor checks. */
export type Patient = {
  environment: Record<string, string | undefined>
  runtime: Runtime & { clock: MovableClock }
  /** Whether an Ergon runs on this data folder now. */
  isRunning(folder: string): Promise<boolean>
  /** A sentence when the port cannot be listened on. */
  portTrouble(host: string, port: number, setting: string): Promise<string | undefined>
  /** The token that every node of the network must have. */
  usdtContract(settings: Settings): string
  /** DEPOSIT_XPUB, or that of the sandbox. */
  depositXpub(settings: Settings): string
  /** A sentence when pages are not built, or from other sources. */
  pagesTrouble(): string | undefined
  /** Bytes of the disk that holds a folder; undefined when it cannot be looked at. */
  disk(folder: string): { free: number; total: number } | undefined
}

export const fine = (name: string, cause: string): Check => ({ name, ok: true, cause, remedy: '' })
export const ill = (name: string, cause: string, remedy: string): Check => ({
  name,
  ok: false,
  cause,
  remedy,
})

export const messageOf = (error: unknown) => (error as Error).message || String(error)

/** Whether the service runs its own PostgreSQL. */
export const isEmbedded = (of: Pick<Settings, 'DATABASE_URL' | 'DATABASE_API_URL'>) =>
  of.DATABASE_URL.length + of.DATABASE_API_URL.length === 0
