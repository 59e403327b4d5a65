/** The command line cannot be carried out as it was given: exit code 2. */
export class Unusable extends Error {}
