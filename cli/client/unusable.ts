/** The command line is invalid: exit code 2. */
export class Unusable extends Error {}
