import type { Messages } from './en.ts'

export const es: Messages = {
  page: {
    fallbackTitle: 'Energía de TRON',
    offer: '{energy} de\u00a0energía por {price} TRX',
    lead: 'Envía {price} TRX desde la billetera que necesita la energía. La energía llega a esa billetera en aproximadamente un minuto y se puede usar durante una hora.',
    language: 'Idioma',
    payTo: 'Envía TRX a esta dirección',
    qr: 'Código QR de la dirección',
    copyAddress: 'Copiar dirección',
    copyAmount: 'Copiar importe',
    copied: 'Copiado',
    units: 'Unidades',
    oneUnit: 'Cada unidad equivale a {energy} de energía por {price} TRX.',
    fewer: 'Una unidad menos',
    more: 'Una unidad más',
    send: 'Envías',
    get: 'Recibes',
    energy: 'de energía',
    exchange:
      'Paga desde tu propia billetera, no desde un exchange: la energía va a la dirección desde la que se envía el pago.',
    use: 'Una transferencia de USDT necesita unos 65\u00a0000 de energía, o unos 131\u00a0000 si quien la recibe aún no tiene USDT.',
    amounts: 'Otros importes',
    below: 'Menos de {price} TRX',
    belowThen: 'No recibes energía y los TRX no se devuelven.',
    between: 'Un importe intermedio, como {amount} TRX',
    betweenThen:
      'Solo cuentan unidades enteras: {energy} de energía. El resto se lo queda el vendedor.',
    above: 'Más de {amount} TRX',
    aboveThen: '{energy} de energía, el máximo por pago. El resto se lo queda el vendedor.',
    follow: 'Sigue tu pago',
    followHint:
      'Escribe la billetera desde la que pagas. Comprobamos que puede recibir energía y mostramos aquí la entrega.',
    followPaused:
      '¿Pagaste antes de la pausa? Escribe la billetera desde la que pagaste y verás aquí qué pasó con tu pago.',
    wallet: 'Dirección de tu billetera',
    check: 'Comprobar y seguir',
    noScript: 'Se puede pagar sin JavaScript. Actívalo para seguir la entrega en esta página.',
    paused: 'Ahora no se aceptan pagos',
    pausedText:
      'El vendedor no puede entregar por el momento. No envíes TRX ahora: no se convertirían en energía. Vuelve a intentarlo más tarde.',
    missing: 'Esta página de pago no existe',
    missingText:
      'Puede que se haya eliminado o que el enlace tenga un error. No pagues a ninguna dirección que hayas guardado de esta página. Pide al vendedor un enlace nuevo.',
    transferFailed: 'Mi transferencia falló',
    maintenance: 'Hay mantenimiento en curso, hasta {until}. La energía puede llegar con retraso.',
    maintenancePlanned: 'Hay mantenimiento previsto del {from} al {until}.',
    moreAbout: 'Más información',
    footer: 'Sin rastreo ni cookies.',
  },
  live: {
    waiting: 'Esperando un pago de {payer}',
    waitingHint: 'Aparecerá aquí unos segundos después de llegar a la red.',
    seen: 'Pago detectado',
    delegating: 'Delegando energía',
    delegated: 'Energía delegada',
    skipped: 'No entregado',
    failed: 'La entrega falló',
    payment: 'Tu pago',
    delegation: 'Delegación',
    energy: '{energy} de energía',
    usable: 'Disponible hasta: {time}',
    left: 'tiempo restante: {minutes} min',
    over: 'La hora ha terminado.',
    copied: 'Copiado',
    copyId: 'Copiar el hash de la transacción',
    lost: 'Se perdió la conexión. Reintentando…',
    noCheck: 'No se pudo comprobar. Inténtalo de nuevo en un momento.',
    another: 'Hacer otro pago',
    notTwice: 'No tienes que enviar nada más por este pago.',
  },
  status: {
    processing: 'Hemos detectado tu pago y lo estamos comprobando.',
    delivering: 'La energía va camino de tu billetera.',
    completed: 'La energía ya está en tu billetera.',
    failed:
      'No se pudo entregar la energía. Tus TRX los tiene el vendedor: pídele que te los devuelva.',
  },
  skipped: {
    below_base:
      'El importe es menor que el precio de una unidad y no se envió energía. Pide al vendedor que te lo devuelva y paga el precio completo en una sola transferencia.',
    insufficient_balance:
      'El vendedor no puede entregar por el momento. Tus TRX los tiene el vendedor, que aún puede entregar en 30 días: pídele la energía o tus TRX.',
    paused:
      'Las ventas estaban en pausa cuando pagaste. Tus TRX los tiene el vendedor, que aún puede entregar en 30 días: pídele la energía o tus TRX.',
    price_above_base:
      'La energía cuesta ahora más que el precio indicado en esta página. Tus TRX los tiene el vendedor, que aún puede entregar en 30 días: pídele la energía o tus TRX.',
    payer_is_own_address:
      'Este pago procede de una dirección que no es la billetera de un cliente.',
    address_is_contract:
      'La dirección a la que pagaste es de un contrato, así que allí no se puede vender nada. Pide al vendedor que te devuelva los TRX.',
    payer_is_contract:
      'El pago procede de un contrato y la energía solo puede ir a una billetera. Tus TRX los tiene el vendedor: pídele que te los devuelva.',
    account_blocked:
      'Las ventas se habían detenido cuando pagaste, así que no se envió energía. Tus TRX los tiene el vendedor: pídele que te los devuelva.',
    service_unavailable:
      'No se pudo comprar energía en diez minutos. Tus TRX los tiene el vendedor, que aún puede entregar en 30 días: pídele la energía o tus TRX.',
    orphaned:
      'La red deshizo esta transferencia: los TRX no salieron de tu billetera. Puedes pagar de nuevo.',
    other:
      'Este pago no se convirtió en energía. Tus TRX los tiene el vendedor: pregúntale por ellos.',
  },
  check: {
    able: 'Esta dirección puede recibir energía.',
    not_an_address: 'Esto no es una dirección de TRON: 34 caracteres que empiezan por T.',
    is_paid: 'Esta es la dirección de cobro. Usa la billetera que necesita la energía.',
    contract: 'Esto es un contrato. La energía solo puede ir a una billetera.',
    not_activated: 'Esta dirección aún no está activada. Envíale primero un poco de TRX.',
    unknown: 'La red no respondió a tiempo. Inténtalo de nuevo en un momento.',
  },
}
