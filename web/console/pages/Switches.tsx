import { useQuery } from '@tanstack/react-query'
import { Page, Panel } from '../../shared/Page.tsx'
import { switchesQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Health, Rows, Shown } from '../Shown.tsx'

export function Switches() {
  const switches = useQuery(switchesQuery)
  return (
    <Page title="Switches">
      <Panel>
        <Shown query={switches}>
          {(data) => (
            <Rows label="Kill switches" head={['Switch', 'State', 'What it stops', 'Turn']}>
              {data.switches.map(({ name, enabled, reason, stops }) => (
                <tr key={name}>
                  <td>{name}</td>
                  <td>
                    <Health ok={enabled}>{enabled ? 'on' : 'off'}</Health>
                  </td>
                  <td className="whole">
                    {stops}
                    {!enabled && reason && <div className="soft">{reason}</div>}
                  </td>
                  <td className="deed">
                    {name === 'signing' && !enabled ? (
                      <span className="soft">npx ergon signer on, on the signer's machine</span>
                    ) : (
                      <Deed
                        name={enabled ? 'Turn off' : 'Turn on'}
                        of={name}
                        danger={enabled}
                        path={`/switches/${encodeURIComponent(name)}`}
                        body={{ enabled: !enabled }}
                      >
                        {enabled
                          ? `This stops at once, on every node: ${stops}`
                          : 'It goes on again.'}
                      </Deed>
                    )}
                  </td>
                </tr>
              ))}
            </Rows>
          )}
        </Shown>
      </Panel>
    </Page>
  )
}
