/** How soon Energy comes, and what happens if it does not: the same words on every page. */
export const DELIVERY =
  'It is delivered within two minutes, usually within seconds, or refunded in full.'
