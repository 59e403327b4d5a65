import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { InvoiceRows } from '../../shared/InvoiceRows.tsx'
import { Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { invoicesQuery } from '../queries.ts'

/** Invoices by month. Those of months that are over are issued when this list is asked for. */
export function Invoices() {
  const { data, error, refetch } = useQuery(invoicesQuery)
  return (
    <Page title="Invoices">
      <Text c="dimmed" maw={640}>
        What was charged in each month, in UTC, with a statement of your balance beside it. Deposits
        are prepayments and no part of it. The invoice of a month that is over never changes; what
        arrives later is in the next one.{' '}
        <Anchor component={Link} to="/settings" underline="always">
          Your name, address and tax number
        </Anchor>{' '}
        are printed as they are when it is issued.
      </Text>
      {error && <Trouble error={error} retry={refetch} />}
      {!data ? (
        <RowsSkeleton rows={4} />
      ) : (
        <Panel>
          {!data.has_issuer && (
            <Text size="sm" mb="sm">
              The operator of this service has not set its name and address yet; invoices say so.
            </Text>
          )}
          <InvoiceRows invoices={data.invoices} base="/app/v1/invoices" />
        </Panel>
      )}
    </Page>
  )
}
