import { isTaken } from './local-port.ts';
import type { ProcessContainer } from './process-container.ts';

/** Names the port that another process listens on, if there is one: the usual reason why a program ends at once. */
export async function explainTakenPort(
  { podUid, parts }: ProcessContainer,
  address: string,
  running: () => readonly ProcessContainer[],
): Promise<string | undefined> {
  for (const port of parts.ports) {
    if (!(await isTaken(address, port))) continue;
    const others = running().filter((each) => each.podUid !== podUid);
    const { namespace, name } = others.find((each) => each.parts.ports.includes(port))?.parts.sandbox.metadata ?? {};
    const who = name === undefined ? 'another program of this machine' : `pod "${namespace}/${name}"`;
    const wish = 'processes share the ports of this machine unless they listen at $KEELSON_POD_ADDRESS';
    return `port ${port} is taken by ${who}; ${wish}`;
  }
  return undefined;
}
