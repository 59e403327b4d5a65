/** Requests without a signature, or with one that nobody took over yet. */
export const SIGNATURES_TO_TAKE = 'exists (select from signing.request where not handed_over)'
