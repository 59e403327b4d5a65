/** Number of blocks until a block is solid, in tests. */
export const SOLID_LAG = 4
