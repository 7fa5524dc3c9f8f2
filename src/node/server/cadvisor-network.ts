import type { InterfaceFigures, PacketFigures } from '../runtime/index.ts';
import type { FamilyRow } from './cadvisor-rows.ts';

/** What was received and sent, by interface. */
export function networkFamilies(): readonly FamilyRow[] {
  const directions = [
    ['receive', 'received', ({ received }: InterfaceFigures) => received],
    ['transmit', 'sent', ({ sent }: InterfaceFigures) => sent],
  ] as const;
  return directions.flatMap(([verb, done, of]) => {
    const row = (name: string, help: string, amount: keyof PacketFigures): FamilyRow => ({
      name: `network_${verb}_${name}_total`,
      type: 'counter',
      help,
      of: ({ interfaces = [] }) =>
        interfaces.map((each) => ({ labels: { interface: each.name }, value: of(each)[amount] })),
    });
    return [
      row('bytes', `Bytes that were ${done}.`, 'bytes'),
      row('packets', `Packets that were ${done}.`, 'packets'),
      row('packets_dropped', `Packets that were dropped and not ${done}.`, 'dropped'),
      row('errors', `Packets that could not be ${done} for an error.`, 'errors'),
    ];
  });
}
