import type { Asked } from '../../web/index.ts'
import type { TestAccount } from './app.ts'
import type { Coverage, Wallet } from './autoenergy.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
export type Answer = any
/** What earlier calls have made, and later ones need. */
export type Known = Record<string, string>
export type Step = {
  name: string
  ask?(known: Known): Asked
  /** Remembers parts of the answer, and waits for what it has begun. */
  after?(answer: Answer, known: Known, scene: Scene): Promise<unknown> | unknown
}
export type Scene = { coverage: Coverage; account: TestAccount; wallet: Wallet; known: Known }
