type Schema = {
  type?: string
  description?: string
  nullable?: boolean
  enum?: readonly unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  published?: Schema
}

/** The fields of a schema as a table in Markdown, those of nested objects by their whole name. */
export function fieldTable(title: string, schema: unknown, anchor: string): string {
  const rows = rowsOf('', (schema ?? {}) as Schema)
  if (rows.length === 0) return ''
  return `### ${title} {#${anchor}}\n\n| Field | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}\n\n`
}

function rowsOf(prefix: string, schema: Schema): string[] {
  if (schema.type === 'array' && schema.items) return rowsOf(`${prefix}[]`, schema.items)
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, field]) => {
    const whole = prefix === '' ? name : `${prefix}.${name}`
    const optional = required.includes(name) ? '' : ', optional'
    const type = `${field.type ?? 'string'}${field.nullable ? ' or null' : ''}${optional}`
    const { enum: list } = { ...field, ...field.published }
    const words = list
      ? ` One of ${list
          .filter(Boolean)
          .map((word) => `\`${word}\``)
          .join(', ')}.`
      : ''
    const row = `| \`${whole}\` | ${type} | ${cell(`${field.description ?? ''}${words}`)} |`
    return [row, ...rowsOf(whole, field)]
  })
}

const cell = (text: string) => text.trim().replaceAll('|', '\\|')
