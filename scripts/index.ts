// What the proofs take from the programs that run tests.
export { endTree } from './test/child.ts'
export { roomsOf } from './test/layers.ts'
export { countProcessor, noteServer } from './test/processor.ts'
export { openSlowdown } from './test/slowdown.ts'
