import type { ErrorObject } from 'ajv'

/** One fault of a request, in the shape of the contract's 422 answer. */
export type RequestFault = { loc: (string | number)[]; msg: string; type: string }

type Describe = (error: ErrorObject) => [type: string, msg: string]

/** Ajv keyword → the contract's stable slug and a sentence that says what would be right. */
const KEYWORDS: Record<string, Describe> = {
  required: () => ['missing', 'Field required'],
  exclusiveMinimum: (e) => ['greater_than', `Must be greater than ${e.params.limit}`],
  minimum: (e) => ['greater_than_equal', `Must be at least ${e.params.limit}`],
  maximum: (e) => ['less_than_equal', `Must be at most ${e.params.limit}`],
  minLength: (e) => ['string_too_short', `Must have at least ${e.params.limit} characters`],
  maxLength: (e) => ['string_too_long', `Must have at most ${e.params.limit} characters`],
  minItems: (e) => ['value_error', `Must have at least ${e.params.limit} items`],
  maxItems: (e) => ['value_error', `Must have at most ${e.params.limit} items`],
  pattern: () => ['string_pattern', 'Has the wrong form'],
  enum: (e) => ['enum', `Must be one of ${e.params.allowedValues.filter(Boolean).join(', ')}`],
  format: (e) => ['value_error', FORMATS[e.params.format] ?? 'Has the wrong form'],
  trimmedLengthMax: (e) => ['string_too_long', `Must have at most ${e.schema} characters`],
  'false schema': () => ['value_error', 'Must be left out here'],
  not: () => ['frozen', 'Cannot be changed'],
  additionalProperties: () => ['value_error', 'There is nothing of this name'],
  type: (e) => TYPES[e.params.type as string] ?? ['value_error', 'Has the wrong type'],
}

const FORMATS: Record<string, string> = {
  address: 'Is not a TRON address: 34 characters that start with T',
  text: 'Contains a NUL character or broken Unicode',
  line: 'Contains a control character or broken Unicode',
}

const TYPES: Record<string, [string, string]> = {
  integer: ['int_type', 'Must be an integer'],
  string: ['string_type', 'Must be a string'],
  boolean: ['bool_type', 'Must be true or false'],
  object: ['object_type', 'Must be a JSON object'],
  array: ['array_type', 'Must be an array'],
}

export function faultOf(part: string, error: ErrorObject): RequestFault {
  const [type, msg] = KEYWORDS[error.keyword]?.(error) ?? ['value_error', 'Is not valid']
  const { missingProperty, additionalProperty } = error.params as Record<string, string>
  const name = missingProperty ?? additionalProperty
  return {
    loc: [part, ...pathOf(error.instancePath), ...(name === undefined ? [] : [name])],
    msg,
    type,
  }
}

function pathOf(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

export const invalidJson: RequestFault = {
  loc: ['body'],
  msg: 'The body is not valid JSON in UTF-8',
  type: 'json_invalid',
}
