import { join } from 'node:path';
import type { InterfaceFigures } from '../../node/index.ts';
import { textOf } from '../machine/text-of.ts';

/** Interfaces that cAdvisor does not count: the loopback, and the machine's ends of those of containers. */
const IGNORED = ['lo', 'veth', 'docker', 'nerdctl'];

/** The interfaces of the network that a process is in; undefined without a process. */
export async function interfaceFigures(
  root: string,
  pid: number | undefined,
): Promise<readonly InterfaceFigures[] | undefined> {
  if (pid === undefined) return undefined;
  const text = await textOf(join(root, 'proc', String(pid), 'net/dev'));
  return text.split('\n').flatMap((line): InterfaceFigures[] => {
    const colon = line.lastIndexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    if (name === '' || IGNORED.some((prefix) => name.toLowerCase().startsWith(prefix))) return [];
    const numbers = line
      .slice(colon + 1)
      .trim()
      .split(/\s+/)
      .map(Number);
    const [rxBytes = 0, rxPackets = 0, rxErrors = 0, rxDropped = 0] = numbers;
    const [txBytes = 0, txPackets = 0, txErrors = 0, txDropped = 0] = numbers.slice(8);
    return [
      {
        name,
        received: { bytes: rxBytes, packets: rxPackets, errors: rxErrors, dropped: rxDropped },
        sent: { bytes: txBytes, packets: txPackets, errors: txErrors, dropped: txDropped },
      },
    ];
  });
}
