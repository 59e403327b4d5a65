/** The version of the package, as cli/package.json has it. */
export const VERSION = '0.1.0'
