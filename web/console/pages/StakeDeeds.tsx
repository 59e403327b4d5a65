import type { postOperatorStakePreview, Reply } from '@ergon/contract'
import { Checkbox, Group, Select, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Trouble } from '../../shared/Page.tsx'
import { stakePreview } from '../calls.ts'
import { Deed } from '../Deed.tsx'

type Preview = Reply<typeof postOperatorStakePreview>

const DEEDS = [
  ['freeze', 'Freeze'],
  ['unfreeze', 'Unfreeze'],
  ['withdraw', 'Withdraw'],
  ['cancel_unfreeze', 'Cancel unfreezing'],
  ['vote', 'Vote'],
  ['claim', 'Claim rewards'],
] as const
type Action = (typeof DEEDS)[number][0]

/** Asks for something with a stake; the dialog says in numbers what will happen. */
export function StakeDeeds({ stake }: { stake: string }) {
  return (
    <Group gap="xs">
      {DEEDS.map(([action, name]) => (
        <StakeDeed key={action} stake={stake} action={action} name={name} />
      ))}
    </Group>
  )
}

function StakeDeed({ stake, action, name }: { stake: string; action: Action; name: string }) {
  const [isOpen, open] = useState(false)
  const [amount, setAmount] = useState('')
  const [resource, setResource] = useState('ENERGY')
  const [witnesses, setWitnesses] = useState('')
  const [standing, setStanding] = useState(false)
  const hasAmount = action === 'freeze' || action === 'unfreeze'
  const shares = witnesses.split(/[\s,]+/).filter(Boolean)
  const isComplete = (!hasAmount || amount !== '') && (action !== 'vote' || shares.length > 0)
  const body = {
    stake,
    action,
    ...(hasAmount && { amount_trx: amount, resource }),
    ...(action === 'vote' && { shares, standing }),
  }
  const preview = useQuery({ ...stakePreview(body), enabled: isOpen && isComplete })
  const effects: Preview | undefined = isComplete ? preview.data : undefined
  return (
    <Deed
      name={name}
      path="/stakes/operations"
      body={body}
      onOpen={() => open(true)}
      onDone={() => open(false)}
      isReady={effects !== undefined && effects.why_not === null}
      danger={action === 'unfreeze'}
    >
      {hasAmount && (
        <>
          <TextInput
            label="TRX"
            inputMode="decimal"
            value={amount}
            onChange={(event) => setAmount(event.currentTarget.value.trim())}
          />
          <Select
            label="Of"
            data={[
              { value: 'ENERGY', label: 'Energy' },
              { value: 'BANDWIDTH', label: 'Bandwidth' },
            ]}
            value={resource}
            allowDeselect={false}
            onChange={(value) => setResource(value ?? 'ENERGY')}
          />
        </>
      )}
      {action === 'vote' && (
        <>
          <TextInput
            label="Witnesses"
            description="With commas between them; a share after =, such as TWitness=2. They are in the signer's file."
            value={witnesses}
            onChange={(event) => setWitnesses(event.currentTarget.value)}
          />
          <Checkbox
            mt="sm"
            label="Vote so again when the stake has grown"
            checked={standing}
            onChange={(event) => setStanding(event.currentTarget.checked)}
          />
        </>
      )}
      <Trouble error={isComplete ? preview.error : null} />
      {effects?.why_not && (
        <Text size="sm" c="red.8">
          {effects.why_not}
        </Text>
      )}
      <ul>
        {effects?.effects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </Deed>
  )
}
