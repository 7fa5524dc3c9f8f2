import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

/** Why the machine cannot send anything to an address. */
export type RouteProblem = 'network is unreachable' | 'no route to host' | 'cannot assign requested address';

const PROBLEMS: Readonly<Record<string, RouteProblem>> = {
  ENETUNREACH: 'network is unreachable',
  EHOSTUNREACH: 'no route to host',
  EADDRNOTAVAIL: 'cannot assign requested address', // the machine has no address of the family
};
/** RFC 863; nothing is sent there. */
const DISCARD_PORT = 9;

/**
 * Asks the machine's routing table about an address: a UDP socket is connected to it, which sends nothing. Undefined when there is a route;
 * whether anything answers at its end is not known.
 */
export function routeProblem(address: string): Promise<RouteProblem | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    const settle = (error?: Error): void => {
      socket.close();
      resolve(PROBLEMS[String((error as NodeJS.ErrnoException | undefined)?.code)]);
    };
    socket.once('error', settle);
    socket.connect(DISCARD_PORT, address, (error?: Error) => settle(error));
  });
}
