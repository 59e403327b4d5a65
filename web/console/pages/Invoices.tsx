import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { InvoiceRows } from '../../shared/InvoiceRows.tsx'
import { invoicesQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Shown } from '../Shown.tsx'

/** A client's invoices. Looking at them issues none. */
export function Invoices({ id }: { id: string }) {
  const query = useQuery(invoicesQuery(id))
  return (
    <Shown query={query}>
      {({ invoices, has_issuer }) => (
        <Stack gap="xs">
          <Group justify="space-between">
            <Text fw={600}>Invoices</Text>
            <Deed
              name="Issue invoices"
              path={`/accounts/${id}/invoices`}
              disabled={!invoices.some(({ state }) => state === 'due')}
            >
              The months that are over get numbers, and their figures stay as they are now.
            </Deed>
          </Group>
          {!has_issuer && (
            <Text size="sm">
              COMPANY_NAME and the settings after it are empty; invoices say so.
            </Text>
          )}
          <InvoiceRows invoices={invoices} base={`/operator/v1/accounts/${id}/invoices`} />
        </Stack>
      )}
    </Shown>
  )
}
